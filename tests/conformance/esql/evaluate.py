"""Evaluates one ESQL expression of literals and function calls, for the tables of cases.

It reads the function table as the compiler does; it knows no variables, fields or operators but the sign.
"""

from __future__ import annotations

import importlib
import random
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

from penstock.esql.parser.program import parse_expression
from penstock.esql.runtime.casts import cast as casts
from penstock.esql.runtime.dates import functions as dates
from penstock.esql.runtime.functions import BARE, FUNCTIONS
from penstock.esql.runtime.values import numbers, strings
from penstock.esql.runtime.values.literals import literal
from penstock.esql.runtime.values.types import OMITTED
from penstock.esql.syntax import expressions as tree
from penstock.esql.syntax import functions as calls
from penstock.esql.syntax.paths import FieldReference


@dataclass
class Stand:
    """A stand-in for the context: a clock that stands still, in a zone two hours east."""

    now: datetime = datetime(2024, 2, 29, 22, 30, 15, 123456, UTC)
    zone: tzinfo = timezone(timedelta(hours=2))
    random: random.Random = field(default_factory=lambda: random.Random(7))
    slept: list[float] = field(default_factory=list)
    sqlcode: int = 0
    sqlstate: str = "00000"
    sqlnativeerror: int = 0
    sqlerrortext: str = ""

    def uuid(self) -> uuid.UUID:
        return uuid.UUID(int=5)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def evaluate(text: str, ctx: Stand | None = None) -> Any:
    """Return the value of an expression."""
    node, findings = parse_expression(text)
    assert not findings, (text, [found.text for found in findings])
    return _value(node, ctx or Stand())


def _value(node: Any, ctx: Stand) -> Any:
    def each(*nodes: Any) -> list[Any]:
        return [OMITTED if one is None else _value(one, ctx) for one in nodes]

    match node:
        case tree.Literal():
            return literal(node.kind, node.text, node.qualifier)
        case tree.Unary(operator="-"):
            return -_value(node.operand, ctx)
        case FieldReference():
            return _call(BARE[node.root.upper()], [], ctx)
        case tree.Call():
            return _call(FUNCTIONS[node.name.upper()], each(*node.arguments), ctx)
        case calls.Substring(side="BEFORE"):
            return strings.substring_before(*each(node.operand, node.anchor, node.length))
        case calls.Substring(side="AFTER"):
            return strings.substring_after(*each(node.operand, node.anchor, node.length))
        case calls.Substring():
            start = 1 if node.anchor is None else _value(node.anchor, ctx)
            text, length = each(node.operand, node.length)
            return strings.substring(text, start, length)
        case calls.Trim():
            text, singleton = each(node.operand, node.singleton)
            return strings.trim(text, node.side or "BOTH", singleton)
        case calls.Position():
            start, count = (1 if one is OMITTED else one for one in each(node.start, node.count))
            return strings.position(*each(node.wanted, node.operand), start, count)
        case calls.Overlay():
            return strings.overlay(*each(node.operand, node.text, node.start, node.length))
        case calls.Extract():
            return dates.extract(node.part, _value(node.operand, ctx))
        case calls.Round():
            return numbers.round_(*each(node.operand, node.places), node.mode)
        case tree.Cast():
            return _cast(node, ctx)
        case _:
            raise AssertionError(f"the tables have no {type(node).__name__}")


def _call(entry: Any, arguments: list[Any], ctx: Stand) -> Any:
    module = importlib.import_module(f"penstock.esql.runtime.{entry.module}")
    first = [ctx] if entry.context else []
    return getattr(module, entry.python)(*first, *arguments)


def _cast(node: tree.Cast, ctx: Stand) -> Any:
    def option(one: Any) -> Any:
        return None if one is None else _value(one, ctx)

    return casts.cast(
        tuple(_value(source, ctx) for source in node.sources),
        node.type.name,
        size=node.type.size,
        qualifier=node.type.qualifier,
        ccsid=option(node.ccsid),
        encoding=option(node.encoding),
        format=option(node.format),
        ctx=ctx,
    )


def same(found: Any, expected: Any) -> bool:
    """Tell whether two values are equal and of one type; NaN equals itself."""
    if isinstance(found, float) and isinstance(expected, float) and found != found:
        return expected != expected
    if found == expected and type(found) is type(expected):
        return True
    if isinstance(found, float) and isinstance(expected, float):
        return abs(found - expected) <= 1e-12 * max(1.0, abs(expected))
    return type(found) is type(expected) and found == expected
