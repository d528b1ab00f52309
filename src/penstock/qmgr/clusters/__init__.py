"""Clusters: what this queue manager knows of others, and which of them gets a message."""
