"""WHERE(attribute operator value): which rows a DISPLAY keeps.

Parsing checks that the attribute exists for one of the kinds displayed and that the operator suits it;
matching works on rows as they are shown, so that CURDEPTH and ALTDATE can be tested too.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.admin.syntax import SyntaxFault, near
from penstock.qmgr.catalogue.attributes import Attribute, Value, ValueRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.admin.mqsc_parser import Parameter

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "LT": operator.lt,
    "GT": operator.gt,
    "EQ": operator.eq,
    "NE": operator.ne,
    "LE": operator.le,
    "GE": operator.ge,
}
OPERATORS = (*COMPARISONS, "LK", "NL", "CT", "EX", "CTG", "EXG")
LIST_OPERATORS = frozenset({"CT", "EX", "CTG", "EXG"})
GENERIC_OPERATORS = frozenset({"LK", "NL", "CTG", "EXG"})


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition on a row."""

    attribute: str
    operator: str
    value: Value
    values: Mapping[str, int]

    def matches(self, row: Mapping[str, Value]) -> bool:
        """Return whether a row is kept; a row without the attribute is not."""
        found = row.get(self.attribute)
        if found is None:
            return False
        if self.operator in LIST_OPERATORS:
            items = found if isinstance(found, tuple) else tuple(str(found).split(","))
            contained = any(_like(item, str(self.value), self.operator.endswith("G")) for item in items)
            return contained == self.operator.startswith("C")
        if self.operator in ("LK", "NL"):
            return _like(str(found), str(self.value), True) == (self.operator == "LK")
        if isinstance(found, tuple):
            found = ",".join(found)
        return self._compare(found)

    def _compare(self, found: Value) -> bool:
        sign = _order(found, self.value, self.values)
        return COMPARISONS[self.operator](sign, 0)


def parse_where(
    parameter: Parameter, known: Callable[[str], Attribute | None], names: Iterable[str]
) -> Filter:
    """Return the filter that WHERE describes; SyntaxFault if it is invalid."""
    words = parameter.values or ()
    if len(words) != 3:
        raise parameter.value_fault("WHERE needs three words: WHERE( attribute operator value )")
    name, comparison, value = words
    attribute = known(name.text.upper())
    if attribute is None:
        hint = near(name.text.upper(), names)
        raise SyntaxFault(f"{name.text} cannot be asked for here", name.start, name.end, hint)
    word = comparison.text.upper()
    if word not in OPERATORS:
        text = f"{comparison.text} is not an operator; operators are {', '.join(OPERATORS)}"
        raise SyntaxFault(text, comparison.start, comparison.end)
    if word in LIST_OPERATORS and attribute.kind != "names":
        text = f"{word} is for lists; {attribute.name} is not a list"
        raise SyntaxFault(text, comparison.start, comparison.end)
    if word in ("LK", "NL") and attribute.kind not in ("string", "names"):
        text = f"{word} is for texts and names; {attribute.name} takes {attribute.allowed}"
        raise SyntaxFault(text, comparison.start, comparison.end)
    given = value.text
    if word not in GENERIC_OPERATORS and attribute.kind in ("integer", "keyword", "flag"):
        try:
            checked = attribute.check(given)
        except ValueRefused as refusal:
            raise SyntaxFault(
                refusal.detail, value.start, value.end, near(given, attribute.values)
            ) from refusal
        return Filter(attribute.name, word, checked, attribute.values)
    return Filter(attribute.name, word, given.rstrip(" "), attribute.values)


def status_attribute(name: str, sample: Mapping[str, Value]) -> Attribute | None:
    """Return a description of a status field, so that WHERE works on status rows too; None for no field."""
    if name not in sample:
        return None
    value = sample[name]
    kind = "integer" if isinstance(value, int) else "names" if isinstance(value, tuple) else "string"
    return Attribute(name, kind, value, -(2**62), 2**62, length=1024)


def _like(text: str, pattern: str, generic: bool) -> bool:
    if generic and pattern.endswith("*"):
        return text.startswith(pattern[:-1])
    return text == pattern


def _order(left: Value, right: Value, values: Mapping[str, int]) -> int:
    """Return a number below, equal to or above 0 as left is to right."""
    if isinstance(left, str) and isinstance(right, str):
        return (left > right) - (left < right)
    one = left if isinstance(left, int) else values.get(str(left), 0)
    two = right if isinstance(right, int) else values.get(str(right), 0)
    return one - two
