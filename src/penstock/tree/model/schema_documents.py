"""Schema documents: XML Schema files as nodes with file and line, includes and imports followed.

`Documents` is the input of the importers of XSD, message sets and DFDL: every global declaration of all
documents by its kind, namespace and name. Documents are only read within one folder, a document type is
refused, and size and number of documents are limited. Nothing here knows about models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

XS = "http://www.w3.org/2001/XMLSchema}"
XML = "http://www.w3.org/XML/1998/namespace"
SIZE_MAX = 16 << 20
DOCUMENTS_MAX = 500
DEPTH_MAX = 200
NUMBER_DIGITS_MAX = 9
_ELSEWHERE = (XS + "include", XS + "import", XS + "redefine", XS + "override")
_GROUPS = (XS + "group", XS + "attributeGroup")
_REDEFINED = (XS + "simpleType", XS + "complexType", *_GROUPS)
_DERIVED = (XS + "restriction", XS + "extension")
Key = tuple[str, str]  # of a declaration: its tag and qualified name


class Node:
    """An element of a document: names are `uri}local`, attributes without a namespace plain."""

    __slots__ = ("attributes", "children", "document", "line", "spaces", "tag", "text")

    def __init__(
        self, tag: str, attributes: dict[str, str], document: Document, line: int, spaces: dict[str, str]
    ) -> None:
        self.tag, self.attributes = tag, attributes
        self.document, self.line, self.spaces = document, line, spaces
        self.children: list[Node] = []
        self.text = ""

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute."""
        return self.attributes.get(name, default)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.children)

    def find(self, tag: str) -> Node | None:
        """Return the first child with a name."""
        return next((child for child in self.children if child.tag == tag), None)

    def iter(self, tag: str = "") -> Iterator[Node]:
        """Yield all nodes below, those with a name if one is given."""
        for child in self.children:
            if not tag or child.tag == tag:
                yield child
            yield from child.iter(tag)

    def qualified(self, name: str) -> str:
        """Return the meaning of a prefixed name here, as `uri}local`; without a namespace the local name."""
        prefix, _, local = name.rpartition(":")
        space = (
            XML
            if prefix == "xml"
            else self.spaces.get(prefix, "") or ("" if prefix else self.document.borrowed)
        )
        return f"{space}}}{local}" if space else local


class Document:
    """One file: its root, and the settings of the root."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.root: Node
        self.namespace = ""
        self.borrowed = ""  # the namespace of who includes a document that has none
        self.qualified = False

    def own(self, name: str) -> str:
        """Return the qualified name of a declaration of the document."""
        return f"{self.namespace}}}{name}" if self.namespace else name


def wrong(node: Node, reason: str) -> MQError:
    """Return the error for a node, with its file and line."""
    where = f"{node.document.path}, line {node.line}"
    return error(mq.PSRC_MODEL_ERROR, f"{where}: {reason}", file=node.document.path, line=node.line)


def whole(node: Node, what: str, text: str) -> int:
    """Return the number in a text; raise 8150 if it is not one, or too large for a count."""
    if not text.isascii() or not text.isdigit() or len(text) > NUMBER_DIGITS_MAX:
        raise wrong(node, f"{what}={text!r} is not a number of at most {NUMBER_DIGITS_MAX} digits")
    return int(text)


def read_document(data: bytes, path: str) -> Document:
    """Return the document in some bytes."""
    if len(data) > SIZE_MAX:
        raise error(
            mq.PSRC_MODEL_ERROR, f"{path}: a schema is not larger than {SIZE_MAX >> 20} MB", file=path
        )
    document = Document(path)
    reader = _Reader(document)
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as problem:
        raise error(
            mq.PSRC_MODEL_ERROR, f"{path}: no XML: {problem}", file=path, line=problem.lineno
        ) from problem
    return document


class _Reader:
    """Builds nodes from the events of a parser."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.open: list[Node] = []
        self.spaces: dict[str, str] = {}
        self.parser: Any = expat.ParserCreate(namespace_separator="}")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartNamespaceDeclHandler = self._space
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, self.document, self.parser.CurrentLineNumber, self.spaces)
        if len(self.open) >= DEPTH_MAX:
            raise wrong(node, f"elements are nested more than {DEPTH_MAX} deep")
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.document.root = node
        self.open.append(node)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _text(self, text: str) -> None:
        self.open[-1].text += text

    def _space(self, prefix: str | None, uri: str | None) -> None:
        self.spaces = {**self.spaces, prefix or "": uri or ""}

    def _doctype(self, *_: object) -> None:
        path = self.document.path
        raise error(mq.PSRC_MODEL_ERROR, f"{path}: a schema has no document type", file=path)


