"""A set of words, written as one text: for lists of keywords and names."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set.

    >>> sorted(words("FIRST LAST"))
    ['FIRST', 'LAST']
    """
    return frozenset(text.split())
