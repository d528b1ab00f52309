"""Rows and lists: ROW variables, list assignments, columns of SELECT, comparisons of trees.

A row is a Reference, a list is a Python list of References and scalars. A ROW variable is a field in its own
message, so that it has a name, a value and children like any field.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.casts.cast import to_interval
from penstock.esql.runtime.errors import WRONG_TYPES, esql_error
from penstock.esql.runtime.trees.paths import HERE, computed_step, dynamic_path
from penstock.esql.runtime.values.interval import Interval, parse_literal
from penstock.esql.runtime.values.operators import add, equal, less
from penstock.tree import Message, Path, Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROW = Path("Row")
SELF_DESCRIBING = frozenset(("XMLNSC", "XMLNS", "XML", "JSON"))  # domains that need no model


def new_row(name: str = "Row") -> Reference:
    """Return an empty row: a field in its own tree."""
    return Message().create(Path(name))


def row_from(name: str, value: Any) -> Reference:
    """Return a row that holds a copy of a field, or a value; NULL gives an empty one."""
    row = new_row(name)
    if value is not None:
        put_row(row, value)
    return row


def put_row(row: Reference, value: Any) -> None:
    """Implement SET row = value for a ROW variable or a column of ROW(..); attributes and arrays keep their
    types.

    Fields of XML and JSON keep their domain; other rows have none. An unparsed body is parsed first: an error
    in it is raised by this statement, and the row stays unchanged.
    """
    if value is None:
        row.delete_children()
        row.value = None
        row.domain = None
        return
    if isinstance(value, Reference) and value.message is not row.message:
        if not value.is_parsed:
            next(iter(value), None)
        form = value.form
        row.delete_children()
        row.domain = form if form is not None and form.name in SELF_DESCRIBING else None
    put(row, HERE, value)


def row_of(value: Any) -> Reference:
    """Return a value as a row: itself if it is one, the first of a list, or a new one that holds it."""
    if isinstance(value, Reference):
        return value
    if isinstance(value, list):
        return row_of(value[0]) if value else new_row()
    return row_from("Row", value)


def field_of(value: Any) -> Reference | None:
    """Return a value as a row; None for NULL."""
    return None if value is None else row_of(value)


def rows_of(values: Any) -> Iterable[Reference]:
    """Return the rows that FROM and FOR iterate over, whatever the list holds; one row is a list of one."""
    if values is None:
        return ()
    if isinstance(values, list):
        return [row_of(each) for each in values]
    return (row_of(values),)


def refer(base: Reference, path: Path, indexes: Any = None) -> tuple[Reference, bool]:
    """Return a new reference to a field and True; if it does not exist, to the path's start and False."""
    found = base.reference(path, indexes)
    return (base.copy(), False) if found is None else (found, True)


def refer_to(value: Any) -> tuple[Reference, bool]:
    """Return a new reference to the value of an expression, and whether that is a field."""
    row = row_of(value)
    return row.copy(), value is not None


def put(target: Reference, path: Path, value: Any, indexes: Any = None) -> None:
    """Implement SET field = value for a value that may be NULL, a scalar, a row or a list of one."""
    if value is None:
        target.delete(path, indexes) if path is not HERE or not target.is_root else target.clear()
    elif isinstance(value, Reference):
        target.copy_from(path, value, HERE, indexes)
    elif isinstance(value, list):
        raise esql_error(WRONG_TYPES, "a list cannot be assigned to one field; write field[] or THE(..)")
    elif indexes is None:
        target.set(path, value)
    else:
        target.set_at(path, indexes, value)


def put_list(parent: Reference, step: Path, values: Any) -> None:
    """Implement SET fields[] = list: one field for each element, replacing the previous ones."""
    newest = parent.newest
    for value in list_of(values):
        field = parent.append(step)
        if isinstance(value, Reference):
            field.copy_from(HERE, value, HERE)
        elif value is not None:
            field.set(HERE, value)
    parent.delete_older(step, newest)


def list_of(value: Any) -> list[Any]:
    """Return a value as a list."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def scalar(value: Any) -> Any:
    """Return the value of a scalar or row; a list has none."""
    if isinstance(value, Reference):
        return value.value
    if isinstance(value, list):
        raise esql_error(WRONG_TYPES, "a list has no value; write THE(..) for its first element")
    return value


def values_of(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values of a list's elements."""
    return tuple(scalar(each) for each in values)


