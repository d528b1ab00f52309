"""A map: the target, and the source of each of its fields.

Values are ESQL expressions, in which `source` is the body of the input message and a loop's variable is the
current element or row. An expression that is only a path copies the field with everything below it; any other
computes a value. A value may also be a Python function of such expressions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable

Entry: TypeAlias = "Field | Each | Rows"
SOURCE = "source"
TYPES = ("CHARACTER", "INTEGER", "DECIMAL", "FLOAT", "BOOLEAN", "BLOB", "DATE", "TIME", "TIMESTAMP")


@dataclass(frozen=True)
class Field:
    """One field of the target. With `skip_null` a NULL or missing value leaves it out."""

    to: str
    value: str
    skip_null: bool = False
    when: str = ""
    function: Callable[..., object] | None = None
    arguments: tuple[str, ...] = ()
    returns: str = "CHARACTER"


@dataclass
class Fields:
    """Fields of a target, in order; the methods add to them."""

    entries: list[Entry] = field(default_factory=list, init=False)

    def set(self, to: str, value: str, *, skip_null: bool = False, when: str = "") -> None:
        """Map a field: `set("Order.Total", "CAST(source.Sum AS DECIMAL)")`."""
        self.entries.append(Field(to, value, skip_null, when))

    def call(
        self,
        to: str,
        function: Callable[..., object],
        *arguments: str,
        returns: str = "CHARACTER",
        skip_null: bool = False,
        when: str = "",
    ) -> None:
        """Map a field through a Python function of expressions: `call("Name", str.title, "source.Name")`."""
        if returns not in TYPES:
            raise error(mq.PSRC_FLOW_GRAPH, f"returns {returns!r} is not one of {', '.join(TYPES)}")
        self.entries.append(Field(to, "", skip_null, when, function, arguments, returns))

    def each(self, to: str, of: str, *, variable: str = "item", when: str = "") -> Each:
        """Make a field for each element of a list, and return the fields inside it."""
        made = Each(to, of, variable, when)
        self.entries.append(made)
        return made

    def rows(self, to: str, table: str, *, where: str = "", variable: str = "row") -> Rows:
        """Make a field for each row of a database table: `rows("Customer", "Database.customer")`."""
        made = Rows(to, table, variable, where)
        self.entries.append(made)
        return made


@dataclass
class Each(Fields):
    """A field of the target for each element of a list of the source."""

    to: str
    of: str
    variable: str = "item"
    when: str = ""


@dataclass
class Rows(Fields):
    """A field of the target for each row of a table for which `where` is true."""

    to: str
    table: str
    variable: str = "row"
    where: str = ""


@dataclass
class Map(Fields):
    """A map to a message of a domain: `Map("XMLNSC")`, `Map("MRM", model="order", format="HOST")`.

    Headers of the input are kept unless `headers` is false. `ccsid` and `encoding` are those of the output,
    if they differ from the input's.
    """

    domain: str
    model: str = ""
    message: str = ""
    format: str = ""
    ccsid: int = 0
    encoding: int = 0
    headers: bool = True
    name: str = "Map"
