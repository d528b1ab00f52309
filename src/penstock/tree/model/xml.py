"""MRM XML in a model: the XML form of a model's fields, compiled to a plan.

`XmlFormat` is a format of a model, `Xml` its properties of a field: whether it is an element or an attribute,
its name, and whether its value is in an attribute. Prefixes are declared on the root; a model with one
namespace for all its elements has it as the default one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import quoteattr

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model.logical import TIMES_MAX, Field, Group, Value, occurrences
from penstock.tree.model.text_codecs import text_codec
from penstock.tree.xml._mrm import AS_ATTRIBUTE, AS_ELEMENT, MrmXmlDomain, XmlPart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.tree.model.logical import Model

RENDERINGS = (
    "element",
    "attribute",
    "element attribute id",
    "element attribute value",
    "element attribute id value",
)


@dataclass(frozen=True, slots=True)
class Xml:
    """XML's properties of a field; see docs/reference/message-models.md."""

    render: str = "element"
    name: str = ""
    namespace: str | None = None
    id_name: str = "id"
    id_value: str = ""
    value_name: str = "value"
    format: str = ""
    binary: str = "hex"


@dataclass(frozen=True, slots=True)
class XmlFormat:
    """The format XML; the root element has the name of the message by default."""

    root: str = ""
    namespace: str | None = None
    declaration: bool = False
    ccsid: int = 0

    kind = "XML"

    def domain(self, name: str, model: Model, message: str, format: str) -> MrmXmlDomain:
        """Return the domain for one message of a model."""
        compiler = _Compiler(self, model, format)
        root = compiler.compiled(message)
        namespaces = bool(model.namespace)
        return MrmXmlDomain(name, root, declaration=self.declaration, namespaces=namespaces, ccsid=self.ccsid)


class _Placed(NamedTuple):
    """A field, its occurrences in its type, and the group that repeats it, if any."""

    field: Field
    least: int
    most: int
    loop: int


