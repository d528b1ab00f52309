"""Makes library a compiled module: every message that comes to an ESQL module goes through it."""
