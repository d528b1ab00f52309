"""javax.xml.bind: XML from and to objects of the project's annotated classes (`java.bindings`)."""

from __future__ import annotations

import io
from decimal import Decimal, InvalidOperation
from pathlib import Path as PythonPath
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from penstock.flow.java.library import dom
from penstock.flow.java.library.containers import ListClass
from penstock.flow.java.library.files import File, FileInputStream
from penstock.flow.java.library.site import here
from penstock.flow.java.library.streams import ByteArrayOutputStream
from penstock.flow.java.library.thing import Thing
from penstock.flow.java.library.utilities import Class
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.syntax import ClassValue, Literal
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import BITS, BOXES, Char, text, wrapped
from penstock.flow.java.xml_fields import ATTRIBUTE, NUMBERS, VALUE, Bound
from penstock.tree import MISSING, Message, Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.flow.java.bindings import Binding, Bindings
    from penstock.flow.java.classes import JavaClass
    from penstock.flow.java.scope import Scope
    from penstock.flow.java.sources import JavaSources
    from penstock.flow.java.syntax import Node

JAXB = ("javax.xml.bind", "jakarta.xml.bind")
FORMATTED, FRAGMENT = "jaxb.formatted.output", "jaxb.fragment"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'


class QName(Thing):
    """A name with a namespace."""

    packages = ("javax.xml.namespace",)

    def __init__(self, first: str, second: str | None = None, _: Any = None) -> None:
        self.namespace, self.local = ("", first) if second is None else (first or "", second)

    def getLocalPart(self) -> str:
        return self.local

    def getNamespaceURI(self) -> str:
        return self.namespace

    def toString(self) -> str:
        return f"{{{self.namespace}}}{self.local}" if self.namespace else self.local


class JAXBElement(Thing):
    """A value with the name of its element."""

    packages = JAXB

    def __init__(self, name: QName, declared: Any, scope: Any, value: Any = None) -> None:
        self.name, self.declared, self.value = name, declared, value

    def getName(self) -> QName:
        return self.name

    def getValue(self) -> Any:
        return self.value

    def setValue(self, value: Any) -> None:
        self.value = value

    def isNil(self) -> bool:
        return self.value is None


class JAXBContext(Thing):
    """The classes of packages, or some classes."""

    packages = JAXB
    abstract = True

    def __init__(self, bindings: Bindings) -> None:
        self.bindings = bindings

    @staticmethod
    def newInstance(*given: Any) -> JAXBContext:
        project = here.get()
        if project is None:
            raise thrown("JAXBException", "there is no project around")
        try:
            if isinstance(given[0], str):
                return JAXBContext(_of_packages(project.stand_ins.java, given[0]))
            return JAXBContext(_bindings([each.of for each in given]))
        except JavaProblem as problem:
            raise thrown("JAXBException", str(problem)) from None

    @staticmethod
    def _checked(arguments: list[Node], scope: Scope) -> None:
        """Read the annotations of what a literal names, while a flow is checked."""
        first = arguments[0]
        if isinstance(first, Literal):
            _of_packages(scope.owner.sources, str(first.value))
        _bindings([scope.class_of(each.name) for each in arguments if isinstance(each, ClassValue)])

    def createUnmarshaller(self) -> Unmarshaller:
        return Unmarshaller(self.bindings)

    def createMarshaller(self) -> Marshaller:
        return Marshaller(self.bindings)


def _of_packages(sources: JavaSources, names: str) -> Bindings:
    found: list[JavaClass] = []
    for name in names.split(":"):
        classes = sources.package(name)
        if not any(mark.startswith("Xml") for each in classes for mark in each.declared.marks):
            raise JavaProblem(1, f"there are no classes of package {name} with JAXB annotations")
        found += classes
    return _bindings(found)


def _bindings(classes: Sequence[Any]) -> Bindings:
    """Return what classes of the project are in XML; those of the library are none."""
    from penstock.flow.java.bindings import Bindings
    from penstock.flow.java.classes import JavaClass

    return Bindings([each for each in classes if isinstance(each, JavaClass)])


class Unmarshaller(Thing):
    """Makes objects of XML."""

    packages = JAXB
    abstract = True

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings

    def setSchema(self, _: Any) -> None:
        raise thrown("UnsupportedOperationException", "schemas are for a Validate node here")

    def unmarshal(self, source: Any, wanted: Class | None = None) -> Any:
        at = _root_of(source)
        name = (at.namespace or "", at.name)
        if wanted is not None:
            is_object = hasattr(wanted.of, "declared")
            value = self._object(at, wanted.of) if is_object else _read(at, wanted.getSimpleName())
            return JAXBElement(QName(*name), wanted, None, value)
        if name in self._bindings.roots:
            return self._object(at, self._bindings.roots[name])
        if name in self._bindings.declared:
            type_, class_ = self._bindings.declared[name]
            value = _read(at, type_) if class_ is None else self._object(at, class_)
            return JAXBElement(QName(*name), Class(type_, class_), None, value)
        known = [f"<{{{space}}}{each}>" for space, each in (*self._bindings.roots, *self._bindings.declared)]
        what = f'unexpected element (uri:"{name[0]}", local:"{name[1]}")'
        what = f"{what}. Expected elements are {','.join(known)}"
        raise thrown("UnmarshalException", what)

    def _object(self, at: Reference, class_: JavaClass) -> Any:
        made = class_.new(())
        children = list(at)
        for bound in self._bindings.of(class_).fields:
            found = [at] if bound.kind == VALUE else _matching(children, bound)
            values = [self._value(each, bound) for each in found]
            if bound.is_list:
                if values:
                    made.fields[bound.field] = ListClass(values)
            elif values and (bound.kind != VALUE or values[-1] is not None):
                made.fields[bound.field] = values[-1]
        return made

    def _value(self, at: Reference, bound: Bound) -> Any:
        return _read(at, bound.type) if bound.class_ is None else self._object(at, bound.class_)


