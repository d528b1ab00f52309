"""Clients of a uniform cluster, balanced over its members."""
