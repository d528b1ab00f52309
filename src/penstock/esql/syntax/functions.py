"""Functions of the language whose arguments have words between them: SUBSTRING, TRIM, EXTRACT ...

A function with plain commas is a `Call`.
"""

from __future__ import annotations

from penstock.esql.syntax.expressions import Expression
from penstock.esql.syntax.node import Node


class Substring(Expression):
    """`SUBSTRING(operand {FROM|BEFORE|AFTER} anchor [FOR length])`; `side` is that word."""

    operand: Expression
    side: str
    anchor: Expression | None
    length: Expression | None


class Trim(Expression):
    """`TRIM([[BOTH|LEADING|TRAILING] [singleton] FROM] operand)`; `side` is empty when not written."""

    side: str
    singleton: Expression | None
    operand: Expression


class Position(Expression):
    """`POSITION(wanted IN operand [FROM start] [REPEAT count])`."""

    wanted: Expression
    operand: Expression
    start: Expression | None
    count: Expression | None


class Overlay(Expression):
    """`OVERLAY(operand PLACING text FROM start [FOR length])`."""

    operand: Expression
    text: Expression
    start: Expression
    length: Expression | None


class Extract(Expression):
    """`EXTRACT(part FROM operand)`."""

    part: str
    operand: Expression


class Round(Expression):
    """`ROUND(operand, places MODE mode)`; without MODE it is a Call."""

    operand: Expression
    places: Expression
    mode: str


class ParserOptions(Node):
    """The parser options of ASBITSTREAM and PARSE."""

    options: Expression | None = None
    encoding: Expression | None = None
    ccsid: Expression | None = None
    set: Expression | None = None
    type: Expression | None = None
    format: Expression | None = None


class AsBitStream(Expression):
    """`ASBITSTREAM(field [OPTIONS o] [ENCODING e] [CCSID c] [SET s] [TYPE t] [FORMAT f])`."""

    field: Expression
    options: ParserOptions


class ContextReference(Expression):
    """`CONTEXTREFERENCE([NODENAME] name [LEVELNAME level] [part])`.

    Without a name it is `CONTEXTINVOCATIONNODE([part])`. `part` is PAYLOAD, PAYLOADDETAILS, HEADERS or
    METADATA.
    """

    name: Expression | None
    level: Expression | None
    part: str


class Passthru(Expression):
    """`PASSTHRU(text [TO database] [VALUES(...)])`, as function and inside the statement."""

    text: Expression
    database: Expression | None  # a FieldReference
    values: tuple[Expression, ...]
