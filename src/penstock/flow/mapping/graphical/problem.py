"""What a map uses that cannot be run."""

from __future__ import annotations


class CannotMap(Exception):
    """A map cannot be run; the text is the reason."""
