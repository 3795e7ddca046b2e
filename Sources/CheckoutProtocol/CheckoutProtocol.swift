// CheckoutProtocol
