"""Makes strings a compiled module: `||` and its like are called for every row of a SELECT."""
