"""Makes values a compiled module: what expressions compare is made a text or a number for every message."""
