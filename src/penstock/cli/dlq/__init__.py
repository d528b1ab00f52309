"""`penstock dlq`: messages on the dead-letter queue; one file per command."""
