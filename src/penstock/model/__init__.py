"""Room model."""
