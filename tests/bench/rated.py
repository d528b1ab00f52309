"""One round trip per application per second, with rising numbers of applications until the response is slow.

Clients over TCP, 2 KB, persistent and not. Applications are threads of a few driving processes, as the
report had them, each with a connection of its own; a response counts from the intended time. The climb ends
when the mean response exceeds a second, when applications no longer keep their pace, or at a bound.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Figures
from penstock.lab.load import bindings, round_trip
from penstock.lab.load.ramp import Ramp, Step
from penstock.lab.load.schedule import spread
from tests.bench import published

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.crew import Observation, Role
    from penstock.lab.load.queue_server import QueueServer
    from penstock.lab.load.schedule import Pace
    from penstock.lab.load.setting import Setting

INTERVAL_SECONDS = 1.0
APPS_FIRST = 250
APPS_MAX = {False: 4000, True: 4000}
APPS_MAX_QUICK = 250
PROCESSES = 4
BODY = bytes(2048)


def measure(setting: Setting) -> Iterator[Result]:
    if bindings.CLIENT not in bindings.available():
        return
    table = Figures(
        "Rated: one round trip per application per second, client, 2 KB",
        ("persistence", "apps", "round trips /s", "mean ms", "p99 ms", "server %", "apps %", "MQ V5.3, 2002"),
    )
    for persistent in (False, True):
        bound = setting.size(APPS_MAX[persistent], APPS_MAX_QUICK)
        ramp = Ramp(
            APPS_FIRST, bound, stop=("response_over_1s", "pace_below_90"), successive=1, refined_max=0
        )
        with bindings.served(setting.folder, round_trip.DEFINITIONS) as server:
            while apps := ramp.following():
                seen = run(setting, server, apps, persistent)
                ramp.add(step_of(apps, seen))
                context = str(published.RATED[persistent]) if not ramp.following() else ""
                table.lines.append([_kind(persistent), *_cells(apps, seen), context])
    yield table


def run(setting: Setting, server: QueueServer, apps: int, persistent: bool) -> Observation:
    """Run some applications for a window of several of their intervals."""
    tasks = round_trip.servers(server.connect, persistent)
    for place in range(PROCESSES):
        share = apps // PROCESSES + (place < apps % PROCESSES)
        tasks.append((round_trip.DRIVER, partial(drive, server=server, apps=share, persistent=persistent)))
    with setting.crew(tasks) as crew:
        return crew.observe(1.5 * INTERVAL_SECONDS, 3 * INTERVAL_SECONDS, {server.process.session})


def step_of(apps: int, seen: Observation) -> Step:
    """Return what a ramp has to know of a window."""
    driver = round_trip.DRIVER
    return Step(apps, seen.rates[driver], seen.mean_ms(driver) / 1000, offered=apps / INTERVAL_SECONDS)


def drive(role: Role, *, server: QueueServer, apps: int, persistent: bool) -> None:
    """Be many applications: threads with a connection and a pace of their own."""
    connections = [server.connect() for _ in range(apps)]
    role.ready()
    counting = threading.Lock()
    for qm, pace in zip(connections, spread(apps, INTERVAL_SECONDS, time.monotonic()), strict=True):
        threading.Thread(
            target=_application, args=(role, qm, pace, persistent, counting), daemon=True
        ).start()
    threading.Event().wait()


def _application(role: Role, qm: Any, pace: Pace, persistent: bool, counting: threading.Lock) -> None:
    try:
        while True:
            time.sleep(pace.wait(time.monotonic()))
            due = pace.take()
            round_trip.round_trip(qm, BODY, persistent)
            with counting:
                role.took(int((time.monotonic() - due) * 1e9))
    except BaseException:  # noqa: BLE001 - an application that ends spoils the run, so the process ends
        traceback.print_exc()
        os._exit(1)


def _cells(apps: int, seen: Observation) -> list[str]:
    kind = round_trip.DRIVER
    return [
        f"{apps:,}",
        f"{seen.rates[kind]:,.0f}",
        f"{seen.mean_ms(kind):.2f}",
        f"{seen.percentile_ms(kind, 99):.2f}",
        f"{seen.usage.server:.0f}",
        f"{seen.usage.load:.0f}",
    ]


def _kind(persistent: bool) -> str:
    return "persistent" if persistent else "non-persistent"
