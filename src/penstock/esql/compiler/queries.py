"""SELECT: a local Python function with one loop for each source.

The use decides what happens to a row: rows are appended below a field, the first row fills a field, ITEM
collects values, aggregates accumulate. Functions for inner SELECTs are at the beginning of the enclosing
function, so that no loop creates them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler.bindings import Binding
from penstock.esql.compiler.conditions import test
from penstock.esql.compiler.constructors import column_steps
from penstock.esql.compiler.dispatch import value_of
from penstock.esql.compiler.field_targets import field_target, is_tree, list_parts, path_place, start_of
from penstock.esql.compiler.items import is_scalar, item, list_code
from penstock.esql.syntax.expressions import Call, Literal, Star
from penstock.esql.syntax.node import walk
from penstock.esql.syntax.paths import AnyName, FieldReference, PlainName, Step
from penstock.esql.syntax.select import Select, SelectItem, SelectSource

if TYPE_CHECKING:
    from penstock.esql.compiler.generator import Generator
    from penstock.esql.syntax.expressions import Expression

AGGREGATES = ("COUNT", "SUM", "MIN", "MAX")


def aggregates_of(node: Select) -> list[Call]:
    """Return the aggregates in the select list itself, not those of inner SELECTs."""
    found: list[Call] = []
    for each in node.items:
        inner = {id(below) for part in walk(each.value) if isinstance(part, Select) for below in walk(part)}
        found += [
            part
            for part in walk(each.value)
            if isinstance(part, Call) and part.name.upper() in AGGREGATES and id(part) not in inner
        ]
    return found


def gives_scalar(node: Select) -> bool:
    """Whether a SELECT is one value: an aggregate without a name."""
    return bool(aggregates_of(node)) and len(node.items) == 1 and node.items[0].name is None


@value_of(Select)
def select_value(g: Generator, node: Select) -> str:
    """Write a SELECT where a value is needed."""
    code = select_code(g, node)
    return code if gives_scalar(node) else f"{g.use('trees.rows', 'scalar')}({code})"


def select_code(g: Generator, node: Select) -> str:
    """Write a SELECT; return the call that gives its list, or the scalar of a single aggregate."""
    if aggregates_of(node):
        return f"{_aggregate(g, node)}()"
    if node.item:
        return f"{_items(g, node)}()"
    g.use("trees.rows", "new_row")
    return f"{g.use('trees.rows', 'collected')}({select_into(g, node)})"


def select_into(g: Generator, node: Select) -> str:
    """Write a SELECT as `def select_n(parent, step)`, which appends its rows below a field."""
    name = _begin(g, "parent, step")
    outer = g.function.names
    with g.text.indented(), g.block():
        sources, test_code = _sources(g, node)
        writers = [_column(g, each, number) for number, each in enumerate(node.items, 1)]
        depth = _open(g, sources, test_code)
        g.write("row = parent.append(step)")
        for lines in writers:
            for line in lines:
                g.write(line)
        g.text.depth -= depth
    g.function.names = outer
    return name


def _begin(g: Generator, parameters: str) -> str:
    g.selects += 1
    name = f"select_{g.selects}"
    g.write(f"def {name}({parameters}):")
    return name


def _items(g: Generator, node: Select) -> str:
    name = _begin(g, "")
    with g.text.indented(), g.block():
        sources, test_code = _sources(g, node)
        value = item(g, node.items[0].value)
        g.write("found = []")
        depth = _open(g, sources, test_code)
        g.write(f"found.append({value})")
        g.text.depth -= depth
        g.write("return found")
    return name


def _aggregate(g: Generator, node: Select) -> str:
    """Write a SELECT with aggregates: one pass, then the select list with their results."""
    name = _begin(g, "")
    with g.text.indented(), g.block():
        sources, test_code = _sources(g, node)
        steps = []
        for each in aggregates_of(node):
            total = g.local(each.name.lower())
            steps.append(_accumulation(g, each, total))
            g.aggregates[id(each)] = total
            g.write(f"{total} = {_START.get(each.name.upper(), 'None')}")
            if each.distinct:
                g.write(f"{total}_seen = set()")
        depth = _open(g, sources, test_code)
        for lines in steps:
            for line in lines:
                g.write(line)
        g.text.depth -= depth
        if gives_scalar(node) or node.item:
            g.write(f"return {g.value(node.items[0].value)}")
        else:
            parts = [_totals_column(g, each, number) for number, each in enumerate(node.items, 1)]
            g.write(f"return [{g.use('trees.rows', 'make_row')}({', '.join(parts)})]")
    return name


def _totals_column(g: Generator, node: SelectItem, number: int) -> str:
    place = path_place(g, "row", column_steps(node.value, node.name, number))
    return f"({place.path}, {item(g, node.value)})"


_START = {"COUNT": "0"}


def _accumulation(g: Generator, node: Call, total: str) -> list[str]:
    kind = node.name.upper()
    argument = node.arguments[0]
    if kind == "COUNT":
        if isinstance(argument, Star):
            return [f"{total} += 1"]
        value = (
            g.value(argument)
            if is_scalar(g, argument)
            else f"{g.use('trees.rows', 'scalar')}({item(g, argument)})"
        )
        if node.distinct:
            return [f"{total}_seen.add({value})", f"{total} = len({total}_seen - {{None}})"]
        return [f"{total} += {value} is not None"]
    name = g.use("trees.rows", {"SUM": "sum_of", "MIN": "least", "MAX": "greatest"}[kind])
    step = f"{total} = {name}({total}, {{}})"
    if not node.distinct:
        return [step.format(g.value(argument))]
    seen = f"{total}_seen"
    return [
        f"{total}_one = {g.value(argument)}",
        f"if {total}_one not in {seen}:",
        f"    {seen}.add({total}_one)",
        f"    {step.format(f'{total}_one')}",
    ]


# Sources and loops
def _sources(g: Generator, node: Select) -> tuple[list[tuple[str, str]], str]:
    """Return (variable, iterable) for each source and the code of WHERE; declares correlation names."""
    from penstock.esql.compiler.databases import is_table, table_rows

    where = node.where
    sources: list[tuple[str, str]] = []
    for source in node.sources:
        name = correlation_name(source)
        if is_table(g, source.value):
            code, where = table_rows(g, source, where, [each.value for each in node.items])
        else:
            code = _source_code(g, source.value)
        python = g.local(name)
        g.blocks[-1][name] = Binding(python, "ROW")
        sources.append((python, code))
    return sources, "" if where is None else test(g, where)


def _source_code(g: Generator, node: Expression) -> str:
    if is_tree(g, node) and isinstance(node, FieldReference):
        place = field_target(g, node)
        if place.is_list:
            return place.call("each")
    return f"{g.use('trees.rows', 'rows_of')}({item(g, node)})"


def correlation_name(source: SelectSource) -> str:
    """Return the correlation name of a source."""
    if source.name is not None:
        return source.name
    if isinstance(source.value, FieldReference) and isinstance(
        last := source.value.steps[-1].name, PlainName
    ):
        return last.text
    return "row"


def _open(g: Generator, sources: list[tuple[str, str]], test_code: str) -> int:
    """Write the heads of the loops and the test; return how many levels deeper the body is."""
    for python, code in sources:
        g.write(f"for {python} in {code}:")
        g.text.depth += 1
    if test_code:
        g.write(f"if {test_code}:")
        g.text.depth += 1
    return len(sources) + bool(test_code)


# Columns
def _column(g: Generator, node: SelectItem, number: int) -> list[str]:
    """Return the lines that put one column into `row`."""
    value = node.value
    if isinstance(value, Star):
        names = [binding.python for binding in g.blocks[-1].values()]
        return [f"{g.use('trees.rows', 'copy_columns')}(row, {name})" for name in names]
    if isinstance(value, FieldReference) and is_tree(g, value):
        if node.insert or _takes_all(value):
            source = place_reference(g, value, 0 if node.insert else 1)
            return [f"{g.use('trees.rows', 'copy_columns')}(row, {source})"]
        return [_field_column(g, value, node, number)]
    steps = column_steps(value, node.name, number)
    if isinstance(value, Select) and not gives_scalar(value):
        return _nested(g, value, steps)
    place = path_place(g, "row", steps)
    if not is_scalar(g, value) or place.is_list:
        return [_whole_column(g, value, steps)]
    return [_scalar_column(g, value, place.path, place.indexes)]


def _whole_column(g: Generator, value: Expression, steps: tuple[Step, ...]) -> str:
    place = path_place(g, "row", steps)
    if place.is_list:
        parent, last = list_parts(g, "row", steps)
        base = parent.base if parent.is_bare else parent.call("create")
        return f"{g.use('trees.rows', 'put_list')}({base}, {last}, {list_code(g, value)})"
    indexes = f", {place.indexes}" if place.indexes else ""
    return f"{g.use('trees.rows', 'put')}(row, {place.path}, {item(g, value)}{indexes})"


def _scalar_column(g: Generator, value: Expression, path: str, indexes: str) -> str:
    more = f", {indexes}" if indexes else ""
    if isinstance(value, Literal) and value.kind != "NULL":
        return f"row.set_value({path}, {g.value(value)}{more})"
    return f"{g.use('trees.rows', 'put_column')}(row, {path}, {g.value(value)}{more})"


def _takes_all(node: FieldReference) -> bool:
    last = node.steps[-1]
    return isinstance(last.name, AnyName) and last.index is None and len(node.steps) > 1


def place_reference(g: Generator, node: FieldReference, without: int) -> str:
    """Return code for the field at a path without its last steps, or None."""
    base, steps = start_of(g, node)
    place = path_place(g, base, steps[: len(steps) - without])
    return place.base if place.is_bare else place.call("reference")


def _field_column(g: Generator, value: FieldReference, node: SelectItem, number: int) -> str:
    source = field_target(g, value)
    if source.is_list:
        return _whole_column(g, value, column_steps(value, node.name, number))
    target = path_place(g, "row", column_steps(value, node.name, number))
    origin = source.path or g.use("trees.paths", "HERE")
    indexes = f", {target.indexes or None}, {source.indexes}" if source.indexes else ""
    if target.indexes and not source.indexes:
        indexes = f", {target.indexes}"
    return f"row.copy_from({target.path}, {source.base}, {origin}{indexes})"


def _nested(g: Generator, value: Select, steps: tuple[Step, ...]) -> list[str]:
    """Return the lines for a SELECT in the select list: its rows are added directly below the column."""
    if value.item or aggregates_of(value):
        return [_whole_column(g, value, steps)]
    parent, last = list_parts(g, "row", steps)
    base = "row" if parent.is_bare else parent.call("create")
    return [f"{select_into(g, value)}({base}, {last})"]
