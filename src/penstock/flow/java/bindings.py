"""Which XML a class of the project stands for, by its JAXB annotations.

Read when a flow is checked, so that an annotation that is not supported is told before anything runs. Only
classes whose fields are bound (`XmlAccessType.FIELD`, as generated classes have it) are supported.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.java.classes import JavaClass
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.xml_fields import ATTRIBUTE, ELEMENT, NUMBERS, VALUE, Bound

if TYPE_CHECKING:
    from penstock.flow.java.syntax import Field, Marks

LISTS = ("List", "ArrayList", "Collection")
TEXTS = ("String", "Object", "BigDecimal", "BigInteger", "boolean", "Boolean", "char", "Character")
BOXES = ("Byte", "Short", "Integer", "Long", "Float", "Double")
_KNOWN = {ELEMENT, ATTRIBUTE, VALUE, "XmlTransient", "XmlElementWrapper", "XmlSchemaType", "Deprecated"}
_DEFAULT = "##default"


class Binding:
    """The XML of one class."""

    def __init__(self, class_: JavaClass) -> None:
        self.class_ = class_
        marks = class_.declared.marks
        access = marks.get("XmlAccessorType", {}).get("value")
        if "XmlRegistry" not in marks and access != "FIELD":
            line = class_.declared.line
            raise JavaProblem(
                line, f"{class_.name} is not bound by its fields (XmlAccessType.FIELD)", class_.file
            )
        schema = class_.sources.package_marks(class_).get("XmlSchema", {})
        self.default_namespace = schema.get("namespace", "")
        is_qualified = schema.get("elementFormDefault") == "QUALIFIED"
        self.element_namespace = self.default_namespace if is_qualified else ""

    @property
    def root(self) -> tuple[str, str] | None:
        """Namespace and name of the element that the class is by itself; None if it is none."""
        mark = self.class_.declared.marks.get("XmlRootElement")
        if mark is None:
            return None
        short = self.class_.short
        name = mark.get("name", _DEFAULT)
        namespace = mark.get("namespace", _DEFAULT)
        return (
            self.default_namespace if namespace == _DEFAULT else namespace,
            short[:1].lower() + short[1:] if name == _DEFAULT else name,
        )

    @cached_property
    def fields(self) -> list[Bound]:
        """The fields in the order of the XML, those of the base first."""
        base = self.class_.base
        found = list(Binding(base).fields) if isinstance(base, JavaClass) else []
        own = {
            each.name: self._bound(each)
            for each in self.class_.declared.fields
            if not each.is_static and "XmlTransient" not in each.marks
        }
        order = self.class_.declared.marks.get("XmlType", {}).get("propOrder", [])
        order = order if isinstance(order, list) else [order]
        named = [own[each] for each in order if each in own]
        return [*found, *named, *(each for name, each in own.items() if name not in order)]

    def _bound(self, field: Field) -> Bound:
        self._check(field.marks, field)
        kind = next((each for each in (ATTRIBUTE, VALUE) if each in field.marks), ELEMENT)
        mark = field.marks.get(kind, {})
        type_ = field.type
        is_list = type_.rpartition(".")[2] in LISTS
        if is_list:
            type_ = field.items[0] if field.items else mark.get("type", "String")
        type_ = type_.rpartition(".")[2] if type_.startswith("java.") else type_
        name, namespace = mark.get("name", _DEFAULT), mark.get("namespace", _DEFAULT)
        elements = self.element_namespace if kind == ELEMENT else ""
        return Bound(
            field.name,
            kind,
            field.name if name == _DEFAULT else name,
            elements if namespace == _DEFAULT else namespace,
            type_,
            self._class_of(type_, field),
            is_list,
            field.marks.get("XmlElementWrapper", {}).get("name", ""),
        )

    def _check(self, marks: Marks, field: Field) -> None:
        for each in marks:
            if each.startswith("Xml") and each not in _KNOWN:
                raise JavaProblem(field.line, f"@{each} is not supported", self.class_.file)

    def _class_of(self, type_: str, field: Field) -> JavaClass | None:
        if type_ in (*TEXTS, *NUMBERS, *BOXES):
            return None
        found = self.class_.find(type_)
        if not isinstance(found, JavaClass):
            raise JavaProblem(field.line, f"a field of type {type_} cannot be XML here", self.class_.file)
        return found


class Declared(NamedTuple):
    """An element that a factory declares: its class or simple type."""

    type: str
    class_: JavaClass | None


class Bindings:
    """Classes of the project by the elements that they are."""

    def __init__(self, classes: list[JavaClass]) -> None:
        self.roots: dict[tuple[str, str], JavaClass] = {}
        self.declared: dict[tuple[str, str], Declared] = {}
        self._known: dict[str, Binding] = {}
        for each in classes:
            marks = each.declared.marks
            if "XmlRegistry" in marks:
                self._register(each)
            elif any(name.startswith("Xml") for name in marks):
                root = self.of(each).root
                if root is not None:
                    self.roots[root] = each

    def of(self, class_: JavaClass) -> Binding:
        """Return what a class is in XML."""
        if class_.name not in self._known:
            made = self._known[class_.name] = Binding(class_)
            for is_static in (True, False):
                class_.sources.initialiser(class_, is_static=is_static)
            for each in class_.constructors:
                each.prepare()
            for bound in made.fields:
                if bound.class_ is not None:
                    self.of(bound.class_)
        return self._known[class_.name]

    def _register(self, factory: JavaClass) -> None:
        for method in factory.declared.methods:
            mark = method.marks.get("XmlElementDecl")
            if mark is not None and method.parameters:
                type_ = method.parameters[0][0]
                found = factory.find(type_)
                class_ = found if isinstance(found, JavaClass) else None
                if class_ is not None:
                    self.of(class_)
                self.declared[mark.get("namespace", ""), mark.get("name", "")] = Declared(type_, class_)
