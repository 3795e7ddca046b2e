// CheckoutStore
