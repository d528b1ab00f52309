"""The properties of DFDL: which ones apply at a node, and the meaning of their literals.

A property is an attribute or an annotation of a node; else it comes from a format that the node refers to,
from its simple types, or from the default format of its document. Expressions are only supported if they name
just a field. Unsupported properties that would change the meaning of data are refused here.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from penstock.tree.model.schema_documents import XS, whole, wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.tree.model.schema_documents import Document, Documents, Node

DFDL = "http://www.ogf.org/dfdl/dfdl-1.0/}"
_REFUSED_WORDS = ("inputValueCalc", "outputValueCalc", "hiddenGroupRef", "occursStopValue")
_CARRIERS = ("element", "simpleType", "sequence", "choice", "group", "format")
_CHARACTERS = {
    "NUL": "\0",
    "HT": "\t",
    "LF": "\n",
    "VT": "\v",
    "FF": "\f",
    "CR": "\r",
    "SP": " ",
    "ES": "",
    "NBSP": "\xa0",
    "NEL": "\x85",
    "FS": "\x1c",
    "GS": "\x1d",
    "RS": "\x1e",
    "US": "\x1f",
    "WSP": " ",
    "WSP+": " ",
    "WSP*": "",
}
_ENTITY = re.compile(r"%(%|#x[0-9a-fA-F]+;|#r[0-9a-fA-F]{2};|#[0-9]+;|[A-Z]+[*+]?;)")
_FIELD_PATH = re.compile(r"\{\s*(?:xs:\w+|fn:string)?\s*\(?\s*[./\w:-]*?([\w-]+)\s*\)?\s*\}")
_REFERENCES_MAX = 20


class Properties(dict[str, str]):
    """The properties that apply at a node."""

    node: Node
    prefix: Node  # where the type of a length prefix is named

    def literal(self, name: str) -> str:
        """Return the characters of a literal: the first of its alternatives."""
        text = self.get(name, "")
        if text.startswith("{"):
            raise wrong(self.node, f"{name}={text!r}: expressions are not supported here")
        return self.decoded(name, text.split()[0] if text.split() else "")

    def decoded(self, name: str, text: str) -> str:
        """Return the characters of one literal."""

        def character(found: re.Match[str]) -> str:
            word = found[1].rstrip(";")
            if word == "%":
                return "%"
            if word == "NL":
                return self.decoded(name, self.get("outputNewLine", "%LF;").replace("%NL;", "%LF;"))
            if word.startswith("#"):
                code = int(word[2:], 16) if word[1] in "xr" else int(word[1:])
                if code > sys.maxunicode or 0xD800 <= code <= 0xDFFF:
                    raise wrong(self.node, f"{name}: %{word}; is no character")
                return chr(code)
            if word not in _CHARACTERS:
                raise wrong(self.node, f"{name}: %{word}; is unknown")
            return _CHARACTERS[word]

        return _ENTITY.sub(character, text)

    def number(self, name: str, default: int = 0) -> int:
        """Return a property that is a number."""
        return whole(self.node, name, self.get(name, "") or str(default))

    def field(self, name: str) -> str:
        """Return the field that an expression names."""
        text = self.get(name, "")
        found = _FIELD_PATH.fullmatch(text)
        if found is None:
            raise wrong(self.node, f"{name}={text!r}: only the path of a field is supported")
        return found[1]

    def names_field(self, name: str) -> bool:
        """Return whether an expression is only the path of a field."""
        return _FIELD_PATH.fullmatch(self.get(name, "")) is not None

    def one_of(self, name: str, *known: str) -> str:
        """Return a property that has one of some values; the first is the default."""
        value = self.get(name, known[0])
        if value not in known:
            raise wrong(self.node, f"{name}={value!r} is not supported; there are {', '.join(known)}")
        return value


class Formats:
    """The named formats and escape schemes of all documents, and the default of each."""

    def __init__(self, documents: Documents, constant: Callable[[Node, str], str | None]) -> None:
        self.constant = constant  # what a property that is only a variable means
        self.named: dict[tuple[str, str], Node] = {}
        self.defaults: dict[Document, Node] = {}
        for document in documents.all:
            for said in annotated(document.root):
                kind = said.tag.removeprefix(DFDL)
                if kind == "format":
                    self.defaults[document] = said
                elif kind in ("defineFormat", "defineEscapeScheme"):
                    inner = next(iter(said), said)
                    self.named[kind, document.own(said.get("name"))] = inner

    def at(self, node: Node, *others: Node) -> Properties:
        """Return the properties at a node; `others` are its declaration and types, nearest first."""
        found = Properties()
        found.node = node
        for each in (node, *others):
            self._take(found, _own(each), each, 0)
        default = self.defaults.get(node.document)
        if default is not None:
            self._take(found, dict(default.attributes), default, 0)
        for word in _REFUSED_WORDS:
            if found.get(word):
                raise wrong(node, f"{word} is not supported")
        return found

    def _take(self, found: Properties, own: dict[str, str], node: Node, depth: int) -> None:
        if depth > _REFERENCES_MAX:
            raise wrong(node, "formats refer to each other without end")
        for name, value in own.items():
            if name == "prefixLengthType" and name not in found:
                found.prefix = node
            said = self.constant(node, value) if value.startswith("{") else None
            found.setdefault(name, value if said is None else said)
        if own.get("ref"):
            format = self._named("defineFormat", node, own["ref"])
            self._take(found, dict(format.attributes), format, depth + 1)

    def _named(self, kind: str, node: Node, name: str) -> Node:
        found = self.named.get((kind, node.qualified(name)))
        if found is None:  # a name without prefix may be one of the document itself
            found = self.named.get((kind, node.document.own(name)))
        if found is None:
            raise wrong(node, f"{kind} {name} is not in the schema")
        return found

    def escape_scheme(self, properties: Properties) -> Properties | None:
        """Return the escape scheme that applies, None if there is none."""
        name = properties.get("escapeSchemeRef", "")
        if not name:
            return None
        local = name.rpartition(":")[2]
        node = next(
            (
                node
                for (kind, own), node in self.named.items()
                if kind == "defineEscapeScheme" and own.rpartition("}")[2] == local
            ),
            None,
        )
        if node is None:
            raise wrong(properties.node, f"escape scheme {name} is not in the schema")
        scheme = Properties()
        scheme.node = node
        self._take(scheme, dict(node.attributes), node, 0)
        return scheme


def annotated(node: Node) -> Iterator[Node]:
    """Yield the DFDL annotations of a node."""
    for annotation in node:
        if annotation.tag == XS + "annotation":
            for info in annotation:
                yield from (each for each in info if each.tag.startswith(DFDL))


def _own(node: Node) -> dict[str, str]:
    """Return the properties of a node itself."""
    found = {name.removeprefix(DFDL): text for name, text in node.attributes.items() if name.startswith(DFDL)}
    for said in annotated(node):
        if said.tag.removeprefix(DFDL) in _CARRIERS:
            found |= said.attributes
            found |= elements_of(said)
    return found


def elements_of(said: Iterable[Node]) -> dict[str, str]:
    """Return the properties that are written as elements."""
    return {each.get("name"): each.text.strip() for each in said if each.tag == DFDL + "property"}
