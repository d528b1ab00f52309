"""Makes paths a compiled module: a Route runs them for every message."""
