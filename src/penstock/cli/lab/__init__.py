"""`penstock lab`: the performance laboratory; one file per command."""
