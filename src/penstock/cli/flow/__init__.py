"""`penstock flow`: what concerns message flows; one file per command."""
