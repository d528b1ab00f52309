"""One window: arrange a load, let it run, and return the measurements as rows for the run's folder."""

from __future__ import annotations

import tempfile
import time
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from penstock.lab.load import histogram, probes
from penstock.lab.load.crew import Crew
from penstock.lab.load.playing import task
from penstock.lab.load.several import Company, several_under_test, wait_for
from penstock.lab.load.system_under_test import EMBEDDED, under_test
from penstock.lab.load.works import SEVERAL, WORKS, arrangement
from penstock.lab.measure import processes
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.lab.load.arrangement import Arrangement
    from penstock.lab.load.crew import Observation
    from penstock.lab.load.system_under_test import Subject
    from penstock.lab.run.drivers import Drivers
    from penstock.lab.run.tiers import Tier

UNSTEADY = 0.10  # two halves of a window differ by more


@dataclass
class Window:
    """What one window showed."""

    rate: float = 0.0
    response_s: float = 0.0
    offered: float = 0.0
    measured: str = ""
    unit: str = ""
    messages: float = 1.0
    state: str = "ok"
    why: str = ""
    foreign_percent: float = 0.0
    samples: list[dict[str, Any]] = field(default_factory=list)
    times: list[dict[str, Any]] = field(default_factory=list)
    processes: list[dict[str, Any]] = field(default_factory=list)
    facts: list[dict[str, Any]] = field(default_factory=list)


class Bench:
    """Where windows are run: a folder on a real disk, a server that steps may share, drivers elsewhere."""

    def __init__(self, folder: Path, tier: Tier, drivers: Drivers | None = None) -> None:
        self.folder = folder
        self.tier = tier
        self.drivers = drivers
        self._number = 0
        self._stack = ExitStack()
        self._shared: dict[Company, Subject] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def subject(self, load: dict[str, Any]) -> Any:
        """Return the queue manager that a test needs, as a context; none for a probe."""
        if load["work"] not in WORKS:
            return nullcontext(None)
        company, embedded = _company(load), load.get("via") == EMBEDDED
        if self.tier.climbs or embedded:
            return self._start(company, embedded=embedded)
        if company not in self._shared:  # a first look need not pay for a server of each test
            self._shared[company] = self._stack.enter_context(self._start(company))
        return nullcontext(self._shared[company])

    def _start(self, company: Company, *, embedded: bool = False) -> AbstractContextManager[Subject]:
        if company.kind and self.drivers:
            text = "tests of several queue managers have no drivers on other machines yet"
            raise error(mq.PSRC_LAB_RUN, text)
        if company.kind:
            return several_under_test(self.folder, company)
        host = self.drivers.host if self.drivers else "127.0.0.1"
        return under_test(self.folder, embedded=embedded, host=host, trusted=company.trusted)

    def run(self, load: dict[str, Any], subject: Subject | None) -> Window:
        """Run one window of a load."""
        if load["work"] not in WORKS:
            return self._probe(load)
        assert subject is not None
        self._number += 1
        made = arrangement(load, subject, f"T{self._number}.")
        if made.threads:  # an embedded queue manager belongs to one process: a new one for each step
            with under_test(self.folder, embedded=True) as fresh:
                return self._play(arrangement(load, fresh, "T."), fresh)
        return self._play(made, subject)

    def _probe(self, load: dict[str, Any]) -> Window:
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            found = probes.probe(load, Path(place), self.tier.window_s)
        return Window(
            measured="probe", facts=[{"name": name, "value": value} for name, value in found.items()]
        )

    def _play(self, made: Arrangement, subject: Subject) -> Window:
        for other in subject.others:
            other.define(made.elsewhere.get(other.name, ()))
        subject.define(made.definitions)
        for awaited in made.awaited:
            wait_for(subject, awaited)
        for name, count, about in made.inside:
            (at,) = (each for each in subject.members if each.name == name)
            at.start_inside(count, about)
        resident = _resident(subject)
        local, remote = made.specs, []
        if self.drivers:
            local = [spec for spec in made.specs if spec.kind != made.measured]
            remote = [spec for spec in made.specs if spec.kind == made.measured]
        with (
            tempfile.TemporaryDirectory(dir=self.folder) as logs,
            subject.traced(made.trace),
            Crew([task(spec) for spec in local], Path(logs), threads=made.threads, kinds=made.kinds) as crew,
        ):
            far = self.drivers.begin(remote, made.kinds, self.tier) if self.drivers else None
            time.sleep(self.tier.warm_s)
            database = subject.database
            members = {"server": processes.of_sessions(subject.sessions), "load": crew.processes}
            members |= {"database": database} if database else {}
            before = {part: processes.of(some) for part, some in members.items()}
            log = subject.log_figures()
            slices = crew.watch(0.0, self.tier.window_s, self.tier.slices, subject.sessions | database)
            log_after = subject.log_figures()
            used = {
                part: processes.between(before[part], processes.of(some)) for part, some in members.items()
            }
            if far is not None:
                slices = far.join(slices)
        window = _window(made, slices)
        window.processes = [{"part": part, **asdict(each)} for part, each in used.items()]
        window.facts += _log_facts(log, log_after) + _memory_facts(made, resident, used["server"].rss_bytes)
        return window


