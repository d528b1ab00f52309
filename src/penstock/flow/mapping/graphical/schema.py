"""The target of a map by its schemas: namespaces and simple types of its elements.

Only this is read of XML Schema, from files, WSDL and the schemas inside a map. Where nothing is known, a name
has no namespace and a value keeps its type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.importer.xml_reading import read_xml
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.flow.importer.xml_reading import Element

XSD = "http://www.w3.org/2001/XMLSchema"
DFDL = "http://www.ogf.org/dfdl/dfdl-1.0/"
FILES_MAX = 500
DEPTH_MAX = 50


class Shape(NamedTuple):
    """An element of the target, or of what is below it."""

    namespace: str = ""
    element: Element | None = None
    schemas: Schemas | None = None

    def child(self, name: str, attribute: bool = False) -> Shape:
        """Return the shape of a child; an unknown one has no namespace and no type."""
        if self.schemas is None or self.element is None:
            return UNKNOWN
        for each in self.schemas.particles(self.element, "attribute" if attribute else "element"):
            if _local(each.get("name") or each.get("ref")) == name:
                return self.schemas.shape(each)
        return UNKNOWN

    @property
    def simple_type(self) -> str:
        """The built-in type of a simple value; empty if it is not known or not simple."""
        return "" if self.schemas is None or self.element is None else self.schemas.simple_type(self.element)


UNKNOWN = Shape()


class Schemas:
    """The schemas that a map knows; `find` returns the file of a name in the project."""

    def __init__(self, find: Callable[[str], Path | None]) -> None:
        self.find = find
        self.owners: dict[int, Element] = {}  # of declarations: their schema
        self.globals: dict[tuple[str, str], Element] = {}
        self.has_dfdl: set[str] = set()
        self._read: set[Path] = set()

    def add_file(self, name: str) -> Path | None:
        """Read a schema or WSDL with those that it refers to; return its path if it is there."""
        path = self.find(name)
        if path is None:
            return None
        self._add_path(path)
        return path

    def _add_path(self, path: Path) -> None:
        if path in self._read or len(self._read) >= FILES_MAX:
            return
        self._read.add(path)
        try:
            content = path.read_bytes()
            root = read_xml(content, str(path)).root
        except (MQError, OSError):
            return  # the message's own domain reports its errors
        if DFDL.encode() in content:
            self.has_dfdl.add(path.name)
        for schema in [root] if root.local == "schema" else root.below("schema"):
            self.add_schema(schema)
            for each in schema.children:
                location = each.get("schemaLocation")
                if location and each.local in ("include", "import", "redefine"):
                    beside = path.parent / location
                    if beside.is_file():
                        self._add_path(beside.resolve())
                    else:
                        self.add_file(location)

    def add_text(self, text: str) -> None:
        """Read a schema that is inside the map."""
        try:
            self.add_schema(read_xml(text.strip().encode(), "the schema in the map").root)
        except MQError:
            return

    def add_schema(self, schema: Element) -> None:
        """Learn the declarations of a schema."""
        for each in schema.children:
            if each.get("name"):
                self.globals.setdefault((each.local, each.get("name")), each)
                self._own(each, schema)

    def _own(self, element: Element, schema: Element) -> None:
        waiting = [element]
        while waiting:
            each = waiting.pop()
            self.owners[id(each)] = schema
            waiting.extend(each.children)

    def root(self, name: str) -> Shape:
        """Return the shape of a global element."""
        found = self.globals.get(("element", name))
        return UNKNOWN if found is None else self.shape(found)

    def shape(self, declared: Element) -> Shape:
        """Return the shape of a declaration: an element, an attribute, or a reference to one."""
        reference = declared.get("ref")
        found = self.globals.get((declared.local, _local(reference))) if reference else declared
        if found is None:
            return UNKNOWN
        schema = self.owners[id(found)]
        is_global = any(found is each for each in schema.children)
        form = found.get("form") or schema.get(f"{found.local}FormDefault") or "unqualified"
        qualified = is_global or form == "qualified"
        return Shape(schema.get("targetNamespace") if qualified else "", found, self)

    def particles(self, element: Element, kind: str, depth: int = 0) -> Iterator[Element]:
        """Yield the elements or attributes of an element's or type's content."""
        if depth > DEPTH_MAX:
            return
        type_ = element.get("type")
        if type_ and (known := self.globals.get(("complexType", _local(type_)))) is not None:
            yield from self.particles(known, kind, depth + 1)
        for each in element.children:
            if each.local == kind:
                yield each
            elif each.local in ("group", "attributeGroup") and each.get("ref"):
                group = self.globals.get((each.local, _local(each.get("ref"))))
                if group is not None:
                    yield from self.particles(group, kind, depth + 1)
            elif each.local in ("extension", "restriction") and each.get("base"):
                base = self.globals.get(("complexType", _local(each.get("base"))))
                if base is not None:
                    yield from self.particles(base, kind, depth + 1)
                yield from self.particles(each, kind, depth + 1)
            elif each.local not in ("element", "attribute", "annotation"):
                yield from self.particles(each, kind, depth + 1)

    def simple_type(self, element: Element, depth: int = 0) -> str:
        """Return the built-in type of an element or simple type."""
        name = element.get("type") or element.get("base")
        if not name:
            inner = next((each for each in element.children if each.local in _INSIDE), None)
            return "" if inner is None or depth > DEPTH_MAX else self.simple_type(inner, depth + 1)
        known = self.globals.get(("simpleType", _local(name)))
        if known is None:
            known = self.globals.get(("complexType", _local(name)))
        if known is not None and depth <= DEPTH_MAX:
            return self.simple_type(known, depth + 1)
        return "" if ("complexType", _local(name)) in self.globals else _local(name)


_INSIDE = ("simpleType", "restriction", "complexType", "simpleContent", "extension")


def _local(name: str) -> str:
    return name.rpartition(":")[2]
