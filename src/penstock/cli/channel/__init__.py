"""`penstock channel`: message channels between queue managers; one file per command."""
