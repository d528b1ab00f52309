"""Makes library a compiled module: it is called for every message of an ESQL module."""
