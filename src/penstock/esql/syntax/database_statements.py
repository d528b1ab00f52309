"""Statements on databases: INSERT, UPDATE, DELETE FROM, PASSTHRU, COMMIT, ROLLBACK."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.node import Node
from penstock.esql.syntax.statements import Statement

if TYPE_CHECKING:
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.functions import Passthru
    from penstock.esql.syntax.paths import FieldReference


class Insert(Statement):
    """`INSERT INTO table [(columns)] VALUES (values)`."""

    table: FieldReference
    columns: tuple[FieldReference, ...]
    values: tuple[Expression, ...]


class ColumnValue(Node):
    """`column = value` of an UPDATE."""

    column: FieldReference
    value: Expression


class Update(Statement):
    """`UPDATE table [AS name] SET columns [WHERE condition]`."""

    table: FieldReference
    name: str | None
    columns: tuple[ColumnValue, ...]
    where: Expression | None


class DeleteFrom(Statement):
    """`DELETE FROM table [AS name] [WHERE condition]`."""

    table: FieldReference
    name: str | None
    where: Expression | None


class PassthruStatement(Statement):
    """`PASSTHRU ...` as a statement; what it returns is dropped."""

    call: Passthru


class Transaction(Statement):
    """`COMMIT [database]` or `ROLLBACK [database]`; `action` is that word."""

    action: str
    database: FieldReference | None
