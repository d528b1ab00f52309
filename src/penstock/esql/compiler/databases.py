"""SQL on databases: tables in SELECT, INSERT, UPDATE, DELETE, PASSTHRU, COMMIT and stored procedures.

The part of a WHERE that a database can test is passed to it as a condition with bound values
(`database.pushdown` splits it off); the rest is tested here, for UPDATE and DELETE row by row. Names of
tables may be computed; values never become part of the SQL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler.bindings import Binding
from penstock.esql.compiler.dispatch import statement, value_of
from penstock.esql.compiler.generator import Uncompilable
from penstock.esql.compiler.items import item
from penstock.esql.compiler.literals import known_value
from penstock.esql.syntax import database_statements as tree
from penstock.esql.syntax.functions import Passthru
from penstock.esql.syntax.node import walk
from penstock.esql.syntax.paths import ComputedName, FieldReference, PlainName

if TYPE_CHECKING:
    from penstock.esql.compiler.generator import Generator
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.paths import Step
    from penstock.esql.syntax.program import Routine
    from penstock.esql.syntax.select import SelectSource
    from penstock.esql.syntax.statements import CallStatement


def is_table(g: Generator, node: Expression) -> bool:
    """Whether a source is a table of a database."""
    return (
        isinstance(node, FieldReference)
        and (node.root or "").upper() == "DATABASE"
        and g.variable(node) is None
    )


def table_code(g: Generator, node: FieldReference) -> str:
    """Return code for a Table: data source, schema and name, each literal or computed."""
    parts = [_name(g, step) for step in node.steps[1:]]
    if not 1 <= len(parts) <= 3:
        raise Uncompilable(node, "a table is Database.[source.][schema.]table")
    dsn, schema, name = (*["None"] * (3 - len(parts)), *parts)
    if len(parts) == 2:  # Database.schema.table: the node has the data source
        dsn, schema = "None", parts[0]
    return f"{g.use('tables', 'Table')}({dsn}, {schema}, {name})"


def _name(g: Generator, step: Step) -> str:
    if isinstance(step.name, PlainName):
        return repr(step.name.text)
    if isinstance(step.name, ComputedName):
        value = known_value(step.name.value)
        return (
            repr(value)
            if isinstance(value, str)
            else f"{g.use('trees.paths', 'name_text')}({g.value(step.name.value)})"
        )
    raise Uncompilable(step, "a part of a table's name is missing")


def table_rows(
    g: Generator, source: SelectSource, where: Expression | None, items: list[Expression]
) -> tuple[str, Expression | None]:
    """Return code for the rows of a table, and the remaining part of the WHERE."""
    from penstock.esql.compiler.queries import correlation_name
    from penstock.esql.database.pushdown import columns_of

    assert isinstance(source.value, FieldReference)
    name = correlation_name(source)
    condition, values, rest = _split(g, where, name)
    columns = columns_of((*items, *(() if rest is None else (rest,))), name) or None
    arguments = f"ctx, {table_code(g, source.value)}, {condition}, ({values}), {columns!r}"
    return f"{g.use('tables', 'databases')}(ctx).select({arguments})", rest


def _split(
    g: Generator, where: Expression | None, name: str, first: int = 0
) -> tuple[str, str, Expression | None]:
    """Return the condition for the database as code, the code of its values, and the rest."""
    from penstock.esql.database.pushdown import split

    if where is None:
        return "None", "", None
    found = split(where, name, lambda node: _is_parameter(g, node, name), first)
    values = "".join(g.value(each) + ", " for each in found.parameters)
    return repr(found.condition), values, found.rest


def _is_parameter(g: Generator, node: Expression, name: str) -> bool:
    """Whether an expression has a value that does not depend on the current row of the table."""
    for each in walk(node):
        if not isinstance(each, FieldReference):
            continue
        found = g.unit.variables.get(id(each))
        if (each.root or "") == name and (found is None or found.level == "correlation"):
            return False
        if found is None and not _is_language_name(g, each):
            return False
        if found is not None and g.binding(found) is None:
            return False
    return True


def _is_language_name(g: Generator, node: FieldReference) -> bool:
    from penstock.esql.checker import builtins

    name = (node.root or "").upper()
    known = builtins.TREES | builtins.LABELS | set(builtins.BARE_FUNCTIONS) | builtins.DOMAINS
    return name in known or builtins.is_constant(name)


@statement(tree.Insert)
def insert(g: Generator, node: tree.Insert) -> None:
    """Write INSERT."""
    columns = "".join(f"{_column(each)!r}, " for each in node.columns)
    values = "".join(f"{g.value(each)}, " for each in node.values)
    table = table_code(g, node.table)
    g.write(f"{g.use('tables', 'databases')}(ctx).insert(ctx, {table}, ({columns}), ({values}))")


def _column(node: FieldReference) -> str:
    last = node.steps[-1].name
    if isinstance(last, PlainName):
        return last.text
    raise Uncompilable(node, "a column needs a name")


def _correlation(node: tree.Update | tree.DeleteFrom) -> str:
    if node.name is not None:
        return node.name
    last = node.table.steps[-1].name
    return last.text if isinstance(last, PlainName) else ""


@statement(tree.Update)
def update(g: Generator, node: tree.Update) -> None:
    """Write UPDATE: in the database, or row by row if the database cannot do a part of it."""
    from penstock.esql.database.pushdown import translate

    name = _correlation(node)
    expressions: list[object] = []
    parameters: list[Expression] = []
    for each in node.columns:
        translated = translate(each.value, name, lambda part: _is_parameter(g, part, name), len(parameters))
        if translated is None:
            return _update_rows(g, node, name)
        expressions.append(translated[0])
        parameters += translated[1]
    values = "".join(g.value(part) + ", " for part in parameters)
    condition, more, rest = _split(g, node.where, name, len(parameters))
    if rest is not None:
        return _update_rows(g, node, name)
    call = f"update(ctx, {table_code(g, node.table)}, ({_columns(node)}), {tuple(expressions)!r}, "
    return g.write(f"{g.use('tables', 'databases')}(ctx).{call}{condition}, ({values}{more}))")


def _columns(node: tree.Update) -> str:
    return "".join(f"{_column(each.column)!r}, " for each in node.columns)


def _update_rows(g: Generator, node: tree.Update, name: str) -> None:
    """Write UPDATE with a function that returns the new values of one row."""
    condition, values, rest = _split(g, node.where, name)
    wanted = [each.value for each in node.columns]
    change, names = _row_function(g, name, rest, wanted)
    call = f"update_rows(ctx, {table_code(g, node.table)}, ({_columns(node)}), "
    g.write(f"{g.use('tables', 'databases')}(ctx).{call}{condition}, ({values}), {names}, {change})")


@statement(tree.DeleteFrom)
def delete(g: Generator, node: tree.DeleteFrom) -> None:
    """Write DELETE FROM: in the database, or row by row if the database cannot test a part of its WHERE."""
    name = _correlation(node)
    condition, values, rest = _split(g, node.where, name)
    table = table_code(g, node.table)
    databases = g.use("tables", "databases")
    if rest is None:
        g.write(f"{databases}(ctx).delete(ctx, {table}, {condition}, ({values}))")
        return
    change, names = _row_function(g, name, rest, [])
    g.write(f"{databases}(ctx).delete_rows(ctx, {table}, {condition}, ({values}), {names}, {change})")


def _row_function(
    g: Generator, name: str, rest: Expression | None, values: list[Expression]
) -> tuple[str, str]:
    """Write `def change(row)`: the values for a row that passes the test; return its name and its columns."""
    from penstock.esql.compiler.conditions import test
    from penstock.esql.database.pushdown import columns_of

    change, row = g.local("change"), g.local(name or "row")
    g.write(f"def {change}({row}):")
    with g.text.indented(), g.block(**{name: Binding(row, "ROW")}):
        condition = "True" if rest is None else test(g, rest)
        found = "".join(f"{g.value(each)}, " for each in values)
        g.write(f"return ({found}) if {condition} else None")
    names = columns_of((*values, *(() if rest is None else (rest,))), name)
    return change, repr(names)


@value_of(Passthru)
def passthru(g: Generator, node: Passthru) -> str:
    """Write PASSTHRU as a function: a list of rows."""
    values = "".join(f"{g.value(each)}, " for each in node.values)
    source = _source(g, node.database)
    return f"{g.use('tables', 'databases')}(ctx).passthru(ctx, {source}, {g.value(node.text)}, ({values}))"


def _source(g: Generator, node: Expression | None) -> str:
    """Return the data source that `TO Database.DSN` names; None is the node's own."""
    if not isinstance(node, FieldReference) or len(node.steps) < 2:
        return "None"
    return _name(g, node.steps[1])


