"""The logical message: fields, types and groups, independent of their bytes.

A `Model` has messages and named physical formats; a format's properties of a field, a group or a type are
stored with it, under the format's name. Nothing here reads or writes bytes: `domain` compiles a message and a
format to a plan. Models do not change once they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.names import is_storable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.tree.core._arena import Domain

SIMPLE_TYPES = ("string", "integer", "decimal", "float", "boolean", "binary", "date", "time", "dateTime")
COMPOSITIONS = ("sequence", "choice", "all")
DEPTH_MAX = 64
TIMES_MAX = 0x7FFFFFFF
ABSENT: Any = object()  # no default


class Group:
    """Fields and groups in a sequence, as a choice or in any order; it has no name in the tree."""

    def __init__(
        self,
        *members: Field | Group,
        compose: str = "sequence",
        min: int = 1,
        max: int | None = 1,
        checks: Any = None,
        **formats: object,
    ) -> None:
        if compose not in COMPOSITIONS:
            raise error(mq.PSRC_MODEL_ERROR, f"a group is a {', '.join(COMPOSITIONS)}, not {compose!r}")
        firsts = 1 if isinstance(self, Type) else 0
        if any(isinstance(member, Value) for member in members[firsts:]):
            raise error(
                mq.PSRC_MODEL_ERROR, "a value is the first member of a type: it has no place in a group"
            )
        self.members = members
        self.compose = compose
        self.min, self.max = _occurrences("a group", min, max)
        self.checks = checks  # what must hold while it is parsed, or None; for imports that have tests
        self.formats = formats

    def fields(self) -> Iterator[Field]:
        """Yield the fields, including those of inner groups, not those of inner types."""
        for member in self.members:
            if isinstance(member, Field):
                yield member
            else:
                yield from member.fields()


class Type(Group):
    """The contents of a message or of a field with fields; a `Value` comes before the fields.

    In validation, an `open` type accepts unknown fields.
    """

    def __init__(self, *members: Field | Group, open: bool = False, **words: Any) -> None:
        super().__init__(*members, **words)
        self.open = open
        rest = members[1:] if members and isinstance(members[0], Value) else ()
        if rest and self.compose == "choice":
            raise error(
                mq.PSRC_MODEL_ERROR,
                "a type with a value of its own is a sequence, or its fields are in any order",
            )


class Field:
    """A named field: of a simple type, or with its own `Type`."""

    def __init__(
        self,
        name: str,
        type: str | Type = "string",
        *,
        min: int = 1,
        max: int | None = 1,
        default: object = ABSENT,
        values: tuple[object, ...] = (),
        namespace: str = "",
        nillable: bool | None = None,
        checks: Any = None,
        **formats: object,
    ) -> None:
        _check_name("a field", name)
        if isinstance(type, str) and type not in SIMPLE_TYPES:
            raise error(
                mq.PSRC_MODEL_ERROR,
                f"field {name}: type {type!r}; there are {', '.join(SIMPLE_TYPES)}",
                field=name,
            )
        self.name = name
        self.type = type
        self.min, self.max = _occurrences(f"field {name}", min, max)
        self.default = default
        self.values = values
        self.namespace = namespace
        self.nillable = nillable  # of a field with fields: whether it may be NULL; None if unspecified
        self.checks = checks
        self.formats = formats

    @property
    def has_default(self) -> bool:
        """Whether a missing field has a value."""
        return self.default is not ABSENT


class Value(Field):
    """The value that an element has beside its fields; it is the first member of the element's type."""

    def __init__(
        self,
        type: str = "string",
        *,
        default: object = ABSENT,
        values: tuple[object, ...] = (),
        **formats: Any,
    ) -> None:
        super().__init__("(value)", type, default=default, values=values, **formats)
        self.name = ""


