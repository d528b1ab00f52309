"""Makes expression a compiled module: a Route asks its expressions about every message."""
