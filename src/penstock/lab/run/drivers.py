"""Drivers on other machines: the measured roles run there, so that load and server are separated.

The conductor runs a queue manager of its own for the control messages; a driver is an ordinary client of it.
It plays roles that the laboratory knows by name, and nothing else. Between begin and end nothing is sent.
Clocks are monotonic ones; the offset of each driver's is that of the quickest of some round trips, so it is
wrong by half of that round trip at most.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import penstock
from penstock.lab.load import histogram
from penstock.lab.load.crew import COUNTERS, KINDS, Observation
from penstock.lab.load.queue_server import QueueServer
from penstock.lab.measure.processor import Usage
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from penstock.face.blocking import BlockingQueueManager
    from penstock.lab.load.roles import Spec
    from penstock.lab.run.tiers import Tier

CONTROL, REPLIES = "LAB.DRIVER.", "LAB.REPLIES"
ANSWER_SECONDS_MAX = 300.0  # a driver may have to be started first
PINGS = 32
BEGIN_AHEAD_SECONDS = 0.3


@dataclass(frozen=True)
class Clock:
    """A driver's clock: its offset to ours, and how wrong that may be."""

    offset: float
    error: float


class Drivers:
    """The drivers of a run, as their conductor sees them."""

    def __init__(self, qm: BlockingQueueManager, names: Sequence[str], host: str, version: str) -> None:
        self.names = list(names)
        self.host = host
        self._qm = qm
        self._number = 0
        self.clocks = {name: self._greet(name, version) for name in names}

    def begin(self, specs: Sequence[Spec], kinds: int, tier: Tier) -> Far:
        """Share roles out, wait until all are ready, and let all begin at one moment."""
        shares: dict[str, list[Spec]] = {name: [] for name in self.names}
        for place, spec in enumerate(specs):
            shares[self.names[place % len(self.names)]].append(spec)
        working = {name: some for name, some in shares.items() if some}
        for name, some in working.items():
            about = {"specs": [list(spec) for spec in some], "kinds": kinds}
            durations = {"warm_s": tier.warm_s, "window_s": tier.window_s, "slices": tier.slices}
            self._send(name, {"do": "prepare", **about, **durations})
        for name in working:
            self._answer(name, "ready")
        begin = time.monotonic() + BEGIN_AHEAD_SECONDS
        for name in working:
            self._send(name, {"do": "begin", "at": begin + self.clocks[name].offset})
        return Far(self, list(working))

    def end(self) -> None:
        """Release the drivers."""
        for name in self.names:
            self._send(name, {"do": "end"})

    def _greet(self, name: str, version: str) -> Clock:
        best = Clock(0.0, float("inf"))
        for _ in range(PINGS):
            sent = time.monotonic()
            self._send(name, {"do": "ping"})
            answer = self._answer(name, "pong")
            back = time.monotonic()
            if answer["version"] != version:
                text = f"{name} has version {answer['version']}, the conductor {version}"
                raise error(mq.PSRC_LAB_DRIVER, text, driver=name)
            if (back - sent) / 2 < best.error:
                best = Clock(answer["clock"] - (sent + back) / 2, (back - sent) / 2)
        return best

    def _send(self, name: str, about: dict[str, Any]) -> None:
        self._qm.put(f"{CONTROL}{name}", json.dumps(about).encode())

    def _answer(self, name: str, what: str) -> dict[str, Any]:
        message = self._qm.get(REPLIES, correl_id=named(name), wait=ANSWER_SECONDS_MAX)
        if message is None:
            raise error(mq.PSRC_LAB_DRIVER, f"{name} does not answer", driver=name)
        answer: dict[str, Any] = json.loads(message.body or b"")
        if answer["what"] != what:
            raise error(mq.PSRC_LAB_DRIVER, f"{name}: {answer.get('why', answer['what'])}", driver=name)
        return answer


@contextmanager
def conducted(
    names: Sequence[str], host: str, folder: Path, tell: Callable[[str], None]
) -> Iterator[Drivers]:
    """Run the queue manager of the control messages, wait for the drivers, and let them go afterwards."""
    definitions = [f"DEFINE QLOCAL('{CONTROL}{name}')" for name in names]
    server = QueueServer(folder, [*definitions, f"DEFINE QLOCAL({REPLIES})"], host=host)
    try:
        for name in names:
            tell(f"Start on the other machine: penstock lab driver '{server.address}' --name {name}")
        with server.connect_locally() as qm:
            drivers = Drivers(qm, names, host, penstock.__version__)
            try:
                yield drivers
            finally:
                drivers.end()
    finally:
        server.stop()


class Far:
    """A window that drivers work in."""

    def __init__(self, drivers: Drivers, names: list[str]) -> None:
        self._drivers = drivers
        self._names = names

    def join(self, slices: list[Observation]) -> list[Observation]:
        """Return our slices together with those of the drivers."""
        for name in self._names:
            answer = self._drivers._answer(name, "seen")
            slices = [
                together(mine, read(theirs)) for mine, theirs in zip(slices, answer["slices"], strict=True)
            ]
        return slices


def named(driver: str) -> bytes:
    """Return the correlation id of a driver's answers."""
    return driver.encode()[:24].ljust(24, b"\0")


def written(seen: Observation) -> dict[str, Any]:
    """Return an observation as JSON has it: only buckets that have something."""
    times = {"response": seen.times, **seen.more_times}
    return {
        "seconds": seen.usage.seconds,
        "load": seen.usage.load,
        "counters": seen.counters,
        "times": {
            kind: {role: [[b, c] for b, c in enumerate(counts) if c] for role, counts in by_role.items()}
            for kind, by_role in times.items()
        },
    }


def read(about: dict[str, Any]) -> Observation:
    """Return an observation from what `written` made."""
    times = {
        kind: {role: histogram.fold(tuple(pair) for pair in pairs) for role, pairs in by_role.items()}
        for kind, by_role in about["times"].items()
    }
    seconds = about["seconds"]
    return Observation(
        {role: counters[0] / seconds for role, counters in about["counters"].items()},
        times["response"],
        Usage(seconds, 0.0, about["load"], 0.0, 0.0),
        about["counters"],
        {kind: times[kind] for kind in KINDS[1:] if kind in times},
    )


def together(mine: Observation, other: Observation) -> Observation:
    """Return two observations of one slice as one."""
    counters = {role: list(values) for role, values in mine.counters.items()}
    for role, values in other.counters.items():
        known = counters.setdefault(role, [0] * COUNTERS)
        counters[role] = [a + b for a, b in zip(known, values, strict=True)]
    rates = dict(mine.rates)
    for role, rate in other.rates.items():
        rates[role] = rates.get(role, 0.0) + rate
    more = {
        kind: _added(mine.more_times.get(kind, {}), other.more_times.get(kind, {}))
        for kind in {**mine.more_times, **other.more_times}
    }
    return Observation(rates, _added(mine.times, other.times), mine.usage, counters, more)


def _added(mine: dict[str, list[int]], other: dict[str, list[int]]) -> dict[str, list[int]]:
    roles = {**mine, **other}
    return {role: histogram.added([each[role] for each in (mine, other) if role in each]) for role in roles}
