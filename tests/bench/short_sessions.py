"""Short sessions: connect, open two queues, five round trips, close, disconnect; clients over TCP, 2 KB.

Applications begin the next session at once, so the figure is what connecting and disconnecting allows, not
what a pace asks for; the published one was rated.
"""

from __future__ import annotations

from functools import partial
from statistics import median
from time import perf_counter_ns
from typing import TYPE_CHECKING

from penstock import Open
from penstock.lab.analysis.results import Figures
from penstock.lab.load import bindings, round_trip
from tests.bench import published

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.crew import Observation, Role
    from penstock.lab.load.queue_server import QueueServer
    from penstock.lab.load.setting import Setting

APPS = (1, 4, 16)
ROUND_TRIPS = 5
BODY = bytes(2048)
SESSION = "session"


def measure(setting: Setting) -> Iterator[Result]:
    if bindings.CLIENT not in bindings.available():
        return
    table = Figures(
        f"Short sessions of {ROUND_TRIPS} round trips, client, non-persistent, 2 KB",
        (
            "apps",
            "sessions /s",
            "lowest",
            "highest",
            "mean ms",
            "p99 ms",
            "server %",
            "apps %",
            "MQ V5.3, 2002",
        ),
    )
    with bindings.served(setting.folder, round_trip.DEFINITIONS) as server:
        for apps in APPS[:1] if setting.quick else APPS:
            seen = [run(setting, server, apps) for _ in range(setting.repeats)]
            rates = [each.rates[SESSION] for each in seen]
            context = f"{published.SHORT_SESSIONS_A_SECOND} ({published.SHORT_SESSIONS.apps} apps)"
            table.lines.append(
                [
                    str(apps),
                    *(f"{value:,.0f}" for value in (median(rates), min(rates), max(rates))),
                    f"{median(each.mean_ms(SESSION) for each in seen):.2f}",
                    f"{median(each.percentile_ms(SESSION, 99) for each in seen):.2f}",
                    f"{median(each.usage.server for each in seen):.0f}",
                    f"{median(each.usage.load for each in seen):.0f}",
                    context if apps == max(APPS) else "",
                ]
            )
    yield table


def run(setting: Setting, server: QueueServer, apps: int) -> Observation:
    """Let applications have sessions for a window."""
    tasks = round_trip.servers(server.connect, persistent=False)
    tasks += [(SESSION, partial(sessions, server=server))] * apps
    with setting.crew(tasks) as crew:
        return crew.observe(0.3, 0.3 if setting.quick else 0.8, {server.process.session})


def sessions(role: Role, *, server: QueueServer) -> None:
    """Have one session after the other."""
    role.ready()
    while True:
        began = perf_counter_ns()
        with (
            server.connect() as qm,
            qm.open(round_trip.REQUESTS, Open.OUTPUT) as requests,
            qm.open(round_trip.REPLIES, Open.INPUT_SHARED) as replies,
        ):
            for _ in range(ROUND_TRIPS):
                receipt = requests.put(BODY, reply_to=round_trip.REPLIES)
                replies.get(correl_id=receipt.msg_id, wait=round_trip.WAIT_SECONDS)
        role.took(perf_counter_ns() - began)
