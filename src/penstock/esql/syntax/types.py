"""Data types as they are written in DECLARE, parameters, RETURNS and CAST."""

from __future__ import annotations

from penstock.esql.syntax.node import Node

# As it may be written, and the name under which the tree holds it.
TYPE_NAMES = {
    "BOOLEAN": "BOOLEAN",
    "BOOL": "BOOLEAN",
    "INTEGER": "INTEGER",
    "INT": "INTEGER",
    "FLOAT": "FLOAT",
    "DECIMAL": "DECIMAL",
    "DEC": "DECIMAL",
    "CHARACTER": "CHARACTER",
    "CHAR": "CHARACTER",
    "BLOB": "BLOB",
    "BIT": "BIT",
    "DATE": "DATE",
    "TIME": "TIME",
    "GMTTIME": "GMTTIME",
    "TIMESTAMP": "TIMESTAMP",
    "GMTTIMESTAMP": "GMTTIMESTAMP",
    "INTERVAL": "INTERVAL",
    "REFERENCE": "REFERENCE",
    "REF": "REFERENCE",
    "ROW": "ROW",
    "LIST": "LIST",
    "NAMESPACE": "NAMESPACE",
    "NAME": "NAME",
}
SIZED = frozenset(("DECIMAL", "CHARACTER", "BLOB", "BIT"))
INTERVAL_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


class DataType(Node):
    """A type by its long name; `size` holds precision and scale, or a length, which is not enforced."""

    name: str
    size: tuple[int, ...] = ()
    qualifier: tuple[str, ...] = ()  # of an INTERVAL: ("DAY",) or ("YEAR", "MONTH")
