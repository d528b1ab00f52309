"""What a window cost: processor time, disk and memory, and what machine it was."""
