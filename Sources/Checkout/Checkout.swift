// Checkout
