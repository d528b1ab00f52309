"""Durations for people."""

from __future__ import annotations

LENGTHS = {"d": 86400, "h": 3600, "min": 60, "s": 1}


def largest_units(seconds: float) -> list[tuple[int, str]]:
    """Return a duration in its two largest units: d, h, min, s.

    >>> largest_units(4), largest_units(75), largest_units(90061)
    ([(4, 's')], [(1, 'min'), (15, 's')], [(1, 'd'), (1, 'h')])
    """
    left = max(0, int(seconds))
    parts: list[tuple[int, str]] = []
    for unit, length in LENGTHS.items():
        count, left = divmod(left, length)
        if count or (unit == "s" and not parts):
            parts.append((count, unit))
    return parts[:2]
