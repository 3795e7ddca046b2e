"""What the black-box tests share: the programs under test, a client that keeps every line in order, and checkouts."""
