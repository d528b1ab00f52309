"""Who comes in with 20 channel authentication rules and with 20,000: what it costs a connect, and a restart.

Rules are USERMAPs, each for one user of one channel profile, as in the report that shows both growing with
the rules; half of them are for addresses too, and a hundredth are generic. The clients are users that rules
are about, and one in ten that none is about. A decision is timed without the password check, which costs the
same whatever the rules. A restart is that of a process, to the first get, after a clean end.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import penstock
from penstock.lab.analysis.results import Result, Row, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

DECISION = at_most(1.5)
RESTART = at_most(1.0)
FEW, MANY = 20, 20_000
CHANNEL = "APP.SVRCONN"
RESTARTED = """
import os, sys, penstock
with penstock.embed("BENCH", home=sys.argv[1]) as qm:
    qm.get("Q")
    assert qm.host.access.channels.decide("APP.SVRCONN", "10.0.0.1", user="user1").user == "app"
"""


def measure(setting: Setting) -> Iterator[Result]:
    decisions = setting.size(20_000, 5_000)
    with setting.queue_manager() as few, other(setting, few, MANY) as many:
        set_rules(few, FEW)
        set_rules(many, MANY)
        values = setting.interleave(
            partial(decision_us, many, MANY, decisions), partial(decision_us, few, FEW, decisions), times=3
        )
        yield Row(f"who comes in, {MANY:,} rules", f"{FEW} rules", "us", *values, target=DECISION)
    yield from restarts(setting)


def restarts(setting: Setting) -> Iterator[Result]:
    """Yield the restart with many rules, against that with few and the second more that it may take."""
    folder = Path(tempfile.mkdtemp(dir=setting.folder))
    homes = {count: folder / str(count) for count in (FEW, MANY)}
    for count, home in homes.items():
        with penstock.embed("BENCH", create=True, home=home) as qm:
            qm.mqsc("DEFINE QLOCAL(Q)")
            set_rules(qm, count)
    values = setting.interleave(partial(restart_s, homes[MANY]), partial(restart_s, homes[FEW]))
    shutil.rmtree(folder, ignore_errors=True)
    yield Row(f"restart, {MANY:,} rules", f"{FEW} rules", "s", *values)
    allowed = [seconds + 1.0 for seconds in values[1]]
    yield Row(
        f"restart, {MANY:,} rules", f"{FEW} rules and a second", "s", values[0], allowed, target=RESTART
    )


def other(setting: Setting, qm: penstock.QueueManager, count: int) -> penstock.QueueManager:
    """Return a second queue manager beside one; gone with the first one's home."""
    return penstock.embed(f"BENCH{count}", create=True, home=qm.host.folder.path.parent)


def set_rules(qm: penstock.QueueManager, count: int) -> None:
    """Set as many rules as are asked for, for as many users."""
    lines = [f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)", "ALTER QMGR CONNAUTH(' ')"]
    for number in range(count):
        user = f"group{number}*" if number % 100 == 99 else f"user{number}"
        address = f" ADDRESS('10.{number // 250 % 250}.*')" if number % 2 else ""
        lines.append(f"SET CHLAUTH('APP.*') TYPE(USERMAP) CLNTUSER('{user}'){address} MCAUSER('app')")
    failed = [reply for reply in qm.mqsc("\n".join(lines)) if reply.failed]
    if failed:
        raise RuntimeError(str(failed[0]))


def decision_us(qm: penstock.QueueManager, rules: int, count: int) -> float:
    """Return the time of a decision about one of the users, as a listener asks for it."""
    step = max(1, rules // 1000)
    users = [f"user{number}" for number in range(0, rules, step)]
    users = [user if place % 10 else f"stranger{place}" for place, user in enumerate(users)]
    knocking = list(islice(cycle(users), count))
    decide, gate = qm.host.access.channels.decide, qm.gate
    began = perf_counter()
    for user in knocking:
        with gate:
            decide(CHANNEL, "10.0.0.1", user=user)
    return (perf_counter() - began) / count * 1e6


def restart_s(home: Path) -> float:
    """Return how long a process takes that opens the queue manager, gets and ends."""
    began = perf_counter()
    subprocess.run([sys.executable, "-c", RESTARTED, str(home)], check=True)
    return perf_counter() - began
