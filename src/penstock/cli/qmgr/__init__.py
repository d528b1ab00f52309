"""`penstock qmgr`: queue managers as a whole; one file per command."""
