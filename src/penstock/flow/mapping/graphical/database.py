"""The database statements of a map, from their declarations: `db:select(...)`, `db:insert(...)` and so on.

The text of a condition is the author's SQL with question marks; the values are expressions. A data source is
that of the node, or else the one that the map was drawn with.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.esql.database.parameter_markers import with_markers
from penstock.flow.mapping.graphical.places import Row
from penstock.flow.mapping.graphical.problem import CannotMap
from penstock.flow.mapping.graphical.values import first
from penstock.flow.mapping.graphical.xpath import expression
from penstock.tree import MISSING

if TYPE_CHECKING:
    from penstock.flow.mapping.graphical.running import Run
    from penstock.flow.mapping.graphical.values import Sequence
    from penstock.flow.mapping.graphical.xpath import Compiled

_CALL = re.compile(r"\$(\w+)/db:(select|insert|update|delete)\((.*)\)", re.DOTALL)
_DATABASE = re.compile(r"db:database\(([^,]*),([^,]*),")
_TABLE = re.compile(r"db:table\(([^,]*),([^,]*),([^,]*),([^,)]*)\)")
_NAME = re.compile(r"[A-Za-z_][\w$#]*")
ROWS_MAX = 100_000


class Table(NamedTuple):
    """A database or a table of one, as a map names it."""

    database: str
    name: str = ""


class Statement(NamedTuple):
    """One statement: its SQL up to the condition, the columns that a change sets, and the condition."""

    kind: str
    database: str
    sql: str
    columns: tuple[str, ...]
    where: str
    values: tuple[Compiled, ...]


def table_of(path: str) -> Table | None:
    """Return what `db:database(...)` or `db:table(...)` names; None for anything else."""
    found = _DATABASE.match(path)
    if found is not None:
        return Table(found.group(2).strip())
    found = _TABLE.match(path)
    if found is None:
        return None
    schema, name = _checked(found.group(3).strip()), _checked(found.group(4).strip())
    return Table(found.group(2).strip(), f"{schema}.{name}" if schema else name)


def statement_of(path: str, tables: dict[str, Table]) -> Statement | None:
    """Return the statement of a declaration; None if it declares none."""
    found = _CALL.fullmatch(path.strip())
    if found is None:
        return None
    variable, kind, inside = found.groups()
    table = tables.get(variable)
    if table is None:
        raise CannotMap(f"${variable} is no database of the map")
    words = _split(inside)
    where, values = _condition(words)
    plain = [each for each in words if not each.startswith(("fn:", "db:", "ResultSet("))]
    columns = tuple(_checked(each) for each in plain)
    if kind != "select":
        return Statement(kind, table.database, table.name, columns, where, values)
    listed = next((each for each in words if each.startswith("ResultSet(")), "")
    chosen = [each.strip().split("/") for each in _split(listed[len("ResultSet(") : -1])]
    if not chosen or any(len(each) < 2 for each in chosen):
        raise CannotMap("a select without columns")
    for name in (part for each in chosen for part in each):
        _checked(name)
    froms = dict.fromkeys(".".join(each[:-1]) for each in chosen)
    sql = f"SELECT {', '.join('.'.join(each) for each in chosen)} FROM {', '.join(froms)}"
    return Statement(kind, table.database, sql, tuple(each[-1] for each in chosen), where, values)


def _condition(words: list[str]) -> tuple[str, tuple[Compiled, ...]]:
    said = next((each for each in words if each.startswith("db:where(")), "")
    if not said:
        return "", ()
    text, *given = _split(said[len("db:where(") : -1])
    values = tuple(expression(each.partition("=")[2]) for each in given)
    return text.strip()[1:-1].replace("''", "'"), values


def select(statement: Statement, run: Run, here: Sequence) -> list[Row]:
    """Return the rows of a select."""
    sql = f"{statement.sql} WHERE {statement.where}" if statement.where else statement.sql
    given = [first(each(run, here)) for each in statement.values]
    rows = run.context.databases.passthru(run.context, _source(statement, run), sql, given)[:ROWS_MAX]
    return [
        Row(
            {
                name: None if cell.value is MISSING else cell.value
                for name, cell in zip(statement.columns, row, strict=True)
            }
        )
        for row in rows
    ]


def change(statement: Statement, run: Run, here: Sequence, given: dict[str, Any]) -> int:
    """Run an insert, update or delete with values by column; return how many rows it changed."""
    names = [name for name in statement.columns if name in given]
    values = [given[name] for name in names]
    if statement.kind == "insert":
        marks = ", ".join("?" for _ in names)
        sql = f"INSERT INTO {statement.sql} ({', '.join(names)}) VALUES ({marks})"
    elif statement.kind == "update":
        sql = f"UPDATE {statement.sql} SET {', '.join(f'{name} = ?' for name in names)}"
    else:
        sql = f"DELETE FROM {statement.sql}"
    if statement.where and statement.kind != "insert":
        sql += f" WHERE {statement.where}"
        values += [first(each(run, here)) for each in statement.values]
    connection = run.context.databases.connection(_source(statement, run))
    text, _ = with_markers(sql, "qmark" if connection.dialect == "sqlite" else "format")
    with connection.executed(text, tuple(values)) as result:
        return int(result.rowcount)


def _source(statement: Statement, run: Run) -> str | None:
    return None if run.data_source else statement.database


def _checked(name: str) -> str:
    """Return a name of a schema, table or column; anything else could be SQL."""
    if name and not _NAME.fullmatch(name):
        raise CannotMap(f"{name!r:.60} is no name of a table or column")
    return name


def _split(text: str) -> list[str]:
    """Split at commas that are neither in brackets nor in quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            depth += (character in "([") - (character in ")]")
        if character == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return [each.strip() for each in parts if each.strip()]
