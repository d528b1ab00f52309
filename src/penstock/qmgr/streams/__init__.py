"""Streaming queues (STREAMQ)."""