def _matching(children: list[Reference], bound: Bound) -> list[Reference]:
    if bound.wrapper:
        children = [inner for each in children if each.name == bound.wrapper for inner in each]
    is_attribute = bound.kind == ATTRIBUTE
    return [
        each
        for each in children
        if each.name == bound.name
        and (each.namespace or "") == bound.namespace
        and (each.type in dom.ATTRIBUTES) is is_attribute
    ]


def _root_of(source: Any) -> Reference:
    """Return the element that is read."""
    if isinstance(source, dom.DOMSource):
        source = source.node
    if isinstance(source, dom.Document):
        root = source.getDocumentElement()
        if root is None:
            raise thrown("UnmarshalException", "the document has no root element")
        return root._at
    if isinstance(source, dom.Node):
        return source._at
    source = FileInputStream(source) if isinstance(source, File) else source
    return _root_of(dom.DocumentBuilder().parse(source))


def _read(at: Reference, type_: str) -> Any:
    """Return the value of an element or attribute as a simple type; null if it is no such value."""
    value = at.value
    given = "" if value is MISSING or value is None else text(value)
    kind = BOXES.get(type_, type_)
    plain = given.strip()
    try:
        if kind in ("boolean",):
            return plain in ("true", "1")
        if kind in ("byte", "short", "int", "long", "BigInteger"):
            found = int(plain)
            return found if kind == "BigInteger" else wrapped(found, BITS[kind])
        if kind in ("float", "double"):
            return float(plain.replace("INF", "inf"))
        if kind == "BigDecimal":
            return Decimal(plain)
    except (ValueError, InvalidOperation):
        return 0 if type_ in NUMBERS else None
    return Char(given[:1]) if kind == "char" and given else given


class Marshaller(Thing):
    """Makes XML of objects."""

    packages = JAXB
    abstract = True
    constants = {
        "JAXB_FORMATTED_OUTPUT": FORMATTED,
        "JAXB_FRAGMENT": FRAGMENT,
        "JAXB_ENCODING": "jaxb.encoding",
    }

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._said: dict[str, Any] = {}

    def setProperty(self, name: str, value: Any) -> None:
        if name == "jaxb.encoding" and str(value).upper() != "UTF-8":
            raise thrown("PropertyException", f"{name} {text(value)} is not supported here")
        self._said[name] = value

    def marshal(self, what: Any, target: Any) -> None:
        if isinstance(target, dom.DOMResult):
            target = target.getNode()
        if isinstance(target, dom.Node):
            self._put(what, target._at)
            return
        made = dom.Document._of(Message())
        self._put(what, made._at)
        written = self._written(made)
        below = target._below if isinstance(target, dom.StreamResult) else target
        if isinstance(below, File):
            PythonPath(below.path).write_text(written, encoding="utf-8")
        elif isinstance(below, ByteArrayOutputStream):
            below.data += written.encode()
        else:
            below.write(written)

    def _written(self, made: dom.Document) -> str:
        found = dom.written(made)
        is_formatted = self._said.get(FORMATTED) is True
        if is_formatted:
            root = ET.parse(io.BytesIO(found.encode())).getroot()
            ET.indent(root, space="    ")
            found = ET.tostring(root, encoding="unicode") + "\n"
        if self._said.get(FRAGMENT) is True:
            return found
        return f"{DECLARATION}{chr(10) if is_formatted else ''}{found}"

    def _put(self, what: Any, above: Reference) -> None:
        """Write an object with a name of its own below an element or into a document."""
        if isinstance(what, JAXBElement):
            self._element(above, (what.name.namespace, what.name.local), what.value)
            return
        java = getattr(what, "java", None)
        root = None if java is None else self._bindings.of(java).root
        if root is None:
            kind = type(what).__name__ if java is None else java.name
            why = "it is missing an @XmlRootElement annotation"
            raise thrown("MarshalException", f'unable to marshal type "{kind}" as an element because {why}')
        self._element(above, root, what)

    def _element(self, above: Reference, name: tuple[str, str], value: Any) -> None:
        at = above.add_last_child(name[1], namespace=name[0])
        if not hasattr(value, "java"):
            at.value = "" if value is None else text(value)
            return
        binding: Binding = self._bindings.of(value.java)
        fields = binding.fields
        for bound in sorted(fields, key=lambda each: each.kind != ATTRIBUTE):
            found = value.fields.get(bound.field)
            if found is None:
                continue
            if bound.kind == ATTRIBUTE:
                at.add_last_child(bound.name, text(found), type=dom.ATTRIBUTE, namespace=bound.namespace)
            elif bound.kind == VALUE:
                at.value = text(found)
            else:
                inside = at.add_last_child(bound.wrapper, namespace=bound.namespace) if bound.wrapper else at
                for each in found if bound.is_list else (found,):
                    self._element(inside, (bound.namespace, bound.name), each)
