"""The syntax tree of Java source. Types are texts without their type arguments: `List`, `byte[]`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Annotations by name, with their arguments: `{"XmlElement": {"name": "Id"}}`. A class is its name.
Marks = dict[str, dict[str, Any]]


@dataclass(slots=True)
class Node:
    """Something at a line."""

    line: int


# -- expressions -------------------------------------------------------------------------------


@dataclass(slots=True)
class Literal(Node):
    value: Any
    type: str


@dataclass(slots=True)
class Name(Node):
    name: str


@dataclass(slots=True)
class Member(Node):
    target: Node
    name: str


@dataclass(slots=True)
class Item(Node):
    target: Node
    index: Node


@dataclass(slots=True)
class Call(Node):
    target: Node | None
    name: str
    arguments: list[Node]


@dataclass(slots=True)
class New(Node):
    type: str
    arguments: list[Node]
    body: Class | None = None  # of a class without a name


@dataclass(slots=True)
class Lambda(Node):
    parameters: list[tuple[str, str]]  # type, empty if it is not written, and name
    body: Node


@dataclass(slots=True)
class MethodReference(Node):
    """`Name::method`, `value::method` and `Name::new`."""

    target: Node
    name: str


@dataclass(slots=True)
class NewArray(Node):
    type: str  # of an item
    sizes: list[Node]
    items: list[Node] | None


@dataclass(slots=True)
class Unary(Node):
    operator: str
    operand: Node


@dataclass(slots=True)
class Step(Node):
    operator: str
    operand: Node
    is_prefix: bool


@dataclass(slots=True)
class Binary(Node):
    operator: str
    left: Node
    right: Node


@dataclass(slots=True)
class Assign(Node):
    operator: str  # "" for a plain one
    target: Node
    value: Node


@dataclass(slots=True)
class Conditional(Node):
    test: Node
    then: Node
    otherwise: Node


@dataclass(slots=True)
class Cast(Node):
    type: str
    operand: Node


@dataclass(slots=True)
class ClassValue(Node):
    """`Name.class`."""

    name: Node


@dataclass(slots=True)
class InstanceOf(Node):
    operand: Node
    type: str


# -- statements --------------------------------------------------------------------------------


@dataclass(slots=True)
class Block(Node):
    body: list[Node]


@dataclass(slots=True)
class Local(Node):
    variables: list[tuple[str, str, Node | None]]  # type, name, value


@dataclass(slots=True)
class Do(Node):
    expression: Node


@dataclass(slots=True)
class If(Node):
    test: Node
    then: Node
    otherwise: Node | None


@dataclass(slots=True)
class Loop(Node):
    """while, do and for: `start` runs once, `after` behind every round."""

    start: list[Node]
    test: Node | None
    after: list[Node]
    body: Node
    tests_first: bool = True


@dataclass(slots=True)
class ForEach(Node):
    type: str
    name: str
    source: Node
    body: Node


@dataclass(slots=True)
class Leave(Node):
    """break and continue."""

    word: str
    label: str


@dataclass(slots=True)
class Labelled(Node):
    label: str
    body: Node


@dataclass(slots=True)
class Return(Node):
    value: Node | None


@dataclass(slots=True)
class Throw(Node):
    value: Node


@dataclass(slots=True)
class Try(Node):
    resources: list[Node]
    body: Node
    catches: list[tuple[list[str], str, Node]]  # types, name, what to do
    last: Node | None


@dataclass(slots=True)
class Switch(Node):
    subject: Node
    cases: list[tuple[list[Node | None], list[Node]]]  # None is `default`


# -- declarations ------------------------------------------------------------------------------


@dataclass(slots=True)
class Method(Node):
    name: str
    result: str
    parameters: list[tuple[str, str]]  # type, name
    body: Block | None
    is_static: bool
    takes_rest: bool = False
    marks: Marks = field(default_factory=dict)


@dataclass(slots=True)
class Field(Node):
    type: str
    name: str
    value: Node | None
    is_static: bool
    items: tuple[str, ...] = ()  # the arguments of the type: what a List has in it
    marks: Marks = field(default_factory=dict)


@dataclass(slots=True)
class Class(Node):
    name: str
    kind: str  # class, interface, enum
    base: str
    interfaces: list[str] = field(default_factory=list)
    is_static: bool = True  # has no object of the class around it
    marks: Marks = field(default_factory=dict)
    fields: list[Field] = field(default_factory=list)
    methods: list[Method] = field(default_factory=list)
    constructors: list[Method] = field(default_factory=list)
    initialisers: list[tuple[bool, Block]] = field(default_factory=list)  # static?
    inner: list[Class] = field(default_factory=list)


@dataclass(slots=True)
class Unit:
    """A source file."""

    package: str
    imports: list[str]
    classes: list[Class]
    statics: list[str] = field(default_factory=list)  # `import static a.B.*`, without the word
    marks: Marks = field(default_factory=dict)  # of the package: `package-info.java`
