"""The folder of a queue manager: its lock, its settings, its identity."""
