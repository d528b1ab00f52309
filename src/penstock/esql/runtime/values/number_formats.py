"""FORMAT of numbers: `#,##0.00;(#,##0.00):groupsep=.:decsep=,` and the like, compiled once into a plan.

The language of ICU's decimal formats as ESQL documents it: 0 # , . E ; ' * and literal text. Casts call
`format_number` and `parse_number`; no other module uses a plan. Rounding is half-even, as ICU's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache

from penstock.esql.runtime.function_errors import argument_error, cast_error

PLANS_KEPT = 256
PATTERN_MAX = 500
_WIDE = Context(prec=PATTERN_MAX + 6200)  # all digits of the largest DECIMAL
_NUMBER = re.compile(r"([#0,]*)(?:\.([#0,]*))?(?:[eE](\+?)(0+))?")


@dataclass(frozen=True, slots=True)
class NumberPlan:
    """A parsed pattern; sizes of groups are 0 if there are none, and so is `exponent`."""

    prefix: str
    suffix: str
    minus_prefix: str
    minus_suffix: str
    integer_min: int
    integer_max: int
    fraction_min: int
    fraction_max: int
    group: int
    outer_group: int
    exponent: int
    exponent_plus: bool
    pad: str
    width: int
    point: str
    separator: str


def format_number(value: float | Decimal, pattern: str) -> str:
    """Return a number formatted by the pattern.

    >>> format_number(Decimal("-31415.926"), "#,##0.00;(#,##0.00)")
    '(31,415.93)'
    """
    plan = number_plan(pattern)
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        return "NAN" if exact.is_nan() else ("INF" if exact > 0 else "-INF")
    body = _exponential(plan, abs(exact)) if plan.exponent else _plain(plan, abs(exact))
    if exact < 0 and any(digit in "123456789" for digit in body):
        text = f"{plan.minus_prefix}{body}{plan.minus_suffix}"
    else:
        text = f"{plan.prefix}{body}{plan.suffix}"
    return text.rjust(plan.width, plan.pad) if plan.pad else text


def parse_number(text: str, pattern: str) -> Decimal:
    """Return the number that a text in the form of the pattern means.

    >>> parse_number("(1.234,50)", "#,##0.00;(#,##0.00):groupsep=.:decsep=,")
    Decimal('-1234.50')
    """
    plan = number_plan(pattern)
    given = text.strip().lstrip(plan.pad or None) if plan.pad else text.strip()
    minus = (-1, plan.minus_prefix.strip(), plan.minus_suffix.strip())
    for sign, prefix, suffix in (minus, (1, plan.prefix.strip(), plan.suffix.strip())):
        if given.startswith(prefix) and given.endswith(suffix):
            found = _digits(plan, given[len(prefix) : len(given) - len(suffix)].strip())
            if found is not None:
                return sign * found
    raise cast_error(text, "a number", f"it is not in the form '{pattern}'")


def _digits(plan: NumberPlan, body: str) -> Decimal | None:
    if plan.group and plan.separator:
        body = body.replace(plan.separator, "")
    if plan.point != ".":
        if "." in body:
            return None
        body = body.replace(plan.point, ".")
    if not re.fullmatch(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", body):
        return None
    return Decimal(body)


def _plain(plan: NumberPlan, value: Decimal) -> str:
    rounded = value.quantize(Decimal((0, (1,), -plan.fraction_max)), ROUND_HALF_EVEN, _WIDE)
    whole, _, fraction = format(rounded, "f").partition(".")
    return _assembled(plan, whole, fraction)


def _assembled(plan: NumberPlan, whole: str, fraction: str) -> str:
    whole = whole.lstrip("0").rjust(plan.integer_min, "0")
    fraction = fraction.rstrip("0").ljust(plan.fraction_min, "0")
    if not whole and not fraction:
        whole = "0"
    if plan.group:
        whole = _grouped(plan, whole)
    return whole + (plan.point + fraction if fraction else "")


def _grouped(plan: NumberPlan, whole: str) -> str:
    head, groups = whole[: -plan.group], [whole[-plan.group :]]
    while head:
        groups.append(head[-plan.outer_group :])
        head = head[: -plan.outer_group]
    return plan.separator.join(reversed(groups))


def _exponential(plan: NumberPlan, value: Decimal) -> str:
    adjusted = value.adjusted() if value else 0
    if plan.integer_max > plan.integer_min and plan.integer_max > 1:
        exponent = adjusted // plan.integer_max * plan.integer_max
    else:
        exponent = adjusted - max(plan.integer_min, 1) + 1
    mantissa = value.scaleb(-exponent, _WIDE)
    rounded = mantissa.quantize(Decimal((0, (1,), -plan.fraction_max)), ROUND_HALF_EVEN, _WIDE)
    whole, _, fraction = format(rounded, "f").partition(".")
    sign = "-" if exponent < 0 else ("+" if plan.exponent_plus else "")
    return f"{_assembled(plan, whole, fraction)}E{sign}{abs(exponent):0{plan.exponent}d}"


@lru_cache(maxsize=PLANS_KEPT)
def number_plan(pattern: str) -> NumberPlan:
    """Return the plan of a pattern; raise if it is invalid."""
    if len(pattern) > PATTERN_MAX:
        raise argument_error(f"a FORMAT of {len(pattern)} characters; at most {PATTERN_MAX}")
    body, separator, point = _options(pattern)
    parts = _split(body)
    prefix, number, suffix, pad = _affixes(pattern, parts[0])
    minus_prefix, minus_suffix = "-" + prefix, suffix
    if len(parts) > 1:
        minus_prefix, _, minus_suffix, _ = _affixes(pattern, parts[1])
    whole, fraction, plus, exponent = number.groups()
    fraction = (fraction or "").replace(",", "")
    digits = whole.replace(",", "")
    groups = whole.split(",")[1:]
    return NumberPlan(
        prefix,
        suffix,
        minus_prefix,
        minus_suffix,
        digits.count("0"),
        len(digits),
        fraction.count("0"),
        len(fraction),
        len(groups[-1]) if groups else 0,
        len(groups[-2]) if len(groups) > 1 else len(groups[-1]) if groups else 0,
        len(exponent or ""),
        bool(plus),
        pad,
        len(parts[0]) - 2 if pad else 0,
        point,
        separator,
    )


def _options(pattern: str) -> tuple[str, str, str]:
    """Return the pattern without `:groupsep=x:decsep=y`, and the two separators."""
    separator, point = ",", "."
    while True:
        found = re.search(r":(groupsep|decsep)=([^:]*)$", pattern)
        if found is None:
            return pattern, separator, point
        pattern = pattern[: found.start()]
        if found[1] == "groupsep":
            separator = found[2]
        else:
            point = found[2]


def _split(body: str) -> list[str]:
    """Return the subpatterns: what semicolons outside quotes separate."""
    parts, quoted = [""], False
    for letter in body:
        quoted ^= letter == "'"
        if letter == ";" and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _affixes(pattern: str, part: str) -> tuple[str, re.Match[str], str, str]:
    """Return prefix, number, suffix and padding of a subpattern."""
    pad = ""
    padding = re.search(r"\*(.)", part)
    if padding:
        pad = padding[1]
        part = part[: padding.start()] + part[padding.end() :]
    prefix, at = _literal(part, 0)
    number = _NUMBER.match(part, at)
    if number is None or not re.search("[#0]", number[0]):
        raise argument_error(f"FORMAT '{pattern}' has no digits: write 0 or #")
    suffix, end = _literal(part, number.end())
    if end < len(part):
        raise argument_error(f"FORMAT '{pattern}' has digits in two places")
    return prefix, number, suffix, pad


def _literal(part: str, at: int) -> tuple[str, int]:
    """Return literal text from a place on, without its quotes, and where it ends."""
    text = ""
    while at < len(part) and part[at] not in "#0,.":
        if part[at] == "'":
            end = part.find("'", at + 1)
            if end < 0:
                end = len(part)
            text += part[at + 1 : end] or "'"
            at = end + 1
        else:
            text += part[at]
            at += 1
    return text, at
