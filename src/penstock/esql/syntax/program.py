"""A whole file: schema, path, modules, routines and declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.node import Node
from penstock.esql.syntax.statements import Body, Statement

if TYPE_CHECKING:
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.types import DataType

MODULE_KINDS = ("COMPUTE", "FILTER", "DATABASE", "DATABASEEVENT")


class Parameter(Node):
    """`[IN|OUT|INOUT] name [CONSTANT] type [[NOT] NULL]`; `direction` is empty when not written."""

    direction: str
    name: str
    constant: bool
    type: DataType | None
    nullable: bool | None = None


class Option(Node):
    """A word with a value behind EXTERNAL NAME: ASSEMBLY, VERSION, CULTURE, CLASSLOADER ..."""

    word: str
    value: Expression


class External(Node):
    """`EXTERNAL NAME "name"` with what may follow it."""

    name: str
    options: tuple[Option, ...] = ()


class Routine(Statement):
    """`CREATE {FUNCTION|PROCEDURE} name(parameters) ...`; either a body or an external name.

    `language` is as written, in capitals, or empty. `result_sets` is the number after DYNAMIC RESULT SETS.
    """

    kind: str
    name: str
    parameters: tuple[Parameter, ...]
    returns: DataType | None = None
    returns_nullable: bool | None = None
    language: str = ""
    result_sets: int | None = None
    body: Statement | None = None
    external: External | None = None


class Module(Statement):
    """`CREATE kind MODULE name .. END MODULE`; `body` holds declarations and routines."""

    kind: str
    name: str
    body: Body


class Program(Node):
    """The contents of one file; `schema` is empty for the default schema."""

    schema: tuple[str, ...]
    path: tuple[tuple[str, ...], ...]
    body: Body
