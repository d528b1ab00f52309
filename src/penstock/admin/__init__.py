"""Room admin."""
