"""XML as a DOM: org.w3c.dom, and of javax.xml what reads, searches and writes it.

A document is a message tree with a body in XMLNSC; an element is a reference into it.
"""

from __future__ import annotations

import io
from typing import Any
from xml.etree import ElementTree as ET

from penstock.flow.java.library.broker import MbMessage
from penstock.flow.java.library.containers import ListClass
from penstock.flow.java.library.elements import MbElement, evaluated
from penstock.flow.java.library.streams import ByteArrayOutputStream, StringReader, StringWriter
from penstock.flow.java.library.thing import Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import text
from penstock.model.errors import MQError
from penstock.tree import MISSING, Message, Path, Reference, bitstream, parse
from penstock.tree.core._types import XMLNSC_TYPES

DOM = ("org.w3c.dom",)
PARSERS = ("javax.xml.parsers",)
TRANSFORM = ("javax.xml.transform", "javax.xml.transform.dom", "javax.xml.transform.stream")
XPATH = ("javax.xml.xpath",)
XMLNSC = "XMLNSC"
ATTRIBUTE = XMLNSC_TYPES["Attribute"]
ATTRIBUTES = tuple(
    XMLNSC_TYPES[each] for each in ("Attribute", "SingleAttribute", "NamespaceDecl", "SingleNamespaceDecl")
)
NO_NODES = (
    *ATTRIBUTES,
    *(XMLNSC_TYPES[each] for each in ("XmlDeclaration", "DocumentType", "Comment", "ProcessingInstruction")),
)
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
YES = "yes"


class Node(Thing):
    """An element, a document, or the text of an element."""

    packages = DOM
    abstract = True
    constants = {"ELEMENT_NODE": 1, "ATTRIBUTE_NODE": 2, "TEXT_NODE": 3, "DOCUMENT_NODE": 9}

    def __init__(self, tree: Message, at: Reference) -> None:
        self._tree, self._at = tree, at

    def _children(self) -> list[Node]:
        found: list[Node] = [Element(self._tree, each) for each in self._at if each.type not in NO_NODES]
        value = self._at.value
        if not found and value is not MISSING and value is not None:
            found = [Text(self._tree, self._at)]
        return found

    def getNodeName(self) -> str:
        return self._at.name

    def getLocalName(self) -> str:
        return self._at.name

    def getNamespaceURI(self) -> str | None:
        return self._at.namespace or None

    def getNodeType(self) -> int:
        return 1

    def getNodeValue(self) -> str | None:
        return None

    def getTextContent(self) -> str:
        children = [each for each in self._children() if not isinstance(each, Text)]
        if children:
            return "".join(each.getTextContent() for each in children)
        value = self._at.value
        return "" if value is MISSING or value is None else text(value)

    def setTextContent(self, value: str | None) -> None:
        for each in self._children():
            if not isinstance(each, Text):
                each._at.delete()
        self._at.value = value or ""

    def getChildNodes(self) -> NodeList:
        return NodeList(self._children())

    def hasChildNodes(self) -> bool:
        return bool(self._children())

    def getFirstChild(self) -> Node | None:
        return next(iter(self._children()), None)

    def getLastChild(self) -> Node | None:
        return next(reversed(self._children()), None)

    def getParentNode(self) -> Node | None:
        above = MbElement(self._at, MbMessage._of(self._tree, is_read_only=False)).getParent()
        if above is None:
            return None
        is_folder = above.at == Document._of(self._tree)._at
        return Document._of(self._tree) if is_folder else Element(self._tree, above.at)

    def appendChild(self, other: Node) -> Node:
        if isinstance(other, NewText):
            self._at.value = self.getTextContent() + other.value
        else:
            self._at.attach_last_child(other._at)
            other._tree = self._tree
        return other

    def removeChild(self, other: Node) -> Node:
        other._at.detach()
        return other

    def cloneNode(self, deep: bool) -> Node:
        copied = Message()
        body = copied.create(Path(XMLNSC))
        made = body.add_last_child(self._at.name)
        if deep:
            made.assign(self._at)
        made.detach()
        return Element(copied, made)

    def normalize(self) -> None:
        pass


