"""Patterns in which `*` matches any characters: channel profiles, client users, host names, DN values.

`star_matches` defines the meaning of a pattern, `StarIndex` finds the patterns that match a name among very
many without trying each. Called by the other modules of this package and by DISPLAY CHLAUTH. Invariant:
`StarIndex.matching(name)` holds exactly the values whose pattern `star_matches` the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STAR = "*"
Value = TypeVar("Value")


def star_matches(pattern: str, name: str) -> bool:
    """Match a pattern: `*` is any characters, at any position.

    >>> star_matches("APP.*.SVRCONN", "APP.ONE.SVRCONN"), star_matches("APP.*", "DEV.ONE")
    (True, False)
    """
    pieces = pattern.split(STAR)
    if len(pieces) == 1:
        return pattern == name
    if not name.startswith(pieces[0]) or not name.endswith(pieces[-1]):
        return False
    position, end = len(pieces[0]), len(name) - len(pieces[-1])
    for piece in pieces[1:-1]:
        place = name.find(piece, position, end)
        if place < 0:
            return False
        position = place + len(piece)
    return position <= end


def star_specificity(pattern: str) -> tuple[int, ...]:
    """Return a key that is greater for the more specific pattern.

    One without `*` beats all others; of two others, read from left to right, a letter beats a `*`.
    """
    if STAR not in pattern:
        return (1,)
    return (0, *(letter != STAR for letter in pattern))


class StarIndex(Generic[Value]):
    """Values by pattern. The cost of a lookup depends on the length of the name, not on the number of
    patterns.

    Generic patterns are stored by the text before their first and after their last `*`; only patterns that
    share both are tried one by one.
    """

    __slots__ = ("_exact", "_generic", "_lengths")

    def __init__(self) -> None:
        self._exact: dict[str, Value] = {}
        self._generic: dict[str, dict[str, dict[str, Value]]] = {}
        self._lengths: dict[int, int] = {}  # of prefixes: how many there are

    def __bool__(self) -> bool:
        return bool(self._exact) or bool(self._generic)

    def get(self, pattern: str) -> Value | None:
        """Return the value of exactly this pattern."""
        if STAR not in pattern:
            return self._exact.get(pattern)
        prefix, suffix = _ends(pattern)
        return self._generic.get(prefix, {}).get(suffix, {}).get(pattern)

    def ensure(self, pattern: str, make: Callable[[], Value]) -> Value:
        """Return the value of a pattern, created if necessary."""
        found = self.get(pattern)
        if found is not None:
            return found
        made = make()
        if STAR not in pattern:
            self._exact[pattern] = made
            return made
        prefix, suffix = _ends(pattern)
        if prefix not in self._generic:
            self._generic[prefix] = {}
            self._lengths[len(prefix)] = self._lengths.get(len(prefix), 0) + 1
        self._generic[prefix].setdefault(suffix, {})[pattern] = made
        return made

    def remove(self, pattern: str) -> None:
        """Remove a pattern; KeyError if it does not exist."""
        if STAR not in pattern:
            del self._exact[pattern]
            return
        prefix, suffix = _ends(pattern)
        by_suffix = self._generic[prefix]
        del by_suffix[suffix][pattern]
        if not by_suffix[suffix]:
            del by_suffix[suffix]
        if not by_suffix:
            del self._generic[prefix]
            self._lengths[len(prefix)] -= 1
            if not self._lengths[len(prefix)]:
                del self._lengths[len(prefix)]

    def matching(self, name: str) -> Iterator[tuple[str, Value]]:
        """Yield the patterns that match a name, with their values; in no particular order."""
        exact = self._exact.get(name)
        if exact is not None:
            yield name, exact
        for length in self._lengths:
            by_suffix = self._generic.get(name[:length]) if length <= len(name) else None
            if by_suffix is not None:
                yield from _with_suffix(by_suffix, name, length)


def _with_suffix(
    by_suffix: dict[str, dict[str, Value]], name: str, prefix_length: int
) -> Iterator[tuple[str, Value]]:
    for start in range(prefix_length, len(name) + 1):
        for pattern, value in by_suffix.get(name[start:], {}).items():
            if star_matches(pattern, name):
                yield pattern, value


def _ends(pattern: str) -> tuple[str, str]:
    return pattern[: pattern.index(STAR)], pattern[pattern.rindex(STAR) + 1 :]
