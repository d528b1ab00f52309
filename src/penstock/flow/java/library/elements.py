"""MbElement: a field of a tree as Java sees it, and XPath from it."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from penstock.flow.java.library.containers import ListClass
from penstock.flow.java.library.dates import MbDate, MbTime, MbTimestamp
from penstock.flow.java.library.thing import ByteArray, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, Char, as_bytes, bytes_array, text
from penstock.flow.xpath import compile_xpath
from penstock.tree import MISSING, Message, Path, Reference, bitstream, domain_names, parse_into
from penstock.tree.core._types import GENERIC_TYPES

if TYPE_CHECKING:
    from penstock.flow.java.library.broker import MbMessage
    from penstock.flow.java.library.dom import Element

_STEP = re.compile(r"(?P<name>[^\[\]/()'=$?@:]+)(?:\[(?P<number>\d+)\])?")
_BUILDING = re.compile(r"(?P<make>\??)(?P<name>[\w.-]+|\*)(?:\[set-value\((?P<value>[^()]+)\)\])?")
_ABSOLUTE = re.compile(
    r"""('[^']*'|"[^"]*"|[\w\])*.@]/{1,2})|(/{1,2})"""
)  # a text, a step of a path, or its begin
_BODY = "body-of-the-message"
_BODIES = ("XMLNSC", "XMLNS", "XML", "JSON", "BLOB", "MRM", "DFDL", "SOAP", "MIME", "SWIFT")
SPECIFIC = 0x0000FFFF


def read_only() -> Exception:
    """Return the exception for a change of the input message."""
    return thrown("MbReadOnlyException", "the input message cannot be changed; copy it first")


def as_java(value: Any) -> Any:
    """Return the value of a field as Java has it."""
    if value is MISSING or value is None:
        return None
    if isinstance(value, bytes):
        return bytes_array(value)
    for kind, made in ((datetime, MbTimestamp), (date, MbDate), (time, MbTime)):
        if isinstance(value, kind):
            found = made()
            found.value = value
            return found
    return value


def as_field(value: Any) -> Any:
    """Return a value of Java as a field takes it."""
    if isinstance(value, Array):
        return as_bytes(value)
    if isinstance(value, Char):
        return str(value)
    if isinstance(value, (MbDate, MbTime, MbTimestamp)):
        return value.value
    if value is None or isinstance(value, (str, int, float)) or hasattr(value, "as_tuple"):
        return value
    raise thrown("MbException", f"a field cannot have the value {text(value)}")


