// CheckoutClient
