"""What a load needs: cores, syncs, memory and the response to expect, with its uncertainty.

It answers from measured profiles only: a size, persistence, connection or flow that was not measured is said
to be missing, with the test that measures it (8605). No clock, no I/O.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.lab.catalogue import catalogue
from penstock.lab.planner.profile import Estimate, Profile
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.lab.planner.profile import Check
    from penstock.model.errors import MQError

BUSY_RECOMMENDED = 0.7
BUSY_MAX = 0.9  # beyond this, queues grow faster than in this model
ROUND_TRIPS = {("client", False): "clnp1", ("client", True): "clpm3", ("local", False): "local_np1",
               ("local", True): "local_pm3", ("embedded", False): "local_np1_trusted",
               ("embedded", True): "local_pm3_trusted"}  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """The planned load."""

    rate: float
    size: int
    persistent: bool = False
    flow: str = ""
    via: str = "client"
    clients: int = 0


@dataclass(frozen=True)
class Answer:
    """What it needs on this machine."""

    cores: Estimate
    cores_recommended: int
    response_ms: Estimate | None
    syncs: Estimate | None
    written_mb: Estimate | None
    memory_mb: Estimate | None
    checks: Mapping[str, Check]
    tests: tuple[str, ...]
    best_rate: float
    notes: tuple[str, ...]


def plan(wanted: Wanted, rows: Sequence[dict[str, Any]], cores: int) -> Answer:
    """Answer from the figures of runs."""
    profile = profile_for(wanted, rows)
    kilobytes = wanted.size / 1024
    smallest, largest = profile.sizes
    if not smallest / 2 <= kilobytes <= largest * 2:
        sizes = f"{smallest:g} to {largest:g} KB were measured"
        raise _missing(wanted, f"{kilobytes:g} KB is beyond what was measured: {sizes}")
    fitted = {
        name: profile.fitted(name)
        for name in ("cpu_us", "p50_ms", "syncs_each", "written_bytes_each", "server_mb", "kb_a_connection")
    }
    cpu = fitted["cpu_us"]
    if cpu is None:
        raise _missing(wanted, "its processor time was not measured")
    need = cpu.at(kilobytes).times(wanted.rate / 1e6)
    notes = []
    if wanted.rate > profile.best_rate:
        notes.append(f"{wanted.rate:g}/s is beyond the {profile.best_rate:,.0f}/s that was reached here.")
    response = _response(fitted["p50_ms"], kilobytes, need, cores, notes)
    syncs = (
        fitted["syncs_each"].at(kilobytes).times(wanted.rate)
        if fitted["syncs_each"] and wanted.persistent
        else None
    )
    written = fitted["written_bytes_each"]
    return Answer(
        need,
        max(1, math.ceil(need.high / BUSY_RECOMMENDED)),
        response,
        syncs,
        written.at(kilobytes).times(wanted.rate / 1e6) if written else None,
        _memory(fitted, kilobytes, wanted.clients),
        {name: each.check for name, each in fitted.items() if each is not None},
        profile.tests,
        profile.best_rate,
        tuple(notes),
    )


def profile_for(wanted: Wanted, rows: Sequence[dict[str, Any]]) -> Profile:
    """Return the measured points of the wanted work; 8605 names the test that is missing."""
    known = catalogue()
    base = wanted.flow or ROUND_TRIPS[wanted.via, wanted.persistent]
    found, tests = [], set()
    for row in rows:
        if row["rate"] is None or row["state"] == "failed":
            continue
        test = known.get(row["test"])
        size = _size(row, test.load if test else {})
        name = (test.load.get("flow") if test else None) or row["test"]
        same = (
            name == wanted.flow if wanted.flow else row["test"] == base or row["test"].startswith(f"{base}_")
        )
        persistent = "persistent=True" in row["variant"] or bool(test and test.load.get("persistent"))
        if same and size is not None and persistent == wanted.persistent:
            found.append({**row, "kilobytes": size / 1024})
            tests.add(row["test"])
    if not found:
        raise _missing(wanted, "it was not measured")
    return Profile(tuple(sorted(tests)), tuple(found))


def _size(row: dict[str, Any], load: Mapping[str, Any]) -> float | None:
    if row["x_name"] == "bytes" and row["x"] is not None:
        return float(row["x"])
    size = load.get("bytes")
    return float(size) if size is not None else (1024.0 if not load else None)


def _response(fit: Any, kilobytes: float, need: Estimate, cores: int, notes: list[str]) -> Estimate | None:
    """Stretch the measured response by how busy the processors are."""
    if fit is None:
        return None
    busy = need.value / cores
    if busy > BUSY_MAX:
        notes.append(
            f"{need.value:.1f} of {cores} cores would be busy: no response time can be estimated beyond that."
        )
        return None
    base = fit.at(kilobytes)
    return Estimate(base.value, base.low * (1 - busy), base.high / (1 - min(BUSY_MAX, need.high / cores)))


def _memory(fitted: Mapping[str, Any], kilobytes: float, clients: int) -> Estimate | None:
    server, each = fitted["server_mb"], fitted["kb_a_connection"]
    if server is None:
        return None
    base = server.at(kilobytes)
    more = (
        each.at(kilobytes).times(clients / 1024) if each is not None and clients else Estimate(0.0, 0.0, 0.0)
    )
    return Estimate(base.value + more.value, base.low + more.low, base.high + more.high)


def _missing(wanted: Wanted, why: str) -> MQError:
    test = wanted.flow or ROUND_TRIPS[wanted.via, wanted.persistent]
    kind = "persistent" if wanted.persistent else "non-persistent"
    run = (
        f"penstock lab run {test}"
        if test in catalogue() or not wanted.flow
        else f"penstock lab run --flow {test}"
    )
    return error(mq.PSRC_LAB_MEASUREMENT, f"{test}, {kind}: {why}; measure it with `{run}`", test=test)
