"""XML Schema as models: `import_xsd` makes a model with an XML format of a schema.

Global elements with fields are its messages. A schema is a text that stands alone, or a file with the
documents of its folder that it includes and imports.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model.errors import error
from penstock.tree.model.logical import Model, Type
from penstock.tree.model.schema_documents import XS, Documents, Node, read_document
from penstock.tree.model.schema_walk import SchemaWalk, Simple
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
    namespace = documents.all[0].namespace
    return Model(name, messages, {format: XmlFormat()}, namespace=namespace, notes=tuple(walk.notes))


def read_schema(source: str | bytes | Path, folder: Path | None) -> Documents:
    """Return the documents of a schema."""
    if isinstance(source, Path):
        if not source.is_file():
            raise error(8042, f"there is no file {source}")
        folder = folder or _project(source.resolve())
        if not source.resolve().is_relative_to(folder.resolve()):
            raise error(8150, f"{source} is not within {folder}")
        documents = Documents(folder)
        documents.add_file(source)
        return documents
    documents = Documents()
    documents.add(read_document(source.encode("utf-8") if isinstance(source, str) else source, "the schema"))
    return documents


def _project(file: Path) -> Path:
    for folder in file.parents:
        if any((folder / marker).is_file() for marker in _MARKERS):
            return folder
    return file.parent


def global_elements(documents: Documents) -> Iterator[Node]:
    """Yield the global elements of the first document, which is the one that was asked for."""
    yield from (child for child in documents.all[0].root if child.tag == XS + "element")


def namespace_of(use: Node) -> str:
    """Return the namespace that an element has in XML."""
    usual = "qualified" if use.document.qualified else "unqualified"
    if use.get("ref"):
        return use.qualified(use.get("ref")).rpartition("}")[0]
    return use.document.namespace if use.get("form", usual) == "qualified" else ""


class _Walk(SchemaWalk):
    def __init__(self, documents: Documents, format: str) -> None:
        super().__init__(documents)
        self.format = format

    def about_field(
        self, use: Node, declared: Node, kind: Simple | Type, is_attribute: bool
    ) -> dict[str, Any]:
        """Say whether a field is an element or an attribute, and its namespace."""
        return {self.format: Xml("attribute") if is_attribute else Xml(namespace=namespace_of(use))}