def first(values: list[Any]) -> Any:
    """Return THE(list): its first element, or NULL."""
    return values[0] if values else None


def copy_columns(row: Reference, source: Reference | None) -> None:
    """Copy all children of a row: SELECT * and SELECT A.*."""
    for column in () if source is None else source:
        row.append(_step_of(column)).copy_from(HERE, column, HERE)


def _step_of(field: Reference) -> Path:
    kind = field.type if field.is_attribute else None
    return dynamic_path(computed_step(field.name, field.namespace, None, kind))


def same_trees(a: Any, b: Any) -> bool | None:
    """Return whether two rows or lists have the same contents, element by element."""
    if a is None or b is None:
        return None
    if isinstance(a, list) or isinstance(b, list):
        pairs = zip_longest(list_of(a), list_of(b), fillvalue=_NOTHING)
        return all(_same(one, other) for one, other in pairs)
    return _same(a, b)


_NOTHING = object()


def _same(a: Any, b: Any) -> bool:
    if a is _NOTHING or b is _NOTHING:
        return False
    if not (isinstance(a, Reference) and isinstance(b, Reference)):
        return equal(scalar(a), scalar(b)) is True
    pending = [(a, b)]
    while pending:
        one, other = pending.pop()
        if one.value is None or other.value is None:
            if one.value is not other.value:
                return False
        elif not equal(one.value, other.value):
            return False
        for left, right in zip_longest(_children(one), _children(other)):
            if left is None or right is None or left.name != right.name:
                return False
            pending.append((left, right))
    return True


def _children(field: Reference) -> Iterator[Reference]:
    return iter(field)


def as_interval(value: Any) -> Any:
    """Return a value for an INTERVAL variable that was declared without a qualifier."""
    if value is None or isinstance(value, Interval):
        return value
    found = parse_literal(value) if isinstance(value, str) else None
    return found if found is not None else to_interval(value, ("SECOND",))


def sum_of(total: Any, value: Any) -> Any:
    """Return SUM so far plus one more value; NULLs do not count."""
    return total if value is None else value if total is None else add(total, value)


def least(found: Any, value: Any) -> Any:
    """Return MIN so far with one more value."""
    return value if found is None or (value is not None and less(value, found)) else found


def greatest(found: Any, value: Any) -> Any:
    """Return MAX so far with one more value."""
    return value if found is None or (value is not None and less(found, value)) else found


def make_row(*columns: tuple[Any, ...]) -> Reference:
    """Return ROW(value AS path ..): a new row with the columns given as (path, value, indexes).

    A list makes a column for each of its elements, all with one name.
    """
    row = new_row()
    for path, value, *indexes in columns:
        if isinstance(value, Reference):
            put_row(row.create(path, *indexes), value)
            continue
        if not isinstance(value, list):
            put(row, path, value, *indexes)
            continue
        if path.count == 1 and not indexes:
            for each in value:
                put_row(row.append(path), each)
            continue
        aside = new_row()
        for each in value:
            put_row(aside.create(path, *indexes), each)
            for column in list(aside):
                row.attach_last_child(column)
    return row


def put_column(row: Reference, path: Path, value: Any, indexes: Any = None) -> None:
    """Set the value of a SELECT's column and keep its children; NULL makes no column."""
    if value is not None:
        row.set_value(path, value, indexes)


def collected(select: Any) -> list[Reference]:
    """Return the rows of a SELECT without a target, in a new tree."""
    parent = new_row("Rows")
    select(parent, ROW)
    return list(parent)


def put_first(target: Reference, path: Path, select: Any, indexes: Any = None) -> None:
    """Implement SET field = THE(SELECT ..): the first row's columns below the field; no row deletes it."""
    field = target.create(path, indexes)
    field.delete_children()
    select(field, ROW)
    rows = list(field.each(ROW))
    if not rows:
        target.delete(path, indexes)
        return
    for column in rows[0]:
        field.attach_last_child(column)
    for row in rows:
        row.delete()
