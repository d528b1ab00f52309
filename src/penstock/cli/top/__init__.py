"""`penstock top`: what happens now, in a terminal that refreshes itself."""
