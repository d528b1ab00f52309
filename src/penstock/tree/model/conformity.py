"""Checks a tree against a model: missing, surplus and unknown fields, and values that are not listed.

Parsers accept what they can read; this is for validation, behind `penstock.tree.validated`. It checks names,
occurrences, counted over all groups of a type, listed values, NULL for an element with fields, and the order
of fields and choices (`order`). If an importer left something out of a model (`notes`), unknown fields are
accepted.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model.logical import Field, Type, Value
from penstock.tree.model.order import Order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.tree.core._message import Message
    from penstock.tree.core._reference import Reference
    from penstock.tree.model.logical import Group, Model

SHOWN_MAX = 10  # problems in the text of an error
_XML = "http://www.w3.org/XML/1998/namespace"
_NUMBERS = (int, float, Decimal)
Bounds = dict[str, tuple[int, int]]  # by name: minimum and maximum occurrences, -1 for no limit


def check(message: Message, model: Model, name: str | None) -> None:
    """Raise 8152 with the first problems of a parsed message of a model."""
    chosen = name or next(iter(model.messages))
    kind = model.messages[chosen]
    body = message.body
    assert body is not None
    found: list[str] = []
    may_be_null = None if model.nillable is None else chosen in model.nillable
    for problem in _problems(_Waiting("", body, kind, may_be_null), model):
        found.append(problem)
        if len(found) == SHOWN_MAX:
            break
    if found:
        raise error(mq.PSRC_MODEL_BROKEN, "; ".join(found), model=model.name)


class _Rules:
    """The rules of a type for its elements; made once for a model."""

    def __init__(self, kind: Type, *, is_open: bool) -> None:
        self.value = kind.members[0] if kind.members and isinstance(kind.members[0], Value) else None
        self.fields: dict[str, list[Field]] = {}
        for field in kind.fields():
            if not isinstance(field, Value):
                self.fields.setdefault(field.name, []).append(field)
        self.bounds = _bounds(kind)
        self.order = Order(kind)
        places = self.order.places
        self.attribute_bounds = {name: each for name, each in self.bounds.items() if name not in places}
        self.is_open = is_open or kind.open

    def only(self, name: str) -> Field | None:
        """Return the field of a name; None if several have it: it is unknown which one is meant."""
        known = self.fields.get(name, ())
        return known[0] if len(known) == 1 else None

    def is_foreign(self, child: Reference) -> bool:
        """Return whether a child of another namespace has the name of a field."""
        space = child.namespace
        return space != "" and all(space != field.namespace for field in self.fields.get(child.name, ()))


class _Waiting(NamedTuple):
    """An element that is still to be checked."""

    where: str
    at: Reference
    kind: Type
    nillable: bool | None


def _problems(root: _Waiting, model: Model) -> Iterator[str]:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        where, kind = element.where, element.kind
        if kind not in model.rules:
            model.rules[kind] = _Rules(kind, is_open=bool(model.notes))
        said: _Rules = model.rules[kind]
        names: list[str] = []
        if said.value is not None:
            yield from _value_problems(where or "the message", said.value, element.at.value)
        is_null = _is_null(element, said)
        if is_null:
            yield from _null_problems(element, said)
        for child in element.at:
            name, path = child.name, f"{where}.{child.name}" if where else child.name
            if said.is_open and said.is_foreign(child):
                continue
            field = said.only(name)
            names.append(name)
            if name not in said.fields and not said.is_open and child.namespace != _XML:
                yield f"{path} is not in the model"
            if field is not None and isinstance(field.type, Type):
                waiting.append(_Waiting(path, child, field.type, field.nillable))
            elif field is not None:
                yield from _value_problems(path, field, child.value)
        yield from _count_problems(where, said.attribute_bounds if is_null else said.bounds, names)
        problem = "" if is_null else said.order.problem(names, is_open=said.is_open)
        if problem:
            yield f"{where}: {problem}" if where else problem


def _is_null(element: _Waiting, said: _Rules) -> bool:
    """Return whether an element with fields is NULL itself (xsi:nil): then it has at most attributes."""
    return said.value is None and element.at.has_value and element.at.value is None


def _null_problems(element: _Waiting, said: _Rules) -> Iterator[str]:
    where = element.where or "the message"
    if element.nillable is False:
        yield f"{where} is NULL, which the model does not allow"
    elif any(child.name in said.order.places for child in element.at):
        yield f"{where} is NULL, but holds fields"


def _count_problems(where: str, bounds: Bounds, names: list[str]) -> Iterator[str]:
    counts = Counter(names)
    for name, (least, most) in bounds.items():
        count = counts[name]
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
        yield f"{path} is {str(value)[:60]!r}, which is not one of its values"


def _is_one(value: Any, allowed: Any) -> bool:
    """Return whether a value is an allowed one, or within a range; schemas write theirs as text."""
    if isinstance(allowed, tuple):
        low, high = (_like(value, each) for each in allowed)
        return low is None or high is None or bool(low <= _like(value, value) <= high)
    wanted = _like(value, allowed)
    return wanted is None or bool(wanted == _like(value, value))


def _like(value: Any, other: Any) -> Any:
    """Return a limit in the type of the value it is compared with; None if they cannot be compared."""
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
