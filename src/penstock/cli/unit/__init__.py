"""`penstock unit`: prepared units of work that wait for a decision; one file per command."""
