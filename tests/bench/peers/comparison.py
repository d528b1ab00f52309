"""Runs scenarios on systems whose servers all stand ready, in rounds that take turns.

In each round every system runs once, another one first each time; a round before the first is not
counted, so that a Java machine is warm and files exist. A system that fails in a scenario is left out of
it and named. Servers that wait for their turn are idle; what they use is counted as foreign.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Figures, Result, Row
from penstock.lab.load.crew import Crew, Observation, RoleFailed
from tests.bench.peers.peer import Peer, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.bench.peers.scenario import Scenario

FOREIGN_PERCENT_MAX = 25.0
_numbers = count(1)


@dataclass(frozen=True)
class Timing:
    """How long each run takes."""

    warm_seconds: float
    window_seconds: float


@dataclass(frozen=True)
class Run:
    """One system's run in one round."""

    rate: float
    server_percent: float
    load_percent: float
    foreign_percent: float
    flushes: float
    microseconds: float  # processor time of server and clients for one operation


@dataclass
class Findings:
    """All runs of one scenario, by system, and what failed."""

    scenario: Scenario
    runs: dict[str, list[Run]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def compare(
    scenario: Scenario,
    peers: Sequence[Peer],
    rounds: int,
    timing: Timing,
    folder: Path,
    progress: Callable[[str], None],
) -> Findings:
    """Run a scenario on each system in each round."""
    found = Findings(scenario, {peer.key: [] for peer in peers})
    for number in range(rounds + 1):
        for peer in in_turn(peers, number):
            if peer.key in found.failures:
                continue
            try:
                run = run_once(scenario, peer, timing, folder)
            except RoleFailed as failure:
                found.failures[peer.key] = str(failure)
                del found.runs[peer.key]
                progress(f"{peer.name} failed: {failure}")
                continue
            if number:
                found.runs[peer.key].append(run)
                progress(f"{number}/{rounds} {peer.name}: {run.rate:,.0f}/s")
    return found


def in_turn(peers: Sequence[Any], number: int) -> list[Any]:
    """Return the systems in the order of a round.

    >>> in_turn("abc", 0), in_turn("abc", 4)
    (['a', 'b', 'c'], ['b', 'c', 'a'])
    """
    first = number % len(peers)
    return [*peers[first:], *peers[:first]]


def run_once(scenario: Scenario, peer: Peer, timing: Timing, folder: Path) -> Run:
    """Run a scenario on one system, with a queue of its own that is gone afterwards."""
    work = Work(f"bench{next(_numbers)}", b"x" * scenario.body_bytes, scenario.durable)
    logs = Path(tempfile.mkdtemp(dir=folder))
    peer.prepare(work)
    try:
        with Crew(scenario.tasks(peer, work), logs) as crew:
            seen = crew.observe(timing.warm_seconds, timing.window_seconds, peer.sessions)
        return _run(scenario, seen)
    finally:
        peer.clean(work)
        shutil.rmtree(logs, ignore_errors=True)


def _run(scenario: Scenario, seen: Observation) -> Run:
    usage, rate = seen.usage, scenario.rate(seen)
    return Run(rate, usage.server, usage.load, usage.foreign, usage.flushes, usage.microseconds(rate))


def results(found: Findings, peers: Sequence[Peer]) -> list[Result]:
    """Return the ratios of Penstock to each peer, and the figures of all."""
    names = {peer.key: peer for peer in peers}
    rows: list[Result] = []
    ours = found.runs.get(found.scenario.subject)
    for key, theirs in found.runs.items():
        if ours and key != found.scenario.subject:
            rates = [run.rate for run in ours], [run.rate for run in theirs]
            target = found.scenario.targets.get(key)
            rows.append(Row(found.scenario.what, names[key].name, "/s", *rates, target=target))
    return [*rows, figures(found, names)]


def figures(found: Findings, names: dict[str, Peer]) -> Figures:
    """Return one line a system: rate, spread, processor time and use in percent of a core, flushes."""
    table = Figures(
        found.scenario.what,
        (
            "system",
            "median /s",
            "lowest",
            "highest",
            "µs each",
            "server %",
            "clients %",
            "foreign %",
            "flushes /s",
        ),
        note=_note(found, names),
    )
    for key, runs in found.runs.items():
        rates = [run.rate for run in runs]
        values = [median(rates), min(rates), max(rates), median(run.microseconds for run in runs)]
        for part in ("server_percent", "load_percent", "foreign_percent", "flushes"):
            values.append(median(getattr(run, part) for run in runs))
        table.lines.append([names[key].name, *(f"{value:,.0f}" for value in values)])
    return table


def _note(found: Findings, names: dict[str, Peer]) -> str:
    parts = [f"{names[key].name} failed: {text.splitlines()[-1]}" for key, text in found.failures.items()]
    if found.scenario.durable:
        parts += [f"{names[key].name}: {names[key].durability}" for key in found.runs]
    runs = [run for every in found.runs.values() for run in every]
    disturbed = sum(run.foreign_percent > FOREIGN_PERCENT_MAX for run in runs)
    if disturbed:
        parts.append(f"{disturbed} of {len(runs)} runs had more than {FOREIGN_PERCENT_MAX:.0f} % foreign use")
    return "; ".join(parts)