class Model:
    """Messages, and the physical formats that they can have."""

    def __init__(
        self,
        name: str,
        messages: Mapping[str, Type],
        formats: Mapping[str, Any],
        *,
        namespace: str = "",
        notes: tuple[str, ...] = (),
        nillable: frozenset[str] | None = None,
    ) -> None:
        for message in messages:
            _check_name("a message", message)
        self.name = name
        self.notes = notes  # what an importer left out, with file and line
        self.messages = dict(messages)
        self.formats = dict(formats)
        self.namespace = namespace
        self.nillable = nillable  # messages that may be NULL themselves; None if unspecified
        self.domains: dict[tuple[str, str | None, str | None], Domain] = {}
        self.rules: dict[Type, Any] = {}  # of validation, when there has been one

    def domain(self, name: str, message: str | None, format: str | None) -> Domain:
        """Return the domain for a message in a format; either may be left out if there is only one."""
        known = self.domains.get((name, message, format))
        if known is None:
            chosen = self._only("message", message, self.messages)
            kind = self._only("format", format, self.formats)
            try:
                known = self.formats[kind].domain(name, self, chosen, kind)
            except UnicodeEncodeError as raised:
                text = f"{raised.object!a:.50} cannot be written in {raised.encoding}"
                raise error(mq.PSRC_MODEL_ERROR, f"model {self.name}, format {kind}: {text}") from raised
            self.domains[name, message, format] = known
        return known

    def _only(self, what: str, name: str | None, known: Mapping[str, object]) -> str:
        if name is None and len(known) == 1:
            return next(iter(known))
        if name is None or name not in known:
            raise error(
                mq.PSRC_DOMAIN_MODEL,
                f"model {self.name}: {'say which ' + what if name is None else f'no {what} {name!r}'};"
                f" there are {', '.join(sorted(known)) or 'none'}",
                model=self.name,
            )
        return name

    def __repr__(self) -> str:
        return f"<Model {self.name}: {', '.join(self.messages)} in {', '.join(self.formats)}>"


def checks_of(member: Field | Group) -> Any:
    """Return the tests of a field or group, including those of the field's type."""
    inner = member.type.checks if isinstance(member, Field) and isinstance(member.type, Group) else None
    return inner if member.checks is None else member.checks.around(inner)


def is_uncertain(member: Field | Group) -> bool:
    """Return whether only a test can determine how often something occurs."""
    return (member.min == 0 or member.max != 1) and has_tests(member)


def has_tests(member: Field | Group) -> bool:
    """Return whether a field or group, or anything inside it, has tests."""
    inner = member if isinstance(member, Group) else member.type
    if member.checks is not None or (isinstance(inner, Group) and inner.checks is not None):
        return True
    return isinstance(inner, Group) and any(map(has_tests, inner.members))


def check_depth(depth: int, name: str) -> int:
    """Return the depth one level further down; a recursive type never ends."""
    if depth >= DEPTH_MAX:
        raise error(
            mq.PSRC_MODEL_ERROR,
            f"{name}: types are nested more than {DEPTH_MAX} deep, or a type holds itself",
        )
    return depth + 1


def occurrences(outer: int, inner: int) -> int:
    """Return the product of two occurrence counts; -1 for no limit."""
    return -1 if outer < 0 or inner < 0 else min(outer * inner, TIMES_MAX)


def _check_name(what: str, name: str) -> None:
    if not name:
        raise error(mq.PSRC_MODEL_ERROR, f"{what} has a name")
    if not is_storable(name):
        raise error(
            mq.PSRC_MODEL_ERROR, f"{what} is named {name!a:.50}, which holds half of a surrogate pair"
        )


def _occurrences(what: str, least: int, most: int | None) -> tuple[int, int]:
    """Return how often something occurs, -1 for no limit."""
    if least < 0 or (most is not None and (most < least or most < 1)):
        raise error(mq.PSRC_MODEL_ERROR, f"{what} occurs {least} to {most} times, which is nothing")
    return least, -1 if most is None else most