class Text(Node):
    """The text of an element."""

    packages = DOM
    abstract = True

    def getNodeName(self) -> str:
        return "#text"

    def getNodeType(self) -> int:
        return 3

    def getNodeValue(self) -> str | None:
        return text(self._at.value)

    def _children(self) -> list[Node]:
        return []


class NewText(Thing):
    """A text that is in no element yet."""

    names = ("TextNode",)
    packages = DOM
    abstract = True

    def __init__(self, value: str) -> None:
        self.value = value


class Element(Node):
    """An element."""

    packages = DOM
    abstract = True

    def getTagName(self) -> str:
        return self._at.name

    def _attribute(self, name: str) -> Reference | None:
        return next((each for each in self._at if each.name == name and each.type in ATTRIBUTES), None)

    def getAttribute(self, name: str) -> str:
        found = self._attribute(name)
        return "" if found is None else text(found.value)

    def hasAttribute(self, name: str) -> bool:
        return self._attribute(name) is not None

    def setAttribute(self, name: str, value: str) -> None:
        found = self._attribute(name)
        if found is None:
            self._at.add_last_child(name, value, type=ATTRIBUTE)
        else:
            found.value = value

    def getElementsByTagName(self, name: str) -> NodeList:
        return NodeList(_named(self, name))


def _named(node: Node, name: str) -> list[Node]:
    found: list[Node] = []
    for each in node._children():
        if isinstance(each, Element):
            found += [each] if name in (each._at.name, "*") else []
            found += _named(each, name)
    return found


class Document(Element):
    """A document; its tree is the folder of its root element."""

    packages = DOM
    abstract = True

    @staticmethod
    def _of(tree: Message) -> Document:
        body = tree.body
        return Document(tree, tree.create(Path(XMLNSC)) if body is None else body)

    def getNodeType(self) -> int:
        return 9

    def getDocumentElement(self) -> Element | None:
        return next((each for each in self._children() if isinstance(each, Element)), None)

    def createElement(self, name: str) -> Element:
        return self.createElementNS(None, name)

    def createElementNS(self, namespace: str | None, name: str) -> Element:
        made = self._at.add_last_child(name.rpartition(":")[2], namespace=namespace or "")
        made.detach()
        return Element(self._tree, made)

    def createTextNode(self, value: str) -> NewText:
        return NewText(value)

    def getParentNode(self) -> Node | None:
        return None


class NodeList(Thing):
    """Some nodes."""

    packages = DOM
    abstract = True

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = nodes

    def getLength(self) -> int:
        return len(self._nodes)

    def item(self, place: int) -> Node | None:
        return self._nodes[place] if 0 <= place < len(self._nodes) else None


class DocumentBuilderFactory(Thing):
    """Makes parsers."""

    packages = PARSERS
    abstract = True

    @staticmethod
    def newInstance() -> DocumentBuilderFactory:
        return DocumentBuilderFactory()

    def setNamespaceAware(self, _: bool) -> None:
        pass

    def newDocumentBuilder(self) -> DocumentBuilder:
        return DocumentBuilder()


class DocumentBuilder(Thing):
    """Reads XML. Document types are not read, so no entity is either."""

    packages = PARSERS
    abstract = True

    def newDocument(self) -> Document:
        return Document._of(Message())

    def parse(self, source: Any) -> Document:
        if not hasattr(source, "data"):
            raise thrown("IOException", "only a stream can be parsed")
        given = source.data.read()
        try:
            read = parse(given.encode() if isinstance(given, str) else given, XMLNSC)
            if read.body is not None:
                _read_all(read.body)
        except MQError as raised:
            raise thrown("SAXException", raised.detail) from None
        return Document._of(read)


def _read_all(body: Reference) -> None:
    """Visit every element: a tree is parsed where it is visited."""
    waiting = [body]
    while waiting:
        waiting += list(waiting.pop())


