"""`penstock home`: PENSTOCK_HOME as a whole; one file per command."""
