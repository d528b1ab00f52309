"""The contents of a catalogue file: one test, its load, its values, and its published figures.

`load` names a work and its settings; `points` changes some of them, point by point, or a `ramp` raises one
number until a rule stops it. `extends` takes another test and changes keys. Unknown keys are refused with
the place of the mistake. No I/O here.
"""

from __future__ import annotations

from typing import Any

import msgspec

from penstock.lab.load.ramp import RULES
from penstock.model import constants as mq
from penstock.model.errors import error

WORKS = ("round_trip", "one_way", "publish", "sessions", "connections", "verbs", "flow", "event", "replay")
NEVER_INHERITED = ("test", "also", "needs", "published", "said", "note", "smoke")


class RampPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number of the load that rises until a rule stops it."""

    over: str
    first: int
    last: int
    stop: tuple[str, ...] = ("rate_falls", "response_over_1s")
    smoke: int = 1


class Fit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which figure is a line over which value."""

    kind: str
    y: str
    x: str


class PublishedFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"file": "from"}):
    """Which rows of a file of published figures belong to a test; `*` stands for anything."""

    file: str
    where: dict[str, str]


class Test(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One test of the catalogue."""

    test: str
    title: str
    seed: str
    section: str
    what: str
    also: str = ""
    needs: tuple[str, ...] = ()
    load: dict[str, Any] = {}
    ramp: RampPlan | None = None
    points: tuple[dict[str, Any], ...] = ()
    over: str = ""
    smoke: dict[str, Any] = {}
    fit: Fit | None = None
    published: PublishedFigures | None = None
    said: str = ""
    note: str = ""

    @property
    def work(self) -> str:
        return str(self.load.get("work", ""))

    @property
    def x_name(self) -> str:
        """The value that the test varies."""
        return self.ramp.over if self.ramp else self.over

    @property
    def smoke_point(self) -> dict[str, Any]:
        """The one point of a smoke run."""
        if self.ramp:
            return {self.ramp.over: self.ramp.smoke, **self.smoke}
        return {**(self.points[0] if self.points else {}), **self.smoke}


def test_of(values: dict[str, Any], place: str) -> Test:
    """Return the test that a file's values describe; 8602 names the file and the key."""
    try:
        test = msgspec.convert(values, Test)
    except msgspec.ValidationError as failure:
        raise error(mq.PSRC_LAB_FILE, f"{place}: {failure}", file=place) from None
    for complaint in _complaints(test):
        raise error(mq.PSRC_LAB_FILE, f"{place}: {complaint}", file=place)
    return test


def _complaints(test: Test) -> list[str]:
    found = []
    if test.load and test.work not in WORKS:
        found.append(f"no work is called {test.work!r}; there are {', '.join(WORKS)}")
    if not test.load and not test.needs:
        found.append("a test without needs has a load")
    if test.ramp and test.points:
        found.append("a test has a ramp or points, not both")
    if test.ramp and not 1 <= test.ramp.first <= test.ramp.last:
        found.append(f"a ramp from {test.ramp.first} to {test.ramp.last} does not rise")
    if test.ramp and (unknown := set(test.ramp.stop) - set(RULES)):
        found.append(f"no stop rule is called {sorted(unknown)[0]!r}; there are {', '.join(RULES)}")
    if test.fit and test.fit.kind not in ("line", "broken_line"):
        found.append(f"no fit is called {test.fit.kind!r}; there are line and broken_line")
    return found


def extended(base: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a test that takes another one's and changes keys; `load` is changed key by key."""
    inherited = {key: value for key, value in base.items() if key not in NEVER_INHERITED}
    merged = {**inherited, **values}
    if "load" in values and "load" in inherited:
        merged["load"] = {**inherited["load"], **values["load"]}
    merged.pop("extends", None)
    return merged
