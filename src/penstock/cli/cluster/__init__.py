"""`penstock cluster`: clusters of queue managers; one file per command."""
