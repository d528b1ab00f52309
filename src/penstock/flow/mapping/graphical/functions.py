"""Functions of expressions: those of XPath that maps use, and the broker's own (`iib:`).

Each takes the run, then sequences, and returns a sequence. `xs:` casts are in `CASTS` by their type.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from penstock.flow.mapping.graphical.values import Sequence, atoms, first, number_of, text_of, together, truth
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.flow.mapping.graphical.running import Run

Function = Callable[..., Sequence]


def _text(items: Sequence) -> str:
    return text_of(first(items))


def _numbers(items: Sequence) -> list[Any]:
    return [number_of(each) for each in atoms(items)]


def _sum(items: list[Any]) -> Any:
    total: Any = 0
    for each in items:
        left, right = together(total, each)
        total = left + right
    return total


def substring(_: Run, text: Sequence, start: Sequence, length: Sequence | None = None) -> Sequence:
    """Return a part of a text, from a position that begins at 1."""
    whole, begin = _text(text), _rounded(number_of(first(start)))
    end = math.inf if length is None else begin + _rounded(number_of(first(length)))
    return ["".join(each for at, each in enumerate(whole, 1) if begin <= at < end)]


def _rounded(value: Any) -> Any:
    return value if isinstance(value, float) and math.isnan(value) else math.floor(float(value) + 0.5)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as raised:
        raise error(mq.PSRC_FLOW_MAPPING, f"pattern {text!r:.80}: {raised}") from raised


def _replace(_: Run, text: Sequence, pattern: Sequence, by: Sequence) -> Sequence:
    return [_pattern(_text(pattern)).sub(re.sub(r"\$(\d)", r"\\\1", _text(by)), _text(text))]


def _half_even(_: Run, value: Sequence, places: Sequence | None = None) -> Sequence:
    if not atoms(value):
        return []
    number = number_of(first(value))
    unit = Decimal(1).scaleb(-int(number_of(first(places))) if places is not None else 0)
    made = Decimal(repr(number) if isinstance(number, float) else number).quantize(unit, ROUND_HALF_EVEN)
    return [float(made) if isinstance(number, float) else made]


def _round(_: Run, value: Sequence) -> Sequence:
    if not atoms(value):
        return []
    number = number_of(first(value))
    made = Decimal(repr(number) if isinstance(number, float) else number).to_integral_value(ROUND_HALF_UP)
    return [type(number)(made)]


def _extreme(choose: Callable[[Any], Any]) -> Function:
    return lambda _, items: [choose(_numbers(items))] if atoms(items) else []


def _average(_: Run, items: Sequence) -> Sequence:
    found = _numbers(items)
    return [_sum(found) / len(found)] if found else []


def _now(form: Callable[[datetime], Any]) -> Function:
    return lambda run: [form(datetime.fromtimestamp(run.clock(), UTC))]


def _property(run: Run, name: Sequence) -> Sequence:
    found = run.properties.get(_text(name))
    return [] if found is None else [found]


def _distinct(_: Run, items: Sequence) -> Sequence:
    return list(dict.fromkeys(atoms(items)))


def _index_of(_: Run, items: Sequence, wanted: Sequence) -> Sequence:
    return [at for at, each in enumerate(atoms(items), 1) if text_of(each) == _text(wanted)]


def _subsequence(_: Run, items: Sequence, start: Sequence, length: Sequence | None = None) -> Sequence:
    begin = int(number_of(first(start))) - 1
    end = None if length is None else begin + int(number_of(first(length)))
    return items[max(begin, 0) : end]


FUNCTIONS: dict[str, Function] = {
    "concat": lambda _, *items: ["".join(_text(each) for each in items)],
    "string": lambda _, *items: [_text(items[0])],
    "string-join": lambda _, items, by=None: [
        ("" if by is None else _text(by)).join(text_of(each) for each in atoms(items))
    ],
    "string-length": lambda _, text: [len(_text(text))],
    "substring": substring,
    "substring-before": lambda _, text, mark: [
        _text(text).partition(_text(mark))[0] if _text(mark) in _text(text) else ""
    ],
    "substring-after": lambda _, text, mark: [_text(text).partition(_text(mark))[2]],
    "upper-case": lambda _, text: [_text(text).upper()],
    "lower-case": lambda _, text: [_text(text).lower()],
    "normalize-space": lambda _, text: [" ".join(_text(text).split())],
    "translate": lambda _, text, of, to: [
        _text(text).translate(
            {ord(each): (_text(to)[at] if at < len(_text(to)) else None) for at, each in enumerate(_text(of))}
        )
    ],
    "contains": lambda _, text, part: [_text(part) in _text(text)],
    "starts-with": lambda _, text, part: [_text(text).startswith(_text(part))],
    "ends-with": lambda _, text, part: [_text(text).endswith(_text(part))],
    "replace": _replace,
    "matches": lambda _, text, pattern: [_pattern(_text(pattern)).search(_text(text)) is not None],
    "tokenize": lambda _, text, pattern: [*_pattern(_text(pattern)).split(_text(text))],
    "codepoints-to-string": lambda _, items: ["".join(chr(int(each)) for each in _numbers(items))],
    "string-to-codepoints": lambda _, text: [ord(each) for each in _text(text)],
    "number": lambda _, value: [float(number_of(first(value)))] if atoms(value) else [math.nan],
    "count": lambda _, items: [len(items)],
    "sum": lambda _, items: [_sum(_numbers(items))],
    "avg": _average,
    "min": _extreme(min),
    "max": _extreme(max),
    "round": _round,
    "round-half-to-even": _half_even,
    "floor": lambda _, value: [math.floor(number_of(first(value)))] if atoms(value) else [],
    "ceiling": lambda _, value: [math.ceil(number_of(first(value)))] if atoms(value) else [],
    "abs": lambda _, value: [abs(number_of(first(value)))] if atoms(value) else [],
    "not": lambda _, items: [not truth(items)],
    "boolean": lambda _, items: [truth(items)],
    "true": lambda _: [True],
    "false": lambda _: [False],
    "exists": lambda _, items: [bool(items)],
    "empty": lambda _, items: [not items],
    "distinct-values": _distinct,
    "index-of": _index_of,
    "subsequence": _subsequence,
    "reverse": lambda _, items: items[::-1],
    "data": lambda _, items: atoms(items),
    "local-name": lambda _, items: [getattr(items[0], "name", "")] if items else [""],
    "name": lambda _, items: [getattr(items[0], "name", "")] if items else [""],
    "current-dateTime": _now(lambda now: now),
    "current-date": _now(datetime.date),
    "current-time": _now(datetime.time),
    "getUserDefinedProperty": _property,
    "getMessageFlowName": lambda run: [run.labels["MESSAGEFLOWLABEL"]],
    "getNodeLabel": lambda run: [run.labels["NODELABEL"]],
    "getBrokerName": lambda run: [run.labels["BROKERNAME"]],
    "getIntegrationServerName": lambda run: [run.labels["EXECUTIONGROUPLABEL"]],
    "getQueueManagerName": lambda run: [run.labels["QUEUEMANAGERNAME"]],
    "generateUUID": lambda run: [str(run.make_uuid())],
    "hexBinaryValue": lambda _, text: [_text(text).encode()],
}
