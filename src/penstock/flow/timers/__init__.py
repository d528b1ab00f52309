"""Timeout requests: read from a message, stored on a queue, fired when due."""
