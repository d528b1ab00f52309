"""`penstock topic`: topics of a queue manager; one file per command."""
