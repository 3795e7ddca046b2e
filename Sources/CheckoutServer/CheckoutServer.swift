// CheckoutServer