class Documents:
    """A schema document with all its includes and imports; or one standalone text."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder.resolve() if folder is not None else None
        self.all: list[Document] = []
        self.named: dict[Key, Node] = {}
        self.layers: dict[Key, list[Node]] = {}  # of what is redefined: the newest first
        self.within: dict[Node, tuple[Key, int]] = {}  # a redefinition and its own uses: the layer below
        self.targets: dict[Path, str] = {}  # the namespace that a document declares, empty for none
        self.seen: set[tuple[Path, str]] = set()  # with the namespace that a document has
        self.waiting: list[tuple[Path, str]] = []  # files to read; with the namespace of who includes them

    def add_file(self, path: Path) -> None:
        """Read a file of the folder, with its includes and imports."""
        self.waiting.append((path.resolve(), ""))
        while self.waiting:
            self._read(*self.waiting.pop(0))
        for (tag, name), layers in self.layers.items():
            if layers[-1] in self.within:
                what = f"{tag.removeprefix(XS)} {name.rpartition('}')[2]}"
                raise wrong(layers[-1], f"{what} is redefined, but the document has none")

    def _read(self, path: Path, borrowed: str) -> None:
        if (path, self.targets.get(path) or borrowed) in self.seen:
            return
        if len(self.seen) >= DOCUMENTS_MAX:
            raise error(
                mq.PSRC_MODEL_ERROR, f"{path.name}: more than {DOCUMENTS_MAX} documents", file=str(path)
            )
        shown = str(path.relative_to(self.folder)) if self.folder else path.name
        document = read_document(path.read_bytes(), shown)
        self.targets[path] = document.root.get("targetNamespace")
        self.seen.add((path, self.targets[path] or borrowed))
        self.add(document, borrowed, path)

    def add(self, document: Document, borrowed: str = "", path: Path | None = None) -> None:
        """Add a document's declarations."""
        root = document.root
        if root.tag != XS + "schema":
            raise wrong(root, f"the root is {root.tag.rpartition('}')[2]}, not a schema")
        document.namespace = root.get("targetNamespace") or borrowed
        document.borrowed = "" if root.get("targetNamespace") else borrowed
        document.qualified = root.get("elementFormDefault") == "qualified"
        self.all.append(document)
        for child in root:
            if child.tag in _ELSEWHERE:
                self._follow(child, path)
            elif child.get("name"):
                self._declare((child.tag, document.own(child.get("name"))), child)

    def _declare(self, key: Key, node: Node) -> None:
        """Add a declaration; the first of a name counts, and below redefinitions the first ordinary one."""
        layers = self.layers.get(key)
        if layers is None:
            self.named.setdefault(key, node)
        elif layers[-1] in self.within:
            layers.append(node)

    def _redefine(self, said: Node) -> None:
        """Let the declarations in a redefinition replace those of the document that it names."""
        for node in said:
            if node.tag not in _REDEFINED:
                continue
            key = (node.tag, said.document.own(node.get("name")))
            layers = self.layers.setdefault(key, [])
            older = [] if layers or key not in self.named else [self.named[key]]
            layers.append(node)
            self.named[key] = layers[0]
            for each in (node, *_own_uses(node, key)):
                self.within[each] = key, len(layers)
            layers += older

    def _follow(self, said: Node, path: Path | None) -> None:
        where = said.get("schemaLocation")
        if said.tag == XS + "override":
            raise wrong(said, f"{where}: override (of XML Schema 1.1) is not supported")
        if said.tag == XS + "import" and (not where or said.get("namespace") == XML):
            return
        if path is None or self.folder is None:
            raise wrong(said, f"{where or 'another document'}: a text alone has no folder to look in")
        base = self.folder if where.startswith("/") else path.parent
        target = (base / where.lstrip("/")).resolve()
        if "://" in where or not target.is_relative_to(self.folder):
            raise wrong(said, f"{where}: only documents within the folder are read")
        if not target.is_file():
            raise wrong(said, f"{where}: there is no such file")
        self.waiting.append((target, "" if said.tag == XS + "import" else said.document.namespace))
        if said.tag == XS + "redefine":
            self._redefine(said)

    def declared(self, tag: str, said: Node, name: str) -> Node | None:
        """Return the declaration of a name used at a node, None if there is none.

        Inside a redefinition, its own name means the redefined declaration.
        """
        key = (XS + tag, said.qualified(name))
        own, below = self.within.get(said, (None, 0))
        if own == key:
            layers = self.layers[key]
            return layers[below] if below < len(layers) else None
        return self.named.get(key)


def _own_uses(node: Node, key: Key) -> list[Node]:
    """Return where a redefinition may name what it redefines: a type as its base, a group in itself, once."""
    if node.tag not in _GROUPS:
        return [each for content in (node, *node) for each in content if each.tag in _DERIVED]
    uses = [each for each in node.iter(node.tag) if each.qualified(each.get("ref")) == key[1]]
    if len(uses) > 1:
        raise wrong(uses[1], f"{node.get('name')} is redefined with itself in it more than once")
    return uses
