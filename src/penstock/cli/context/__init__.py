"""`penstock context`: named addresses; one file per command."""
