"""Folders of runs with known figures, for tests of analysis, planner, report."""

from __future__ import annotations

import random
from pathlib import Path

from penstock.lab.load import histogram
from penstock.lab.run.folder import RunFolder

MACHINE = {
    "cpu": "a processor", "cores": "2", "memory": "8 GiB", "kernel": "Linux 6", "file system": "ext4",
    "python": "3.11", "penstock": "0.1.0", "commit": "abc",
}  # fmt: skip
FLOORS = {"sync_us": 200.0, "sync_us_p99": 900.0, "loop_ns": 15.0, "loopback_us": 30.0, "copy_gb_s": 5.0}


def made_run(
    path: Path, tests: dict[str, dict], rounds: int = 5, seed: int = 1, noise: float = 0.02
) -> RunFolder:
    """Write a run; a test has xs, and functions of x for the rate and for the costs in microseconds."""
    chance = random.Random(seed)
    about = {
        "run_id": f"run{seed}",
        "tier": "standard",
        "rounds": rounds,
        "begun": 1.7e9,
        "command": ["lab", "run"],
    }
    about |= {"tests": list(tests), "not_run": {"dsblock": "shared queues are not in this version"}}
    about |= {
        "sittings": [{"begun": 1.7e9, "load": 0.1, "machine": MACHINE, "floors": FLOORS}],
        "window_s": 5.0,
    }
    folder = RunFolder.create(path, about)
    place = 0
    for test, known in tests.items():
        for x in known["xs"]:
            for number in range(rounds):
                place += 1
                _step(folder, place, test, x, number, known, 1 + chance.gauss(0, noise))
    return folder


def _used(operations: int) -> dict[str, int]:
    """Return what a process used besides processor time."""
    return {
        "busiest_thread_ns": 10**9,
        "waited_ns": 0,
        "switches_voluntary": operations,
        "switches_forced": 0,
        "read_bytes": 0,
        "write_bytes": operations << 20,  # as kernels count that account whole folios
        "write_calls": 1,
        "rss_bytes": 10**8,
        "threads": 4,
    }


def _step(
    folder: RunFolder, place: int, test: str, x: float, number: int, known: dict, factor: float
) -> None:
    step_id, role = f"{place:012x}", known.get("role", "driver")
    rate = known["rate"](x) * factor
    operations = round(rate * 5)
    response = round(known.get("response_ms", lambda x: 2.0)(x) * 1e6)
    step = {
        "step_id": step_id, "test": test, "variant": known.get("variant", ""),
        "x_name": known.get("x_name", "applications"), "x": x, "round": number, "place": place,
        "sitting": 0, "begun": 1.7e9, "warm_s": 1.0, "window_s": 5.0,
        "state": "ok", "why": "", "measured": role, "unit": "round trips",
        "offered": known.get("offered", 0.0),
        "messages": 2.0, "foreign_percent": 3.0, "kind": "point",
    }  # fmt: skip
    used = _used(operations)
    server_us, load_us = known.get("server_us", lambda x: 100.0)(x), known.get("load_us", lambda x: 150.0)(x)
    costs = {"server": server_us * factor, "load": load_us * factor}
    samples = {
        "role": role,
        "slice": 0,
        "seconds": 5.0,
        "operations": operations,
        "bytes": 0,
        "errors": 0,
        "overdue": 0,
    }
    spread = [
        (histogram.bucket_of(round(response * share)), max(1, round(operations * part)))
        for share, part in ((0.8, 0.5), (1.0, 0.4), (2.0, 0.1))
    ]
    times = [
        {"role": role, "kind": "response", "slice": 0, "bucket": bucket, "count": count}
        for bucket, count in spread
    ]
    facts = {
        "log_syncs": operations * known.get("syncs", 0.0),
        "log_bytes_written": operations * known.get("logged", 0.0),
        "log_sync_seconds": 0.5,
        **known.get("facts", lambda x: {})(x),
    }
    tables = {
        "steps": [step],
        "samples": [{"step_id": step_id, **samples}],
        "times": [{"step_id": step_id, **row} for row in times],
        "processes": [
            {"step_id": step_id, "part": part, "cpu_ns": round(cost * 1000 * operations), **used}
            for part, cost in costs.items()
        ],
        "facts": [{"step_id": step_id, "name": name, "value": float(value)} for name, value in facts.items()],
    }
    summary = {
        "test": test,
        "x": x,
        "round": number,
        "state": "ok",
        "rate": rate,
        "response_s": 0.0,
        "offered": 0.0,
    }
    folder.write_step(step_id, summary, tables)