class InputSource(Thing):
    """A stream to parse."""

    packages = ("org.xml.sax",)

    def __init__(self, below: Any) -> None:
        self.data = (StringReader(below) if isinstance(below, str) else below).data


class XPathFactory(Thing):
    """Makes evaluators."""

    packages = XPATH
    abstract = True

    @staticmethod
    def newInstance() -> XPathFactory:
        return XPathFactory()

    def newXPath(self) -> XPath:
        return XPath()


class XPathConstants(Thing):
    """Kinds of results."""

    packages = XPATH
    abstract = True
    constants = {"NODESET": "NODESET", "NODE": "NODE", "STRING": "STRING"}
    constant_types = dict.fromkeys(("NODESET", "NODE", "STRING"), "QName")


class XPath(Thing):
    """Evaluates expressions."""

    packages = XPATH
    abstract = True

    def evaluate(self, path: str, node: Node, kind: str = "STRING") -> Any:
        at = MbElement(node._at, MbMessage._of(node._tree, is_read_only=False))
        found = evaluated(at, path, None, is_message=isinstance(node, Document))
        nodes = [Element(node._tree, each.at) for each in found] if isinstance(found, ListClass) else []
        if kind == "NODESET":
            return NodeList(list(nodes))
        if kind == "NODE":
            return nodes[0] if nodes else None
        return (nodes[0].getTextContent() if nodes else "") if isinstance(found, ListClass) else text(found)


class TransformerFactory(Thing):
    """Makes writers; style sheets are for an XSLTransform node."""

    packages = TRANSFORM
    abstract = True

    @staticmethod
    def newInstance() -> TransformerFactory:
        return TransformerFactory()

    def newTransformer(self) -> Transformer:
        return Transformer()


class OutputKeys(Thing):
    """How XML is written."""

    packages = TRANSFORM
    abstract = True
    constants = {
        "OMIT_XML_DECLARATION": "omit-xml-declaration",
        "INDENT": "indent",
        "ENCODING": "encoding",
        "METHOD": "method",
    }


class DOMSource(Thing):
    """A node to write."""

    packages = TRANSFORM

    def __init__(self, node: Node) -> None:
        self.node = node


class StreamResult(Thing):
    """Where XML is written to."""

    packages = TRANSFORM

    def __init__(self, below: Any) -> None:
        self._below = below

    def getWriter(self) -> StringWriter:
        return self._below  # type: ignore[no-any-return]


class DOMResult(Thing):
    """Where a document is written to."""

    packages = TRANSFORM

    def __init__(self, node: Node | None = None) -> None:
        self._node = Document._of(Message()) if node is None else node

    def getNode(self) -> Node:
        return self._node


class Transformer(Thing):
    """Writes a node as XML in UTF-8; indented means that every element begins a line."""

    packages = TRANSFORM
    abstract = True

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def setOutputProperty(self, name: str, value: str) -> None:
        if (name, value.lower()) in (("method", "text"), ("method", "html")) or (
            name == "encoding" and value.upper() != "UTF-8"
        ):
            raise thrown("IllegalArgumentException", f"{name} {value} is not supported here")
        self._said[name] = value

    def transform(self, source: DOMSource, result: StreamResult) -> None:
        found = written(source.node)
        if self._said.get("indent") == YES:
            root = ET.parse(io.BytesIO(found.encode())).getroot()
            ET.indent(root, space="")
            found = ET.tostring(root, encoding="unicode")
        if self._said.get("omit-xml-declaration") != YES:
            found = DECLARATION + found
        below = result._below
        if isinstance(below, ByteArrayOutputStream):
            below.data += found.encode()
        else:
            below.write(found)


def written(node: Node) -> str:
    """Return a node as XML."""
    shown = Message()
    body = shown.create(Path(XMLNSC))
    root = node.getDocumentElement() if isinstance(node, Document) else node
    if root is not None:
        body.add_last_child(root._at.name, namespace=root._at.namespace).assign(root._at)
    return bitstream(body).decode()
