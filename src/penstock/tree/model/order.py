"""The order of fields in a type: which fields may follow each other, and which must be between.

`Order` is made once for a type and applied to the children of each element (`conformity` does). It compares
one child with the next: whether the model has them in this order, as alternatives, or with a required field
between them. Occurrences are counted elsewhere, so this reports a missing field only where counting cannot
find it: in groups that are optional, repeat or are chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.tree.model.logical import Field, Group, Value
from penstock.tree.model.xml import Xml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NAMES_SHOWN_MAX = 10
STEPS_MAX = 10_000  # remembered of a type; some 2 MB
Path = tuple[tuple[Group, int], ...]  # from the type down: each group, and which member of it


class _Place(NamedTuple):
    """The position of a field in a type."""

    name: str
    path: Path
    most: int = 1


class _Problem(NamedTuple):
    """Why something may not follow another."""

    text: str
    is_missing: bool = False  # and not that the order is wrong


_UNKNOWN = _Problem("")


class Order:
    """The order of the fields of a type; attributes have none."""

    def __init__(self, kind: Group) -> None:
        self.places: dict[str, list[_Place]] = {}
        for place in _places(kind, ()):
            self.places.setdefault(place.name, []).append(place)
        self.start = _Place("", ((kind, -1),))
        self.end = _Place("", ((kind, len(kind.members)),))
        self.steps: dict[tuple[int, int], _Problem | None] = {}  # by the places of a child and the next

    def problem(self, names: Iterable[str], *, is_open: bool) -> str:
        """Return the first error in the order of some fields, empty if there is none.

        `is_open` is for an incomplete model: a field that seems to be missing may only be unknown to it.
        """
        before = [self.start]
        for name in names:
            after = self.places.get(name)
            if after is None:
                continue
            ways = [each for each in after if any(not self._step(one, each, is_open) for one in before)]
            if not ways:
                return self._step(before[0], after[0], is_open)
            before = ways
        ends = [self._step(one, self.end, is_open) for one in before]
        return "" if "" in ends else ends[0]

    def _step(self, before: _Place, after: _Place, is_open: bool) -> str:
        """Return why a field may not directly follow another, empty if it may."""
        key = (id(before), id(after))
        found = self.steps.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            if len(self.steps) >= STEPS_MAX:
                self.steps.clear()
            found = self.steps[key] = _wrong(before, after)
        return "" if found is None or (is_open and found.is_missing) else found.text


def _places(group: Group, path: Path) -> Iterator[_Place]:
    for at, member in enumerate(group.members):
        here = (*path, (group, at))
        if isinstance(member, Group):
            yield from _places(member, here)
        elif not isinstance(member, Value) and not _is_attribute(member):
            yield _Place(member.name, here, member.max)


def _wrong(before: _Place, after: _Place) -> _Problem | None:
    """Return why one position may not follow another, directly or in the next repetition of a group."""
    depth = _common(before.path, after.path)
    problem = _wrong_on_the_way(before, after, depth)
    if problem is None:
        return None
    for level in range(depth, 0, -1):
        if before.path[level][0].max != 1:
            missing = next(_missing(before.path, after.path, level), None)
            if missing is None or problem.is_missing:
                return missing
            problem = missing
    return problem


def _wrong_on_the_way(before: _Place, after: _Place, depth: int) -> _Problem | None:
    group, first = before.path[depth]
    second = after.path[depth][1]
    if before is after:
        if before.most != 1 or not _is_inexact(before.path, depth):
            return None  # how often is counted elsewhere
        return _Problem(f"{after.name} comes twice")
    if group.compose == "choice" and before.name and after.name:
        return _Problem(f"{before.name} and {after.name} are alternatives, but both are there")
    if group.compose == "sequence" and first > second:
        return _Problem(f"{after.name} follows {before.name}, but precedes it in the model")
    passed = next(_needed(group, first + 1, second, _is_inexact(before.path, depth)), None)
    if group.compose == "choice" and not (before.name or after.name):
        passed = None if _is_optional(group) else _Problem(f"none of {_called(group)} is there", True)
    return passed or next(_missing(before.path, after.path, depth + 1), None)


def _common(before: Path, after: Path) -> int:
    """Return the depth of the innermost common group of two positions; a group may be a member twice."""
    depth = 0
    while min(len(before), len(after)) > depth + 1 and before[depth][1] == after[depth][1]:
        depth += 1
    return depth


def _missing(before: Path, after: Path, level: int) -> Iterator[_Problem]:
    """Yield what must be between one position and another in the groups from a level on."""
    for depth in range(len(before) - 1, level - 1, -1):
        group, at = before[depth]
        yield from _needed(group, at + 1, len(group.members), _is_inexact(before, depth))
    for depth in range(level, len(after)):
        group, at = after[depth]
        yield from _needed(group, 0, at, _is_inexact(after, depth))


def _is_inexact(path: Path, depth: int) -> bool:
    """Return whether counting cannot find missing fields of a group, because its occurrences are unknown."""
    return any(
        path[at][0].min == 0 or path[at][0].max != 1 or path[at - 1][0].compose == "choice"
        for at in range(1, depth + 1)
    )


def _needed(group: Group, first: int, end: int, is_inexact: bool) -> Iterator[_Problem]:
    """Yield the required members of a sequence that are not counted."""
    for member in group.members[first:end] if group.compose == "sequence" else ():
        if _is_optional(member):
            continue
        if isinstance(member, Group) and member.compose == "choice":
            yield _Problem(f"none of {_called(member)} is there", True)
        elif isinstance(member, Group):
            yield from _needed(member, 0, len(member.members), is_inexact)
        elif is_inexact:
            yield _Problem(f"{member.name} is missing in a group of which there is something", True)


def _is_optional(member: Field | Group) -> bool:
    if isinstance(member, Field):
        return member.min == 0 or member.has_default or isinstance(member, Value) or _is_attribute(member)
    if member.min == 0 or not member.members:
        return True
    inner = map(_is_optional, member.members)
    return any(inner) if member.compose == "choice" else all(inner)


def _is_attribute(member: Field) -> bool:
    return any(isinstance(said, Xml) and said.render == "attribute" for said in member.formats.values())


def _called(choice: Group) -> str:
    names = list(dict.fromkeys(field.name for field in choice.fields()))
    return ", ".join(names[:NAMES_SHOWN_MAX]) + (" ..." if len(names) > NAMES_SHOWN_MAX else "")
