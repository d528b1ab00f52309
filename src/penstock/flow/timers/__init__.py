"""Timeout requests: read from a message, kept on a queue, due at their times."""
