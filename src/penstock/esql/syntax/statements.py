"""Statements of control and assignment. Those on trees and databases have files of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.esql.syntax.node import Node

if TYPE_CHECKING:
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.paths import FieldReference
    from penstock.esql.syntax.types import DataType


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """Anything that ends in a semicolon."""


Body = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Declare(Statement):
    """`DECLARE names [SHARED|EXTERNAL] [CONSTANT] type [initial]`.

    A REFERENCE has its target in `initial`; NAMESPACE and NAME are types here.
    """

    names: tuple[str, ...]
    type: DataType
    initial: Expression | None
    shared: bool = False
    external: bool = False
    constant: bool = False


@dataclass(frozen=True, slots=True)
class SqlState(Node):
    """`SQLSTATE [VALUE|LIKE] text [ESCAPE escape]`."""

    like: bool
    text: Expression
    escape: Expression | None = None


@dataclass(frozen=True, slots=True)
class DeclareHandler(Statement):
    """`DECLARE {CONTINUE|EXIT} HANDLER FOR states body`; `action` is that word."""

    action: str
    states: tuple[SqlState, ...]
    body: Statement


@dataclass(frozen=True, slots=True)
class Set(Statement):
    """`SET target [TYPE|NAMESPACE|NAME|VALUE] = value`; `part` is that word or empty."""

    target: FieldReference
    part: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """A condition with the statements to run if it is true."""

    test: Expression
    body: Body


@dataclass(frozen=True, slots=True)
class If(Statement):
    """`IF .. THEN .. {ELSEIF .. THEN ..} [ELSE ..] END IF`; `otherwise` is None without ELSE."""

    branches: tuple[Branch, ...]
    otherwise: Body | None


@dataclass(frozen=True, slots=True)
class Case(Statement):
    """`CASE [subject] WHEN .. THEN .. [ELSE ..] END CASE`."""

    subject: Expression | None
    branches: tuple[Branch, ...]
    otherwise: Body | None


@dataclass(frozen=True, slots=True)
class While(Statement):
    """`[label:] WHILE test DO .. END WHILE`."""

    label: str | None
    test: Expression
    body: Body


@dataclass(frozen=True, slots=True)
class Repeat(Statement):
    """`[label:] REPEAT .. UNTIL test END REPEAT`."""

    label: str | None
    body: Body
    test: Expression


@dataclass(frozen=True, slots=True)
class Loop(Statement):
    """`[label:] LOOP .. END LOOP`."""

    label: str | None
    body: Body


@dataclass(frozen=True, slots=True)
class For(Statement):
    """`[label:] FOR name AS source DO .. END FOR`; the name is a reference that the loop declares."""

    label: str | None
    name: str
    source: Expression
    body: Body


@dataclass(frozen=True, slots=True)
class Begin(Statement):
    """`[label:] BEGIN [[NOT] ATOMIC] .. END`; `atomic` is None when neither was written."""

    label: str | None
    atomic: bool | None
    body: Body


@dataclass(frozen=True, slots=True)
class Leave(Statement):
    """`LEAVE label`."""

    label: str


@dataclass(frozen=True, slots=True)
class Iterate(Statement):
    """`ITERATE label`."""

    label: str


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """`RETURN [value]`."""

    value: Expression | None


@dataclass(frozen=True, slots=True)
class CallStatement(Statement):
    """`CALL schema.name(arguments) [IN database_schema | EXTERNAL SCHEMA expression] [INTO target]`."""

    schema: tuple[str, ...]
    name: str
    arguments: tuple[Expression, ...]
    database_schema: FieldReference | None = None
    external_schema: Expression | None = None
    into: FieldReference | None = None


@dataclass(frozen=True, slots=True)
class ExceptionDetail(Node):
    """`[SEVERITY e] [CATALOG e] [MESSAGE e] [VALUES(..)]` of THROW and LOG."""

    severity: Expression | None = None
    catalog: Expression | None = None
    message: Expression | None = None
    values: tuple[Expression, ...] | None = None


@dataclass(frozen=True, slots=True)
class Throw(Statement):
    """`THROW [USER] EXCEPTION detail`."""

    user: bool
    detail: ExceptionDetail


@dataclass(frozen=True, slots=True)
class Resignal(Statement):
    """`RESIGNAL`."""


@dataclass(frozen=True, slots=True)
class Log(Statement):
    """`LOG {EVENT|USER TRACE} [[FULL] EXCEPTION] detail`; `target` is EVENT or TRACE."""

    target: str
    exception: bool
    full: bool
    detail: ExceptionDetail


@dataclass(frozen=True, slots=True)
class Propagate(Statement):
    """`PROPAGATE [TO {TERMINAL|LABEL} e] [ENVIRONMENT p] [MESSAGE p] [EXCEPTION p] [FINALIZE w] [DELETE w]`.

    `environment`, `message` and `exception` are the trees to send; `finalize` and `delete` are
    DEFAULT, NONE or empty.
    """

    terminal: Expression | None = None
    label: Expression | None = None
    environment: Expression | None = None
    message: Expression | None = None
    exception: Expression | None = None
    finalize: str = ""
    delete: str = ""


@dataclass(frozen=True, slots=True)
class Eval(Statement):
    """`EVAL(text)` as a statement."""

    text: Expression


@dataclass(frozen=True, slots=True)
class Sleep(Statement):
    """`SLEEP(milliseconds)` as a statement."""

    duration: Expression


@dataclass(frozen=True, slots=True)
class Empty(Statement):
    """A semicolon by itself."""
