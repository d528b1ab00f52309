"""Statements that build and walk trees: CREATE, ATTACH, DETACH, MOVE, DELETE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.node import Node
from penstock.esql.syntax.statements import Statement

if TYPE_CHECKING:
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.functions import ParserOptions
    from penstock.esql.syntax.paths import FieldReference, Step

FIELD = "FIELD"
PLACES = ("FIRSTCHILD", "LASTCHILD", "PREVIOUSSIBLING", "NEXTSIBLING")


class ParseClause(Node):
    """`PARSE(data [OPTIONS o] [ENCODING e] ...)`."""

    data: Expression
    options: ParserOptions


class CreateField(Statement):
    """`CREATE {FIELD target | place OF target} [AS reference] [DOMAIN e] clauses`.

    `place` is FIELD or one of PLACES.
    """

    place: str
    target: FieldReference
    reference: FieldReference | None = None
    domain: Expression | None = None
    repeat: bool = False
    identity: Step | None = None
    type: Expression | None = None
    namespace: Expression | None = None
    name: Expression | None = None
    value: Expression | None = None
    source: Expression | None = None
    parse: ParseClause | None = None


class Attach(Statement):
    """`ATTACH reference TO target AS place`."""

    reference: FieldReference
    target: FieldReference
    place: str


class Detach(Statement):
    """`DETACH reference`."""

    reference: FieldReference


class DeleteField(Statement):
    """`DELETE {FIELD target | place OF target}`."""

    place: str
    target: FieldReference


class Move(Statement):
    """`MOVE reference {TO target | PARENT | place} [TYPE t] [NAMESPACE n] [NAME n] | IDENTITY s | REPEAT ..`.

    `direction` is TO, PARENT or one of PLACES; a namespace of Star is `*`. `repeat` names what has to be
    the same: ("TYPE", "NAME") when nothing was written, or what was.
    """

    reference: FieldReference
    direction: str
    target: FieldReference | None = None
    type: Expression | None = None
    namespace: Expression | None = None
    name: Expression | None = None
    identity: Step | None = None
    repeat: tuple[str, ...] | None = None
