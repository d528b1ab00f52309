"""Backups, media images, and what is rebuilt from them."""