class MbElement(Thing):
    """A field."""

    packages = ("com.ibm.broker.plugin",)
    abstract = True
    constants = {
        "TYPE_NAME": GENERIC_TYPES["Name"],
        "TYPE_VALUE": GENERIC_TYPES["Value"],
        "TYPE_NAME_VALUE": GENERIC_TYPES["NameValue"],
        "TYPE_UNKNOWN": 0,
        "VALIDATE_NONE": 0,
    }

    def __init__(self, at: Reference, message: MbMessage) -> None:
        self.at = at
        self.message = message

    def _element(self, at: Reference) -> MbElement:
        return MbElement(at, self.message)

    def _changing(self) -> Reference:
        if self.message.is_read_only:
            raise read_only()
        return self.at

    # -- what it is --------------------------------------------------------------------------

    def getName(self) -> str:
        return "Root" if self.at.is_root else self.at.name

    def setName(self, name: str) -> None:
        self._changing().name = name

    def getNamespace(self) -> str:
        return self.at.namespace or ""

    def setNamespace(self, namespace: str) -> None:
        self._changing().namespace = namespace

    def getType(self) -> int:
        return self.at.type & ~SPECIFIC

    def getSpecificType(self) -> int:
        return self.at.type

    def setSpecificType(self, type_: int) -> None:
        self._changing().type = type_

    def getParserClassName(self) -> str:
        form = self.at.form
        return "" if form is None else form.name

    def getValue(self) -> Any:
        return as_java(self.at.value)

    def getValueAsString(self) -> str | None:
        value = self.at.value
        if value is None or value is MISSING:
            return None
        return value.hex() if isinstance(value, bytes) else text(value)

    def setValue(self, value: Any) -> None:
        self._changing().value = as_field(value)

    def hasChildren(self) -> bool:
        return self.getFirstChild() is not None

    # -- where it is -------------------------------------------------------------------------

    def _moved(self, move: str) -> Any:
        at = self.at.copy()
        return self._element(at) if getattr(at, move)() else None

    def getParent(self) -> MbElement | None:
        found: MbElement | None = self._moved("to_parent")
        return found

    def getFirstChild(self) -> MbElement | None:
        found: MbElement | None = self._moved("to_first_child")
        return found

    def getLastChild(self) -> MbElement | None:
        found: MbElement | None = self._moved("to_last_child")
        return found

    def getNextSibling(self) -> MbElement | None:
        found: MbElement | None = self._moved("to_next")
        return found

    def getPreviousSibling(self) -> MbElement | None:
        found: MbElement | None = self._moved("to_previous")
        return found

    def getFirstElementByPath(self, path: str) -> MbElement | None:
        found = self._along(path)
        return found[0] if found else None

    def getAllElementsByPath(self, path: str) -> Array:
        return Array("MbElement", self._along(path))

    def _along(self, path: str) -> list[MbElement]:
        """Return the fields of a simple path; any other is an XPath expression."""
        found = [self]
        if path.startswith("/"):
            at = self.at.copy()
            while at.to_parent():
                pass
            found = [self._element(at)]
        for word in path.strip("/").split("/"):
            step = _STEP.fullmatch(word)
            if word in (".", ""):
                continue
            if word == "..":
                found = [each.getParent() for each in found]  # type: ignore[misc]
            elif step is None:
                value = evaluated(self, path, None)
                return [each for each in value if isinstance(each, MbElement)]
            else:
                found = [inner for each in found for inner in each._named(step["name"], step["number"])]
        return [each for each in found if each is not None]

    def _named(self, name: str, number: str | None) -> list[MbElement]:
        found = [self._element(each) for each in self.at if name in ("*", each.name)]
        return found[int(number) - 1 :][:1] if number else found

    def evaluateXPath(self, path: Any, variables: Any = None) -> Any:
        return evaluated(self, path, variables)

    # -- changes -----------------------------------------------------------------------------

    def _created(self, how: str, first: Any, more: tuple[Any, ...]) -> MbElement:
        at = self._changing()
        if isinstance(first, str):
            return self._folder(how, first)
        name = more[0] if more else ""
        value = as_field(more[1]) if len(more) > 1 else None
        if at.is_root and name in domain_names() and how == "add_last_child":
            return self._folder(how, name)
        made = getattr(at, how)(name or "", type=first or None)
        if value is not None or (len(more) > 1 and first & GENERIC_TYPES["Value"]):
            made.value = value
        return self._element(made)

    def _folder(self, how: str, domain: str) -> MbElement:
        """Return a new folder of a domain: the body, if it comes last below the root."""
        at = self._changing()
        if domain not in domain_names():
            raise thrown("MbException", f"there is no parser {domain}")
        if at.is_root and how == "add_last_child" and domain in _BODIES:
            return self._element(self.message.tree.body_as(domain))
        made = getattr(at, how)(domain)
        made.domain = domain
        return self._element(made)

    def createElementAsLastChild(self, first: Any, *more: Any) -> MbElement:
        return self._created("add_last_child", first, more)

    def createElementAsFirstChild(self, first: Any, *more: Any) -> MbElement:
        return self._created("add_first_child", first, more)

    def createElementAfter(self, first: Any, *more: Any) -> MbElement:
        return self._created("add_next", first, more)

    def createElementBefore(self, first: Any, *more: Any) -> MbElement:
        return self._created("add_previous", first, more)

    def createElementAsLastChildFromBitstream(
        self,
        data: Array,
        parser: str,
        kind: str | None,
        model: str | None,
        form: str | None,
        encoding: int,
        ccsid: int,
        options: int,
    ) -> MbElement:
        at = self._changing()
        if model or kind:
            raise thrown("MbException", "bytes with a message set are not parsed by Java here")
        given: dict[str, Any] = {"ccsid": ccsid or None, "encoding": encoding or None}
        if at.is_root:
            return self._element(self.message.tree.add_body(as_bytes(data), parser, **given))
        made = at.add_last_child(parser)
        parse_into(made, as_bytes(data), parser, **given)
        return self._element(made)

    def toBitstream(
        self, kind: Any, model: Any, form: Any, encoding: int, ccsid: int, options: int
    ) -> ByteArray:
        return bytes_array(bitstream(self.at, ccsid=ccsid or None, encoding=encoding or None))

    def copy(self) -> MbElement:
        from penstock.flow.java.library.broker import MbMessage

        kept = MbMessage()
        return MbElement(_copied(self.at, kept.tree.reference(), "add_last_child"), kept)

    def copyElementTree(self, source: MbElement) -> None:
        self._changing().assign(source.at)

    def detach(self) -> None:
        copied = self.copy()
        self._changing().delete()
        self.at, self.message = copied.at, copied.message

    def delete(self) -> None:
        self._changing().delete()

    def addAsLastChild(self, other: MbElement) -> None:
        other.at, other.message = _copied(other.at, self._changing(), "add_last_child"), self.message

    def addAsFirstChild(self, other: MbElement) -> None:
        other.at, other.message = _copied(other.at, self._changing(), "add_first_child"), self.message

    def addAfter(self, other: MbElement) -> None:
        other.at, other.message = _copied(other.at, self._changing(), "add_next"), self.message

    def addBefore(self, other: MbElement) -> None:
        other.at, other.message = _copied(other.at, self._changing(), "add_previous"), self.message

    def is_same(self, other: Any) -> bool:
        """Return whether another object is the same field."""
        if not isinstance(other, MbElement) or other.message.tree is not self.message.tree:
            return False
        return self.at == other.at

    def getDOMNode(self) -> Element:
        from penstock.flow.java.library.dom import Element

        return Element(self.message.tree, self.at)

    def toString(self) -> str:
        return f"{self.getName()}={self.getValueAsString()}"