def _company(load: dict[str, Any]) -> Company:
    """Return which queue managers a load needs beside the first one."""
    kind = str(load.get("via", ""))
    trusted = load.get("server_via") == EMBEDDED and kind != EMBEDDED
    if kind not in SEVERAL:
        return Company(trusted=trusted)
    members = int(load.get("group_size", load.get("members", 1)))  # a point may use fewer of them
    several = (members, int(load.get("receivers", 1)), bool(load.get("queue_each")))
    return Company(kind, *several, trusted)


def _window(made: Arrangement, slices: list[Observation]) -> Window:
    """Turn slices into rows, and judge whether the window was steady."""
    window = Window(measured=made.measured, unit=made.unit, offered=made.offered, messages=made.messages)
    counts: list[list[int]] = []
    for number, seen in enumerate(slices):
        for role, counters in seen.counters.items():
            names = ("operations", "bytes", "errors", "overdue")
            row = {"role": role, "slice": number, "seconds": seen.usage.seconds}
            window.samples.append(row | dict(zip(names, counters, strict=True)))
        kinds = {"response": seen.times, **seen.more_times}
        for kind, by_role in kinds.items():
            for role, buckets in by_role.items():
                window.times += [
                    {"role": role, "kind": kind, "slice": number, "bucket": bucket, "count": count}
                    for bucket, count in enumerate(buckets)
                    if count
                ]
        counts.append(seen.times[made.measured])
    rates = [seen.rates[made.measured] for seen in slices]
    window.rate = sum(rates) / len(rates)
    window.response_s = histogram.mean_ns(histogram.added(counts)) / 1e9
    window.foreign_percent = sum(seen.usage.foreign for seen in slices) / len(slices)
    window.state, window.why = _state(made, window, rates)
    return window


def _state(made: Arrangement, window: Window, rates: list[float]) -> tuple[str, str]:
    if window.rate == 0:
        return "failed", "nothing was done in the window"
    mine = [row for row in window.samples if row["role"] == made.measured]
    if errors := sum(row["errors"] for row in mine):
        return "failed", f"{errors} operations failed"
    if sum(row["overdue"] for row in mine):
        return "saturated", "requests were more than 30 s late"
    half = len(rates) // 2
    if half and abs(sum(rates[:half]) / half / (sum(rates[-half:]) / half or 1e-9) - 1) > UNSTEADY:
        return "unsteady", "the halves of the window differ by more than 10 %"
    return "ok", ""


def _log_facts(before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    if not after:
        return []
    grown = {name: float(after[name] - before[name]) for name in ("syncs", "records", "bytes_written")}
    sums = [each["sync_seconds_mean"] * each["syncs"] for each in (before, after)]
    grown["sync_seconds"] = max(0.0, sums[1] - sums[0])
    return [{"name": f"log_{name}", "value": value} for name, value in grown.items()]


def _memory_facts(made: Arrangement, before: int, after: int) -> list[dict[str, Any]]:
    connections = sum(spec.arguments.get("applications", 1) for spec in made.specs)
    if not before or not connections:
        return []
    grown = (after - before) / 1024
    facts = {"server_kb": grown, "connections": float(connections)}
    if made.channel_ends:
        facts |= {"channel_ends": float(made.channel_ends), "kb_a_channel_end": grown / made.channel_ends}
    else:
        facts["kb_a_connection"] = grown / connections
    return [{"name": name, "value": value} for name, value in facts.items()]


def _resident(subject: Subject) -> int:
    return sum(processes.resident_bytes(each) for each in processes.of_sessions(subject.sessions))
