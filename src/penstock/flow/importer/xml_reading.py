"""XML for the importer: bytes to elements with line numbers. Document types and entities are refused.

Flow files and descriptors are untrusted: size, depth and number of elements are limited, and nothing is
fetched or expanded. Not a general parser: text between elements is kept, comments are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn
from xml.parsers import expat

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_BYTES_MAX = 16 << 20
DEPTH_MAX = 2000  # user-defined properties are nested, one level per property
ELEMENTS_MAX = 500_000


class Element:
    """An element: `tag` and attribute names are local, with `uri}` in front where they have a namespace."""

    __slots__ = ("attributes", "children", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.line = line
        self.children: list[Element] = []
        self.text = ""

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute."""
        return self.attributes.get(name, default)

    def all(self, tag: str) -> Iterator[Element]:
        """Return the children with a local name."""
        return (child for child in self.children if child.local == tag)

    def first(self, tag: str) -> Element | None:
        """Return the first child of a name."""
        return next(self.all(tag), None)

    def below(self, tag: str) -> Iterator[Element]:
        """Return all elements of a name below this one, in the order of the document."""
        waiting = list(reversed(self.children))
        while waiting:
            element = waiting.pop()
            if element.local == tag:
                yield element
            waiting.extend(reversed(element.children))

    @property
    def local(self) -> str:
        """The tag without its namespace."""
        return self.tag.rpartition("}")[2]


class Document:
    """A root element, and the namespaces of the document's prefixes."""

    def __init__(self, root: Element, spaces: dict[str, str]) -> None:
        self.root = root
        self.spaces = spaces


def read_xml(content: bytes, name: str) -> Document:
    """Parse a document; 8307 with the file and line if it is not XML or uses a forbidden feature."""
    if len(content) > FILE_BYTES_MAX:
        raise error(
            mq.PSRC_FLOW_IMPORT, f"{name} has {len(content)} bytes; at most {FILE_BYTES_MAX} are read"
        )
    return _Reading(name).read(content)


class _Reading:
    def __init__(self, name: str) -> None:
        self.name = name
        self.spaces: dict[str, str] = {}
        self.root: Element | None = None
        self.open: list[Element] = []
        self.elements = 0
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartNamespaceDeclHandler = self._space
        self.parser.StartDoctypeDeclHandler = self._doctype

    def read(self, content: bytes) -> Document:
        try:
            self.parser.Parse(content, True)
        except expat.ExpatError as raised:
            what = "the file is empty" if not content.strip() else expat.ErrorString(raised.code)
            raise error(
                mq.PSRC_FLOW_IMPORT, f"{self.name}, line {raised.lineno}: {what}", line=raised.lineno
            ) from None
        except (ValueError, LookupError) as raised:  # an unknown encoding
            raise error(mq.PSRC_FLOW_IMPORT, f"{self.name}: {raised}") from None
        if self.root is None:
            raise error(mq.PSRC_FLOW_IMPORT, f"{self.name}: the file has no element")
        return Document(self.root, self.spaces)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > ELEMENTS_MAX or len(self.open) >= DEPTH_MAX:
            self._refuse(f"more than {ELEMENTS_MAX} elements, or {DEPTH_MAX} within each other")
        element = Element(tag, attributes, self.parser.CurrentLineNumber)
        if self.open:
            self.open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self.open.append(element)

    def _end(self, _: str) -> None:
        self.open.pop()

    def _text(self, text: str) -> None:
        if self.open:
            self.open[-1].text += text

    def _space(self, prefix: str | None, uri: str | None) -> None:
        self.spaces.setdefault(prefix or "", uri or "")

    def _doctype(self, *_: Any) -> None:
        self._refuse("a document type is not allowed here")

    def _refuse(self, what: str) -> NoReturn:
        line = self.parser.CurrentLineNumber
        raise error(mq.PSRC_FLOW_IMPORT, f"{self.name}, line {line}: {what}", line=line)