def _copied(source: Reference, target: Reference, how: str) -> Reference:
    """Return a copy of a field at another place, with its domain."""
    if target.is_root and how == "add_last_child" and source.is_domain_folder:
        name = source.name
        target.copy_from(Path(name), source, Path())
        found = target.copy()
        found.to_last_child()
        return found
    made: Reference = getattr(target, how)(source.name, namespace=source.namespace, type=source.type)
    made.assign(source)
    return made


def evaluated(element: MbElement, path: Any, variables: Any, *, is_message: bool = False) -> Any:
    """Return what an XPath expression finds from a field, or below the body of a message."""
    expression = text(getattr(path, "path", path))
    values = dict(getattr(variables, "values", {}))
    if "?" in expression or "set-value" in expression:
        return _built(element, expression, values)
    if is_message:  # the root of its paths is the body
        expression = _ABSOLUTE.sub(lambda word: word[1] or f"${_BODY}{word[2]}", expression)
        values[_BODY] = element
    compiled = compile_xpath(expression, frozenset(values))
    given: dict[str, Reference | None] = {name: _in_tree(value) for name, value in values.items()}
    found = compiled.value(element.at, given)
    if isinstance(found, list):
        return ListClass(element._element(each) if isinstance(each, Reference) else each for each in found)
    return found


def _in_tree(value: Any) -> Reference:
    if isinstance(value, MbElement):
        return value.at
    return Message().reference().add_last_child("value", as_field(value))


def _built(element: MbElement, expression: str, values: dict[str, Any]) -> ListClass:
    """Follow a path that makes what is missing (`?name`) and may set a value."""
    here = [element]
    for word in expression.strip("/").split("/"):
        step = _BUILDING.fullmatch(word)
        if step is None:
            raise thrown("MbException", f"this part of an XPath is not supported: {word}")
        following = [inner for each in here for inner in each._named(step["name"], None)]
        if not following and step["make"] and here:
            following = [here[0].createElementAsLastChild(GENERIC_TYPES["Name"], step["name"], None)]
        if step["value"] is not None:
            for each in following:
                each.setValue(_constant(step["value"].strip(), values))
        here = following
    return ListClass(here)


def _constant(word: str, values: dict[str, Any]) -> Any:
    if word.startswith("$"):
        return values.get(word[1:])
    return word[1:-1] if word[:1] in ("'", '"') else float(word) if "." in word else int(word)
