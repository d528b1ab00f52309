"""What paths of a map walk over: fields of trees, and the message assembly with its trees as children.

Names are compared without namespace: the editor writes them so, and types of a schema decide which one is
meant. An assembly's child is another tree, a folder of the message, or else an element of the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.tree import MISSING, Reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.assembly import Assembly
    from penstock.tree import Message

LOCAL_ENVIRONMENT, ENVIRONMENT, EXCEPTIONS = "LocalEnvironment", "Environment", "ExceptionList"
_WHOLE = ("MRM", "DFDL")  # a body may be the message itself, without an element of its name


class AssemblyPlace:
    """The message assembly of an input."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly

    def tree(self, name: str) -> Message | None:
        """Return one of the trees that are not the message."""
        if name == LOCAL_ENVIRONMENT:
            return self.assembly.local_environment
        if name == ENVIRONMENT:
            return self.assembly.invocation.environment
        return self.assembly.exception_list if name == EXCEPTIONS else None


class Row:
    """A row of a table: values by the name of the column; of a whole result also its `rows`."""

    def __init__(
        self, values: dict[str, Any], rows: list[Any] | None = None, *, is_exact: bool = False
    ) -> None:
        self.values = values
        self.rows = rows
        self.is_exact = is_exact  # no schema and no table in paths: another name is nothing


class Cell:
    """A place that only has a value, such as the column of a row."""

    def __init__(self, value: Any) -> None:
        self.value = value


def is_place(item: Any) -> bool:
    """Return whether an item is a place, and not a value."""
    return isinstance(item, (Reference, AssemblyPlace, Row, Cell))


def value_of(place: Any) -> Any:
    """Return the value of a place: its own, or that of the only field of a BLOB; None if it has none."""
    if isinstance(place, Cell):
        return place.value
    if not isinstance(place, Reference):
        return None
    value = place.value
    if value is MISSING:
        return None
    if value is None and place.is_domain_folder:
        inner = next(iter(place), None)
        return None if inner is None else value_of(inner)
    return value


def children(place: Any, name: str) -> Iterator[Any]:
    """Yield the children of a name; `*` is any."""
    if isinstance(place, AssemblyPlace):
        yield from _of_assembly(place, name)
    elif isinstance(place, Row):
        yield from _of_row(place, name)
    elif isinstance(place, Reference):
        for each in place:
            if not each.is_attribute and name in ("*", each.name):
                yield each


def attributes(place: Any, name: str) -> Iterator[Any]:
    """Yield the attribute of a name; `*` is any."""
    if isinstance(place, Reference):
        yield from (each for each in place if each.is_attribute and name in ("*", each.name))


def _of_row(row: Row, name: str) -> Iterator[Any]:
    """Yield the column of a name; schema and table before it are the row itself."""
    if name == "ResultSet" and row.rows is not None:
        yield from row.rows
        return
    wanted = name.lower()
    found = [value for column, value in row.values.items() if column.lower() == wanted]
    if found or not row.is_exact:
        yield from ((Cell(value) for value in found) if found else (row,))


def _of_assembly(place: AssemblyPlace, name: str) -> Iterator[Any]:
    tree = place.tree(name)
    if tree is not None:
        yield tree.reference()
        return
    message = place.assembly.message
    folders = [folder for folder in message if folder.name == name]
    if folders:
        yield from folders
        return
    body = message.body
    if body is None:
        return
    found = list(children(body, name))
    if found or message.domain not in _WHOLE:
        yield from found
    else:
        yield body
