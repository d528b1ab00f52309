"""Numbers for readers: three or four digits that mean something."""

from __future__ import annotations


def number(value: float | None) -> str:
    """Write a number to a precision that a measurement can have.

    >>> number(12345.6), number(123.4), number(1.2345), number(0.00123), number(4.0)
    ('12,346', '123', '1.23', '0.0012', '4')
    """
    if value is None:
        return ""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if size >= 0.1 else f"{value:.2g}"


def count(value: int) -> str:
    """Write a count."""
    return f"{value:,}"
