"""`penstock user`: the users of a home, their groups and passwords; one file per command."""
