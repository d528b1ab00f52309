"""LIKE patterns: % for any run of characters, _ for exactly one.

The pattern is cut at its % into pieces; the first and the last are anchored, and each piece between
them is taken at the first place where it fits, which is enough because % takes whatever is left.
So a match costs at most pattern times text, never more; `searching` says how much. Called by `selector` at
compile time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ANY_ONE = None  # represents _ in a piece; strings are literal text


def like(pattern: str, escape: str = "") -> Callable[[str], bool]:
    """Return the test of a LIKE pattern.

    >>> like("a%b_")("a--bc"), like("10!%", "!")("10%"), like("10!%", "!")("100")
    (True, True, False)
    """
    pieces = _pieces(pattern, escape)
    if len(pieces) == 1:
        whole = _expression(pieces[0])
        return lambda text: whole.fullmatch(text) is not None
    if len(pieces) == 2 and ANY_ONE not in pieces[0] and ANY_ONE not in pieces[1]:
        return _ends("".join(map(str, pieces[0])), "".join(map(str, pieces[1])))
    return _search(pieces)


def searching(pattern: str, escape: str = "") -> int:
    """Return how many comparisons a pattern may need for each character of a text; 0 if it is not searched.

    >>> searching("a%b_"), searching("%b%"), searching("%b_c%")
    (0, 1, 3)
    """
    middle = _pieces(pattern, escape)[1:-1]
    return max((len(piece) if ANY_ONE in piece else 1 for piece in middle if piece), default=0)


def _pieces(pattern: str, escape: str) -> list[list[str | None]]:
    """Cut the pattern at its wildcards %."""
    pieces: list[list[str | None]] = [[]]
    escaped = False
    for character in pattern:
        if character == escape and not escaped:
            escaped = True
            continue
        if character == "%" and not escaped:
            pieces.append([])
        else:
            pieces[-1].append(ANY_ONE if character == "_" and not escaped else character)
        escaped = False
    return pieces


def _expression(piece: list[str | None]) -> re.Pattern[str]:
    """A regular expression without repetition: it cannot backtrack."""
    return re.compile("".join("." if part is ANY_ONE else re.escape(part) for part in piece), re.DOTALL)


def _ends(head: str, tail: str) -> Callable[[str], bool]:
    """`head%tail`, by far the commonest form."""
    shortest = len(head) + len(tail)
    if not tail:
        return lambda text: text.startswith(head)
    return lambda text: len(text) >= shortest and text.startswith(head) and text.endswith(tail)


def _search(pieces: list[list[str | None]]) -> Callable[[str], bool]:
    head, *middle, tail = (_expression(piece) for piece in pieces)
    middle = [expression for expression in middle if expression.pattern]
    tail_length = len(pieces[-1])

    def test(text: str) -> bool:
        found = head.match(text)
        for expression in middle:
            if found is None:
                return False
            found = expression.search(text, found.end())
        start = len(text) - tail_length
        return found is not None and found.end() <= start and tail.match(text, start) is not None

    return test
