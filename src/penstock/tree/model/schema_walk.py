"""From schema documents to types and fields: common to the importers of XSD, message sets and DFDL.

`SchemaWalk` finds the fields: sequences, choices, all, groups, references, attributes, extensions, simple
types with enumerations. The subclass supplies a format's properties of a field or a group (`about_field`,
`about_group`). Value restrictions are ignored; what is left out is noted.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.model.logical import ABSENT, DEPTH_MAX, Field, Group, Type, Value
from penstock.tree.model.schema_documents import XML, XS, Node, whole, wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.tree.model.schema_documents import Documents

FIELDS_MAX = 200_000
COMPOSED = {XS + "sequence": "sequence", XS + "choice": "choice", XS + "all": "all"}
_INTEGERS = (
    *("integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger"),
    *("negativeInteger", "nonPositiveInteger", "unsignedInt", "unsignedLong", "unsignedShort"),
    "unsignedByte",
)
SIMPLE = {
    "decimal": "decimal",
    "float": "float",
    "double": "float",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "dateTime": "dateTime",
    "hexBinary": "binary",
    "base64Binary": "binary",
    **dict.fromkeys(_INTEGERS, "integer"),
}


_READ: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "decimal": Decimal,
    "float": float,
    "boolean": lambda said: said.strip() in ("true", "1"),
    "binary": bytes.fromhex,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
    "dateTime": dt.datetime.fromisoformat,
}


class Simple(NamedTuple):
    """A simple type: its name in models, that in XML Schema, and its base types, nearest first."""

    name: str
    base: str
    chain: tuple[Node, ...]

    @property
    def length(self) -> int | None:
        """The length from the nearest facet, None if there is none."""
        for node in self.chain:
            for name in ("length", "maxLength"):
                for found in node.iter(XS + name):
                    return whole(found, name, found.get("value"))
        return None


class SchemaWalk:
    """Walks the documents; one object serves one import."""

    has_defaults = True  # whether a default replaces a missing value: in XML it replaces an empty one

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.notes: dict[str, None] = {}
        self.count = 0
        self.contents: dict[Type, Simple] = {}  # of types with simple content: the type of their text

    def about_field(
        self, use: Node, declared: Node, kind: Simple | Type, is_attribute: bool
    ) -> dict[str, Any]:
        """Return the formats' properties of a field: `use` is its use, `declared` its declaration."""
        raise NotImplementedError

    def about_group(
        self, said: tuple[Node, ...], compose: str, members: list[Field | Group]
    ) -> dict[str, Any]:
        """Return the formats' properties of a group, the nearest node first; a type has no composition.

        The members may be changed to what the formats need.
        """
        return {}

    def checks_of_group(self, said: tuple[Node, ...]) -> Any:
        """Return the tests of a group while it is parsed, None for none."""
        return None

    def note(self, node: Node, what: str) -> None:
        """Report something that the model leaves out."""
        self.notes[f"{node.document.path}, line {node.line}: {what}"] = None

    def messages_of(
        self, elements: Iterable[Node], imported: Callable[[Node], Type | None], where: str
    ) -> dict[str, Type]:
        """Return the types of messages by name; one that cannot be imported is left out with a note.

        If there is none, the last failure is raised, or that there is no message in `where`.
        """
        found: dict[str, Type] = {}
        failure: MQError | None = None
        for element in elements:
            name = element.get("name")
            try:
                kind = imported(element)
            except MQError as problem:
                failure = problem
                self.note(element, f"message {name} is left out: {problem}")
                continue
            if kind is not None:
                found.setdefault(name, kind)
        if not found:
            raise failure or error(mq.PSRC_MODEL_ERROR, f"{where} with fields")
        return found

    def message(self, element: Node) -> Type | None:
        """Return the type of a global element, None if it has no fields."""
        kind = self.kind(element, 0)
        return self._with_value(element, element, kind) if isinstance(kind, Type) else None

    def declared(self, tag: str, said: Node, name: str) -> Node:
        """Return a global declaration; raise 8150 if there is none."""
        found = self.documents.declared(tag, said, name)
        if found is None:
            raise wrong(said, f"{tag} {name} is not in the schema")
        return found

    def kind(self, element: Node, depth: int) -> Simple | Type:
        """Return the type of an element or attribute."""
        self._deeper(element, depth)
        inline = element.find(XS + "complexType")
        if inline is not None:
            return self._complex(inline, depth + 1)
        simple = element.find(XS + "simpleType")
        if simple is not None:
            return self._simple(simple, depth + 1)
        return self._reference(element, element.get("type"), depth)

    def _deeper(self, node: Node, depth: int) -> None:
        self.count += 1
        if self.count > FIELDS_MAX:
            raise wrong(node, f"the model would have more than {FIELDS_MAX} parts")
        if depth >= DEPTH_MAX:
            raise wrong(node, f"types are nested more than {DEPTH_MAX} deep, or a type holds itself")

    def _reference(self, said: Node, name: str, depth: int) -> Simple | Type:
        if not name:
            return Simple("string", "string", ())
        found = self.documents.declared("complexType", said, name)
        if found is not None:
            return self._complex(found, depth + 1)
        found = self.documents.declared("simpleType", said, name)
        if found is not None:
            return self._simple(found, depth + 1)
        full = said.qualified(name)
        if not full.startswith(XS):
            raise wrong(said, f"type {name} is not in the schema")
        base = full.removeprefix(XS)
        return Simple(SIMPLE.get(base, "string"), base, ())

    def _simple(self, simple: Node, depth: int) -> Simple:
        self._deeper(simple, depth)
        restriction = simple.find(XS + "restriction")
        if restriction is None:
            return Simple("string", "string", (simple,))  # lists and unions
        inline = restriction.find(XS + "simpleType")
        if inline is not None:
            below: Simple | Type = self._simple(inline, depth + 1)
        else:
            below = self._reference(restriction, restriction.get("base"), depth + 1)
        if isinstance(below, Type):
            raise wrong(simple, f"{restriction.get('base')} is not a simple type")
        return Simple(below.name, below.base, (simple, *below.chain))

    def _complex(self, said: Node, depth: int) -> Type:
        """Return a type; one that is a single group is that group."""
        if said.get("mixed") in ("true", "1"):
            self.note(said, "text between elements (mixed content) is left out")
        content = said.find(XS + "simpleContent")
        if content is not None:
            return self._simple_content(said, content, depth + 1)
        members = list(self._members(said, depth))
        about = self.about_group((said,), "", members)
        only = members[0] if len(members) == 1 else None
        if isinstance(only, Group) and (only.min, only.max) == (1, 1):
            inside = {**only.formats, **about}
            return Type(*only.members, compose=only.compose, checks=only.checks, **inside)
        return Type(*members, **about)

    def _simple_content(self, said: Node, content: Node, depth: int) -> Type:
        """Return a type of attributes, and remember the type of its text."""
        self._deeper(said, depth)
        derived = content.find(XS + "extension") or content.find(XS + "restriction")
        if derived is None:
            raise wrong(content, "simple content is an extension or a restriction")
        base = self._reference(derived, derived.get("base"), depth)
        inline = derived.find(XS + "simpleType")
        below = self.contents.get(base) if isinstance(base, Type) else base
        simple = below if inline is None else self._simple(inline, depth)
        if simple is None:
            raise wrong(derived, f"{derived.get('base')} has fields, so it is no base of simple content")
        own = [each for each in self._members(derived, depth) if isinstance(each, Field)]
        restated = self._restated(derived, depth)
        inherited = base.members if isinstance(base, Type) else ()
        members = [
            *(each for each in inherited if isinstance(each, Field) and each.name not in restated),
            *own,
        ]
        kind = Type(*members, **self.about_group((said,), "", list(members)))
        self.contents[kind] = Simple(simple.name, simple.base, (derived, *simple.chain))
        return kind

    def _with_value(self, use: Node, declared: Node, kind: Type) -> Type:
        """Return a type with the value of its simple content; an element determines its form."""
        content = self.contents.get(kind)
        if content is None:
            return kind
        about = self.about_field(use, declared, content, False)
        value = Value(content.name, values=_values(content), **about)
        return Type(value, *kind.members, open=kind.open, **kind.formats)

    def _members(self, parent: Node, depth: int) -> Iterator[Field | Group]:
        """Yield the members of a complex type or a group, attributes included."""
        self._deeper(parent, depth)
        for child in parent:
            yield from self._member(child, depth + 1)

    def _member(self, child: Node, depth: int) -> Iterator[Field | Group]:
        kind = child.tag.removeprefix(XS)
        if child.tag in COMPOSED:
            yield from self._group(child, (child,), child, depth)
        elif kind == "element":
            yield from self._element(child, depth)
        elif kind == "attribute":
            yield from self._attribute(child, depth)
        elif kind == "group":
            found = self.declared("group", child, child.get("ref"))
            inner = next((each for each in found if each.tag in COMPOSED), None)
            if inner is None:
                raise wrong(found, "a group has a sequence, a choice or all")
            yield from self._group(child, (child, inner, found), inner, depth)
        elif kind == "attributeGroup":
            yield from self._members(self.declared(kind, child, child.get("ref")), depth)
        elif kind == "complexContent":
            yield from self._members(child, depth)
        elif kind == "restriction":
            yield from self._members(child, depth)
            yield from self._inherited(child, depth)
        elif kind == "extension":
            if child.qualified(child.get("base")) != XS + "anyType":
                yield from self._members(self.declared("complexType", child, child.get("base")), depth)
            yield from self._members(child, depth)
        elif kind in ("any", "anyAttribute"):
            self.note(child, f"{kind}: the model does not support undeclared content")

    def _inherited(self, restriction: Node, depth: int) -> Iterator[Field | Group]:
        """Yield the attributes of a base that a restriction does not mention."""
        base = self.documents.declared("complexType", restriction, restriction.get("base"))
        restated = self._restated(restriction, depth)
        for member in self._members(base, depth) if base is not None else ():
            if isinstance(member, Field) and member.name not in restated:
                yield member

    def _restated(self, parent: Node, depth: int) -> set[str]:
        """Return the names of the attributes that a derived type mentions, itself or by groups.

        Only a restriction prohibits attributes; XML Schema ignores that in groups and extensions.
        """
        self._deeper(parent, depth)
        names: set[str] = set()
        for child in parent:
            if child.tag == XS + "attributeGroup":
                group = self.declared("attributeGroup", child, child.get("ref"))
                names |= self._restated(group, depth + 1)
            elif child.tag == XS + "attribute":
                if child.get("use") != "prohibited" or parent.tag == XS + "restriction":
                    names.add((child.get("name") or child.get("ref")).rpartition(":")[2])
        return names

    def _group(self, use: Node, said: tuple[Node, ...], composed: Node, depth: int) -> Iterator[Group]:
        least, most = occurrences(use)
        members = list(self._members(composed, depth))
        checks = self.checks_of_group(said)
        if most == 0 or not (members or checks):
            return
        compose = COMPOSED[composed.tag]
        about = self.about_group(said, compose, members)
        yield Group(*members, compose=compose, min=least, max=most, checks=checks, **about)

    def _element(self, use: Node, depth: int) -> Iterator[Field | Group]:
        least, most = occurrences(use)
        if most == 0:
            return self.note(use, f"{use.get('name') or use.get('ref')} occurs 0 times and is left out")
        declared = self.declared("element", use, use.get("ref")) if use.get("ref") else use
        kind = self.kind(declared, depth)
        yield self.made(use, declared, kind, least, most)

    def made(
        self, use: Node, declared: Node, kind: Simple | Type, least: int, most: int | None
    ) -> Field | Group:
        """Return the field for an element."""
        if isinstance(kind, Type):
            kind = self._with_value(use, declared, kind)
        about = self.about_field(use, declared, kind, False)
        return self._field(declared, kind, least, most, about)

    def _attribute(self, use: Node, depth: int) -> Iterator[Field]:
        if use.get("use") == "prohibited":
            return
        if use.qualified(use.get("ref")).startswith(XML):
            return self.note(use, f"attribute {use.get('ref')} of XML itself is left out")
        declared = self.declared("attribute", use, use.get("ref")) if use.get("ref") else use
        kind = self.kind(declared, depth)
        about = self.about_field(use, declared, kind, True)
        yield self._field(declared, kind, 1 if use.get("use") == "required" else 0, 1, about)

    def _field(
        self, declared: Node, kind: Simple | Type, least: int, most: int | None, about: dict[str, Any]
    ) -> Field:
        name = declared.get("name")
        if not name:
            raise wrong(declared, "an element or attribute has a name")
        if isinstance(kind, Type):
            nillable = declared.get("nillable") in ("true", "1")
            return Field(name, kind, min=least, max=most, nillable=nillable, **about)
        default = self._default(declared, kind)
        return Field(name, kind.name, min=least, max=most, default=default, values=_values(kind), **about)

    def _default(self, declared: Node, kind: Simple) -> Any:
        """Return the default of a missing field, if the schema has one."""
        said = declared.attributes.get("default", declared.attributes.get("fixed"))
        if said is None or not self.has_defaults:
            return ABSENT
        try:
            return _READ.get(kind.name, str)(said)
        except (ValueError, ArithmeticError):
            self.note(declared, f"default {said[:60]!r} is no {kind.name} and is left out")
            return ABSENT


def _values(simple: Simple) -> tuple[object, ...]:
    """Return the enumeration of a simple type, from the nearest base that has one."""
    return next((found for node in simple.chain if (found := _enumerated(node))), ())


def _enumerated(simple: Node) -> tuple[object, ...]:
    """Return the values that a restriction lists itself, without those of unions, items and attributes."""
    restriction = simple if simple.tag == XS + "restriction" else simple.find(XS + "restriction")
    inside = () if restriction is None else restriction.children
    return tuple(each.get("value") for each in inside if each.tag == XS + "enumeration")


def occurrences(said: Node) -> tuple[int, int | None]:
    """Return how often something occurs, None for no limit."""
    least, most = said.get("minOccurs", "1"), said.get("maxOccurs", "1")
    return (
        whole(said, "minOccurs", least),
        None if most == "unbounded" else whole(said, "maxOccurs", most),
    )
