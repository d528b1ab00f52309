"""Selectors: the SQL92 conditions of gets and subscriptions, from text to a compiled condition."""
