"""Room host."""