@statement(tree.PassthruStatement)
def passthru_statement(g: Generator, node: tree.PassthruStatement) -> None:
    """Write PASSTHRU as a statement."""
    g.write(passthru(g, node.call))


@statement(tree.Transaction)
def transaction(g: Generator, node: tree.Transaction) -> None:
    """Write COMMIT and ROLLBACK."""
    databases = g.use("tables", "databases")
    g.write(f"{databases}(ctx).{node.action.lower()}(ctx, {_source(g, node.database)})")


def call_database(g: Generator, node: CallStatement, routine: Routine) -> None:
    """Write CALL of a stored procedure: OUT values to their arguments, result sets to those after them."""
    from penstock.esql.compiler.control import store

    directions = tuple(each.direction or "IN" for each in routine.parameters)
    count = len(directions)
    inputs = ", ".join(
        "None" if direction == "OUT" else item(g, argument)
        for direction, argument in zip(directions, node.arguments, strict=False)
    )
    schema = "None" if node.external_schema is None else g.value(node.external_schema)
    if isinstance(node.database_schema, FieldReference):
        schema = _name(g, node.database_schema.steps[-1])
    name = routine.external.name if routine.external is not None else routine.name
    outs, sets, answer = g.local("outs"), g.local("sets"), g.local("answer")
    call = f"call(ctx, {name!r}, {schema}, [{inputs}], {directions!r}, {routine.result_sets or 0})"
    g.write(f"{outs}, {sets}, {answer} = {g.use('tables', 'databases')}(ctx).{call}")
    place = 0
    for direction, argument in zip(directions, node.arguments, strict=False):
        if direction != "IN":
            store(g, argument, f"{outs}[{place}]")
            place += 1
    for number, argument in enumerate(node.arguments[count:]):
        store(g, argument, f"{sets}[{number}]")
    if node.into is not None:
        store(g, node.into, answer)
