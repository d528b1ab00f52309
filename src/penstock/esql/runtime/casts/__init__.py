"""CAST, by target type."""
