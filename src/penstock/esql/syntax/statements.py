"""Statements of control and assignment. Those on trees and databases have files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.node import Node

if TYPE_CHECKING:
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.paths import FieldReference
    from penstock.esql.syntax.types import DataType


class Statement(Node):
    """Anything that ends in a semicolon."""


Body = tuple[Statement, ...]


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


class SqlState(Node):
    """`SQLSTATE [VALUE|LIKE] text [ESCAPE escape]`."""

    like: bool
    text: Expression
    escape: Expression | None = None


class DeclareHandler(Statement):
    """`DECLARE {CONTINUE|EXIT} HANDLER FOR states body`; `action` is that word."""

    action: str
    states: tuple[SqlState, ...]
    body: Statement


class Set(Statement):
    """`SET target [TYPE|NAMESPACE|NAME|VALUE] = value`; `part` is that word or empty."""

    target: FieldReference
    part: str
    value: Expression


class Branch(Node):
    """A condition with the statements to run if it is true."""

    test: Expression
    body: Body


class If(Statement):
    """`IF .. THEN .. {ELSEIF .. THEN ..} [ELSE ..] END IF`; `otherwise` is None without ELSE."""

    branches: tuple[Branch, ...]
    otherwise: Body | None


class Case(Statement):
    """`CASE [subject] WHEN .. THEN .. [ELSE ..] END CASE`."""

    subject: Expression | None
    branches: tuple[Branch, ...]
    otherwise: Body | None


class While(Statement):
    """`[label:] WHILE test DO .. END WHILE`."""

    label: str | None
    test: Expression
    body: Body


class Repeat(Statement):
    """`[label:] REPEAT .. UNTIL test END REPEAT`."""

    label: str | None
    body: Body
    test: Expression


class Loop(Statement):
    """`[label:] LOOP .. END LOOP`."""

    label: str | None
    body: Body


class For(Statement):
    """`[label:] FOR name AS source DO .. END FOR`; the name is a reference that the loop declares."""

    label: str | None
    name: str
    source: Expression
    body: Body


class Begin(Statement):
    """`[label:] BEGIN [[NOT] ATOMIC] .. END`; `atomic` is None when neither was written."""

    label: str | None
    atomic: bool | None
    body: Body


class Leave(Statement):
    """`LEAVE label`."""

    label: str


class Iterate(Statement):
    """`ITERATE label`."""

    label: str


class Return(Statement):
    """`RETURN [value]`."""

    value: Expression | None


class CallStatement(Statement):
    """`CALL schema.name(arguments) [IN database_schema | EXTERNAL SCHEMA expression] [INTO target]`."""

    schema: tuple[str, ...]
    name: str
    arguments: tuple[Expression, ...]
    database_schema: FieldReference | None = None
    external_schema: Expression | None = None
    into: FieldReference | None = None


class ExceptionDetail(Node):
    """`[SEVERITY e] [CATALOG e] [MESSAGE e] [VALUES(..)]` of THROW and LOG."""

    severity: Expression | None = None
    catalog: Expression | None = None
    message: Expression | None = None
    values: tuple[Expression, ...] | None = None


class Throw(Statement):
    """`THROW [USER] EXCEPTION detail`."""

    user: bool
    detail: ExceptionDetail


class Resignal(Statement):
    """`RESIGNAL`."""


class Log(Statement):
    """`LOG {EVENT|USER TRACE} [[FULL] EXCEPTION] detail`; `target` is EVENT or TRACE."""

    target: str
    exception: bool
    full: bool
    detail: ExceptionDetail


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


class Eval(Statement):
    """`EVAL(text)` as a statement."""

    text: Expression


class Sleep(Statement):
    """`SLEEP(milliseconds)` as a statement."""

    duration: Expression


class Empty(Statement):
    """A semicolon by itself."""
