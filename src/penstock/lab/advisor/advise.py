"""Looks at a running queue manager and gives the advice that applies, with the measurement that supports it.

It reads status, objects and qm.ini, and changes nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from penstock.lab.advisor.rules import RULES, Facts, Rule, Said
from penstock.lab.analysis.curves import curves, peak
from penstock.lab.report.numbers import number

if TYPE_CHECKING:
    from collections.abc import Sequence


class Advice(NamedTuple):
    """One piece of advice for this queue manager; `now` is "" where it does not apply."""

    ids: str
    setting: str
    now: str
    advice: str
    change: str
    why: str


def facts_of(qm: Any) -> Facts:
    """Read the facts that the rules need from a queue manager."""
    status: dict[str, Any] = msgspec.to_builtins(qm.status())
    folder = Path(status["folder"])
    return Facts(
        status,
        _shown(qm, "DISPLAY QLOCAL(*) DEFPSIST CURDEPTH MAXDEPTH"),
        _shown(qm, "DISPLAY CHANNEL(*) ALL"),
        next(iter(_shown(qm, "DISPLAY QMGR ALL")), {}),
        _ini(folder / "qm.ini"),
        _same_device(folder),
        os.cpu_count() or 1,
    )


def advise(facts: Facts, rows: Sequence[dict[str, Any]] = (), *, everything: bool = False) -> list[Advice]:
    """Return the advice that applies, or with `everything` all rules."""
    points = curves(rows)
    found = []
    for rule in RULES:
        said = rule.applies(facts)
        if said is not None or everything:
            found.append(_advice(rule, said or Said("", ""), points))
    return found


def _advice(rule: Rule, said: Said, points: dict[str, Any]) -> Advice:
    return Advice(rule.ids, rule.setting, said.now, rule.advice, said.change, _why(rule, points))


def _why(rule: Rule, points: dict[str, Any]) -> str:
    """Quote the figures of this machine, or name the tests that would give them."""
    told = []
    for name in rule.tests:
        best = peak(points.get(name, ()))
        if best is not None:
            told.append(f"{name} {number(best.rate.middle)}/s")
    if told:
        return f"measured here: {', '.join(told)}"
    return f"not measured here: `penstock lab run {' '.join(rule.tests)}`"


def _shown(qm: Any, command: str) -> list[dict[str, Any]]:
    found = []
    for reply in qm.mqsc(command):
        attributes = getattr(reply, "attributes", None)
        if attributes:
            found.append(dict(attributes))
    return found


def _ini(path: Path) -> dict[str, dict[str, str]]:
    try:
        lines = path.read_text().splitlines()
    except OSError:  # another machine's, or not ours to read
        return {}
    found: dict[str, dict[str, str]] = {}
    stanza: dict[str, str] = {}
    for line in lines:
        text = line.strip()
        if text.endswith(":"):
            stanza = found.setdefault(text[:-1], {})
        elif "=" in text and not text.startswith(("#", "*")):
            name, _, value = text.partition("=")
            stanza[name.strip()] = value.strip()
    return found


def _same_device(folder: Path) -> bool | None:
    try:
        return (folder / "log").stat().st_dev == (folder / "queues").stat().st_dev
    except OSError:
        return None
