"""Batches of an external engine: reservations, prepared outputs, and their recovery."""
