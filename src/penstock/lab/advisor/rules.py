"""The reports' tuning advice as data: one row of `advice.csv` for each piece, with the tests that measure it.

`ids` are the report's number and its place there. A `seen` names the sign that shows it on a queue manager
(`signs.py`, `group_signs.py`); advice without one is about design, and nothing of a queue manager shows it.
What the reports advise about things that do not exist here has no row.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from penstock.lab.advisor.group_signs import GROUP_SIGNS
from penstock.lab.advisor.signs import SIGNS, Said

if TYPE_CHECKING:
    from penstock.lab.advisor.facts import Facts

FILE = Path(__file__).with_name("advice.csv")
ALL_SIGNS = {**SIGNS, **GROUP_SIGNS}


class Rule(NamedTuple):
    """One piece of advice."""

    ids: str
    setting: str
    condition: str
    advice: str
    here: str  # the setting of ours that it is about, or what takes its place
    tests: tuple[str, ...]
    seen: str

    def applies(self, facts: Facts) -> Said | None:
        """Return what shows that it applies, or None."""
        return ALL_SIGNS[self.seen](facts) if self.seen else None


@cache
def rules() -> tuple[Rule, ...]:
    """Return all rules, in the order of the reports."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return tuple(
            Rule(ids, setting, condition, advice, here, tuple(tests.split()), seen)
            for ids, setting, condition, advice, here, tests, seen in list(csv.reader(file))[1:]
        )
