"""Whether a tree is what a model says: nothing missing, too often, unknown, or of a value not listed.

Parsers take what they can read; this is for validation, behind `penstock.tree.validated`. It looks at names,
at occurrences, counted over all groups of a type, and at listed values; not at the order of fields, nor at
a choice of which nothing is there. A model that an importer left something out of (`notes`) may meet
fields that it does not have.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from penstock.model.errors import error
from penstock.tree.model.logical import Field, Type, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.tree._message import Message
    from penstock.tree._reference import Reference
    from penstock.tree.model.logical import Group, Model

SHOWN_MAX = 10  # problems in the text of an error
_XML = "http://www.w3.org/XML/1998/namespace"
_NUMBERS = (int, float, Decimal)
Bounds = dict[str, tuple[int, int]]  # by name: how often at least and at most, -1 for no limit


def check(message: Message, model: Model, name: str | None) -> None:
    """Raise 8152 with the first things that are wrong with a parsed message of a model."""
    kind = model.messages[name] if name else next(iter(model.messages.values()))
    body = message.body
    assert body is not None
    found: list[str] = []
    for problem in _problems(body, kind, is_open=bool(model.notes)):
        found.append(problem)
        if len(found) == SHOWN_MAX:
            break
    if found:
        raise error(8152, "; ".join(found), model=model.name)


def _problems(body: Reference, kind: Type, is_open: bool) -> Iterator[str]:
    bounds: dict[int, Bounds] = {}
    waiting: list[tuple[str, Reference, Type]] = [("", body, kind)]
    while waiting:
        where, at, kind = waiting.pop()
        if id(kind) not in bounds:
            bounds[id(kind)] = _bounds(kind)
        fields = _by_name(kind)
        counts: dict[str, int] = {}
        if kind.members and isinstance(kind.members[0], Value):
            yield from _value_problems(where or "the message", kind.members[0], at.value)
        for child in at:
            known = fields.get(child.name, ())
            field = known[0] if len(known) == 1 else None
            path = f"{where}.{child.name}" if where else child.name
            counts[child.name] = counts.get(child.name, 0) + 1
            if not known and not is_open and child.namespace != _XML:
                yield f"{path} is not in the model"
            if field is None:
                continue
            if isinstance(field.type, Type):
                waiting.append((path, child, field.type))
            else:
                yield from _value_problems(path, field, child.value)
        yield from _count_problems(where, bounds[id(kind)], counts)


def _by_name(kind: Type) -> dict[str, list[Field]]:
    """Return the fields of a type; of several with one name nobody knows here which one is meant."""
    found: dict[str, list[Field]] = {}
    for field in kind.fields():
        if not isinstance(field, Value):
            found.setdefault(field.name, []).append(field)
    return found


def _count_problems(where: str, bounds: Bounds, counts: dict[str, int]) -> Iterator[str]:
    for name, (least, most) in bounds.items():
        count = counts.get(name, 0)
        path = f"{where}.{name}" if where else name
        if count < least:
            yield f"{path} occurs {count} times, at least {least}" if count else f"{path} is missing"
        elif 0 <= most < count:
            yield f"{path} occurs {count} times, at most {most}"


def _bounds(group: Group) -> Bounds:
    """Return how often each field may occur in a group; of a choice only what all alternatives need."""
    found: Bounds = {}
    inner = [_member_bounds(member) for member in group.members if not isinstance(member, Value)]
    for name in dict.fromkeys(name for each in inner for name in each):
        pairs = [each.get(name, (0, 0)) for each in inner]
        if group.compose == "choice":
            found[name] = min(pair[0] for pair in pairs), _most(pairs)
        else:
            unlimited = any(most < 0 for _, most in pairs)
            found[name] = (
                sum(least for least, _ in pairs),
                -1 if unlimited else sum(most for _, most in pairs),
            )
    return {name: _times(pair, group.min, group.max) for name, pair in found.items()}


def _member_bounds(member: Field | Group) -> Bounds:
    if isinstance(member, Field):
        return {member.name: (0 if member.has_default else member.min, member.max)}
    return _bounds(member)


def _most(pairs: list[tuple[int, int]]) -> int:
    return -1 if any(most < 0 for _, most in pairs) else max(most for _, most in pairs)


def _times(pair: tuple[int, int], least: int, most: int) -> tuple[int, int]:
    return pair[0] * least, -1 if pair[1] < 0 or (most < 0 and pair[1]) else pair[1] * most


def _value_problems(path: str, field: Field, value: Any) -> Iterator[str]:
    if field.values and value is not None and not any(_is_one(value, each) for each in field.values):
        yield f"{path} is {str(value)[:60]!r}, which is none of its values"


def _is_one(value: Any, allowed: Any) -> bool:
    """Whether a value is an allowed one, or within a range; schemas write theirs as text."""
    if isinstance(allowed, tuple):
        low, high = (_like(value, each) for each in allowed)
        return low is None or high is None or bool(low <= _like(value, value) <= high)
    wanted = _like(value, allowed)
    return wanted is None or bool(wanted == _like(value, value))


def _like(value: Any, other: Any) -> Any:
    """Return something in the type that a value is compared in; None when the two cannot be."""
    if isinstance(value, str):
        return str(other).strip()
    if isinstance(value, bool):
        return str(other).strip().lower() in ("true", "1")
    if isinstance(value, _NUMBERS):
        try:
            return Decimal(str(other).strip())
        except InvalidOperation:
            return None
    return None
