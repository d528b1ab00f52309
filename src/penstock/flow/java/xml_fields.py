"""How a field of a class is bound to XML: what `bindings` reads and `library.jaxb` works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from penstock.flow.java.classes import JavaClass

ELEMENT, ATTRIBUTE, VALUE = "XmlElement", "XmlAttribute", "XmlValue"
NUMBERS = ("byte", "short", "int", "long", "float", "double")


class Bound(NamedTuple):
    """A field: `type` is a simple type, or the class of the project that is below."""

    field: str
    kind: str
    name: str
    namespace: str
    type: str
    class_: JavaClass | None
    is_list: bool
    wrapper: str
