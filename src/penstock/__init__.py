"""Penstock: an MQ-style queue manager for Python people, and what grows on it."""

__version__ = "0.1.0"
