"""Message groups and segments: logical order on both sides of a queue."""
