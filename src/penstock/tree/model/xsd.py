"""XML Schema as models: `import_xsd` makes a model with an XML format from a schema.

Global elements with fields are its messages. A schema is a standalone text, or a file with the documents of
its folder that it includes and imports.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model.logical import Field, Group, Model, Type
from penstock.tree.model.schema_documents import XS, Documents, Node, read_document, wrong
from penstock.tree.model.schema_walk import SchemaWalk, Simple, occurrences
from penstock.tree.model.xml import Xml, XmlFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKERS = (".project", "application.descriptor", "library.descriptor")


def import_xsd(
    source: str | bytes | Path, *, name: str = "SCHEMA", format: str = "XML", folder: Path | None = None
) -> Model:
    """Return a model with a message for each global element of a schema: its text, or the path of its file.

    A file may include and import documents within `folder`, by default that of its project (marked by
    `.project`, `application.descriptor` or `library.descriptor`), else the folder that it is in.
    """
    documents = read_schema(source, folder)
    walk = _Walk(documents, format)
    messages = {
        element.get("name"): kind
        for element in global_elements(documents)
        if (kind := walk.message(element)) is not None
    }
    walk.fill()
    namespace = documents.all[0].namespace
    nillable = frozenset(
        element.get("name")
        for element in global_elements(documents)
        if element.get("nillable") in ("true", "1")
    )
    formats = {format: XmlFormat()}
    return Model(name, messages, formats, namespace=namespace, notes=tuple(walk.notes), nillable=nillable)


def read_schema(source: str | bytes | Path, folder: Path | None) -> Documents:
    """Return the documents of a schema."""
    if isinstance(source, Path):
        if not source.is_file():
            raise error(mq.PSRC_ARGUMENT_ERROR, f"there is no file {source}")
        folder = folder or _project(source.resolve())
        if not source.resolve().is_relative_to(folder.resolve()):
            raise error(mq.PSRC_MODEL_ERROR, f"{source} is not within {folder}")
        documents = Documents(folder)
        documents.add_file(source)
        return documents
    documents = Documents()
    documents.add(read_document(_encoded(source) if isinstance(source, str) else source, "the schema"))
    return documents


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as raised:
        line = text.count("\n", 0, raised.start) + 1
        raise error(
            mq.PSRC_MODEL_ERROR, f"the schema: no XML: half of a surrogate pair on line {line}"
        ) from raised


def _project(file: Path) -> Path:
    for folder in file.parents:
        if any((folder / marker).is_file() for marker in _MARKERS):
            return folder
    return file.parent


def global_elements(documents: Documents) -> Iterator[Node]:
    """Yield the global elements of the first document, which is the one that was asked for."""
    for child in documents.all[0].root:
        if child.tag == XS + "element":
            if not child.get("name"):
                raise wrong(child, "a global element has a name")
            yield child


def namespace_of(use: Node) -> str:
    """Return the namespace that an element has in XML."""
    usual = "qualified" if use.document.qualified else "unqualified"
    if use.get("ref"):
        return use.qualified(use.get("ref")).rpartition("}")[0]
    return use.document.namespace if use.get("form", usual) == "qualified" else ""


class _Walk(SchemaWalk):
    has_defaults = False

    def __init__(self, documents: Documents, format: str) -> None:
        super().__init__(documents)
        self.format = format
        self.types: dict[Node, Type] = {}
        self.unfilled: list[Node] = []
        self.standing: dict[str, list[tuple[str, Node]]] | None = None  # by head: its substitutes

    def _complex(self, said: Node, depth: int) -> Type:
        """Return the shared type of a declaration; its members are filled later.

        So a type may contain itself, and one that is used everywhere is walked once.
        """
        if said.find(XS + "simpleContent") is not None:
            return super()._complex(said, depth)
        if said not in self.types:
            self.types[said] = Type()
            self.unfilled.append(said)
        return self.types[said]

    def _element(self, use: Node, depth: int) -> Iterator[Field | Group]:
        """Yield an element; one with substitutes is a choice among them."""
        name = use.qualified(use.get("ref")) if use.get("ref") else ""
        others = [self._substitute(each, depth) for each in self._substitutes(name)]
        if not others:
            yield from super()._element(use, depth)
            return
        least, most = occurrences(use)
        head = self.declared("element", use, use.get("ref"))
        if head.get("abstract") != "true":
            others.insert(0, self.made(use, head, self.kind(head, depth), 1, 1))
        yield Group(*others, compose="choice", min=least, max=most)

    def _substitutes(self, name: str) -> Iterator[Node]:
        """Yield the elements that may replace a global one, recursively."""
        if self.standing is None:
            self.standing = {}
            for (tag, full), node in self.documents.named.items():
                if tag == XS + "element" and node.get("substitutionGroup"):
                    head = node.qualified(node.get("substitutionGroup"))
                    self.standing.setdefault(head, []).append((full, node))
        waiting, seen = [name], {name}
        while waiting:
            for full, node in self.standing.get(waiting.pop(), ()):
                if full not in seen:
                    seen.add(full)
                    waiting.append(full)
                    if node.get("abstract") != "true":
                        yield node

    def _substitute(self, declared: Node, depth: int) -> Field | Group:
        field = self.made(declared, declared, self.kind(declared, depth), 1, 1)
        field.formats[self.format] = Xml(namespace=declared.document.namespace)
        return field

    def fill(self) -> None:
        """Fill the members of the types."""
        while self.unfilled:
            said = self.unfilled.pop()
            made, kind = super()._complex(said, 0), self.types[said]
            kind.members, kind.compose, kind.formats = made.members, made.compose, made.formats

    def about_field(
        self, use: Node, declared: Node, kind: Simple | Type, is_attribute: bool
    ) -> dict[str, Any]:
        """Return whether a field is an element or an attribute, and its namespace."""
        return {self.format: Xml("attribute") if is_attribute else Xml(namespace=namespace_of(use))}