class _Compiler:
    def __init__(self, settings: XmlFormat, model: Model, format: str) -> None:
        self.model = model
        self.format = format
        self.root_name = settings.root
        self.root_namespace = model.namespace if settings.namespace is None else settings.namespace
        self.prefixes: dict[str, str] = {"": ""}
        self.parts: dict[Group, tuple[XmlPart, ...]] = {}  # of each type
        self.unfilled: list[tuple[XmlPart, Group]] = []  # elements whose fields are not yet filled

    def compiled(self, message: str) -> XmlPart:
        kind = self.model.messages[message]
        spaces = dict.fromkeys(self._namespaces(kind))
        elements = {self.root_namespace, *(space for space, attribute in spaces if not attribute)}
        attributes = {space for space, attribute in spaces if attribute and space}
        if len(elements) == 1 and not attributes:
            self.prefixes = {next(iter(elements)): ""}
        else:
            for number, space in enumerate(sorted((elements | attributes) - {""}), 1):
                self.prefixes[space] = f"NS{number}"
        name = self.root_name or message
        root = XmlPart(message, "", xml_name=name, xml_namespace=self.root_namespace)
        tag = self._qualified(name, self.root_namespace)
        root.opening, root.closing = b"<" + tag + self._declarations(), b"</" + tag + b">"
        self.unfilled.append((root, kind))
        while self.unfilled:
            self._fill(*self.unfilled.pop())
        return root

    def _namespaces(self, message: Group) -> Iterator[tuple[str, bool]]:
        """Yield the namespaces of all fields, and whether each is an attribute's."""
        seen, waiting = {message}, [message]
        while waiting:
            for field in waiting.pop().fields():
                if isinstance(field, Value):
                    continue
                said = self._said(field)
                yield self._namespace(field, said), said.render == "attribute"
                if isinstance(field.type, Group) and field.type not in seen:
                    seen.add(field.type)
                    waiting.append(field.type)

    def _said(self, field: Field) -> Xml:
        said = field.formats.get(self.format, Xml())
        if not isinstance(said, Xml):
            raise error(
                mq.PSRC_MODEL_ERROR, f"{self.format} is XML, so a field says Xml(...) about it, not {said!r}"
            )
        if said.render not in RENDERINGS:
            raise error(
                mq.PSRC_MODEL_ERROR,
                f"field {field.name}: rendered as {', '.join(RENDERINGS)}, not {said.render!r}",
            )
        return said

    def _namespace(self, field: Field, said: Xml) -> str:
        if said.namespace is not None:
            return said.namespace
        return "" if said.render == "attribute" else field.namespace or self.root_namespace

    def _declarations(self) -> bytes:
        found = (
            f" xmlns{':' + prefix if prefix else ''}={quoteattr(space)}"
            for space, prefix in self.prefixes.items()
            if space
        )
        return "".join(found).encode("utf-8")

    def _qualified(self, name: str, namespace: str) -> bytes:
        prefix = self.prefixes.get(namespace, "")
        return (f"{prefix}:{name}" if prefix else name).encode("utf-8")

    def _fill(self, part: XmlPart, group: Group) -> None:
        """Set an element's value, if it has one, and its fields; elements of one type share them."""
        value = next((field for field in group.fields() if isinstance(field, Value)), None)
        if value is not None:
            self._valued(part, value, self._said(value), "xml text")
        if group not in self.parts:
            placed = (each for each in _placed(group, count(1)) if each.field is not value)
            self.parts[group] = tuple(self._part(each) for each in placed)
        part.parts = self.parts[group]
        part.note_shared()

    def _valued(self, part: XmlPart, field: Field, said: Xml, surroundings: str) -> None:
        assert isinstance(field.type, str)
        part.codec = text_codec(part.name, field.type, said, ".", surroundings)
        part.is_string = field.type == "string"

    def _part(self, placed: _Placed) -> XmlPart:
        field, said = placed.field, self._said(placed.field)
        name, space = said.name or field.name, self._namespace(field, said)
        in_value = said.value_name if "value" in said.render else ""
        part = XmlPart(field.name, field.namespace, xml_name=name, xml_namespace=space, value_name=in_value)
        part.least, part.most, part.loop = placed.least, placed.most, placed.loop
        tag = self._qualified(name, space)
        part.render = AS_ATTRIBUTE if said.render == "attribute" else AS_ELEMENT
        part.opening, part.closing = b"<" + tag, b"</" + tag + b">"
        if part.render == AS_ATTRIBUTE:
            part.opening, part.closing = tag + b"=", b""
        if " id" in said.render:
            part.id_text = f" {said.id_name}={quoteattr(said.id_value or field.name)}".encode()
        if in_value:
            part.value_text = in_value.encode("utf-8") + b"="
        if isinstance(field.type, Group):
            if part.render == AS_ATTRIBUTE:
                raise error(
                    mq.PSRC_MODEL_ERROR,
                    f"field {field.name} holds fields, so it is no attribute",
                    field=field.name,
                )
            if in_value:
                raise error(
                    mq.PSRC_MODEL_ERROR,
                    f"field {field.name} holds fields, so it is no {said.render}",
                    field=field.name,
                )
            self.unfilled.append((part, field.type))
        else:
            surroundings = "xml attribute" if part.render == AS_ATTRIBUTE or in_value else "xml text"
            self._valued(part, field, said, surroundings)
        return part


def _placed(
    group: Group, numbers: Iterator[int], least: int = 1, most: int = 1, loop: int = 0
) -> Iterator[_Placed]:
    """Yield the fields of a group, including those of nested groups, with their total occurrences."""
    least = 0 if group.compose == "choice" else least
    for member in group.members:
        low, high = min(least * member.min, TIMES_MAX), occurrences(most, member.max)
        if isinstance(member, Field):
            yield _Placed(member, low, high, loop)
        else:
            inner = loop or (next(numbers) if member.max != 1 else 0)
            yield from _placed(member, numbers, low, high, inner)
