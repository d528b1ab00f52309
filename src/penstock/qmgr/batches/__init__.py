"""Batches of an outside engine: reservations, prepared outputs, and what a restart finds of them."""
