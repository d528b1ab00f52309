"""Selectors that look into bodies, or cost much: models, and a process of their own."""
