"""Who users are: names, groups, passwords."""
