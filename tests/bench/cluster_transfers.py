"""K2: how soon a change is known in a cluster; K3: transmission queues and receivers of cluster channels.

K2 defines a queue at one member until another one, which has asked for the name, may put to it; real servers
on this machine. A cluster of 100 is formed in one process without disks and sockets, so that figure has the
work of the repositories alone. K3 compares DEFCLXQ(CHANNEL) with the one SYSTEM.CLUSTER.TRANSMIT.QUEUE, and a
receiving queue manager with four CLUSRCVR with one that has one: neither needs tuning here. At last a member
is killed: messages that are not bound to it reach another one.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Figures, Row, at_least
from penstock.lab.load.queue_server import QueueServer, command
from penstock.lab.load.server_process import LOOPBACK
from penstock.model.errors import MQError
from tests.simulation.clusters import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.setting import Setting

BODY = bytes(2048)
WAIT_SECONDS = 60.0
LOOK_SECONDS = 0.001
MEMBERS = {"FULL": 1, "SHARED": 1, "OWN": 1, "ONE": 1, "FOUR": 4}  # with the number of their CLUSRCVR
FORMED = 100
AFTER_DEATH = 100  # messages that are put when a member was killed


def measure(setting: Setting) -> Iterator[Result]:
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=setting.folder)))
        servers = _cluster(home, stack)
        local = {name: stack.enter_context(server.connect_locally()) for name, server in servers.items()}
        yield _prompt(setting, local)
        count = setting.size(20_000, 2_000)

        def rate(sender: str, receiver: str) -> float:
            return _rate(local[sender], local[receiver], f"AT.{receiver}", count)

        for sender, receiver in (("SHARED", "ONE"), ("OWN", "ONE"), ("SHARED", "FOUR")):
            rate(sender, receiver)  # channels start
        values = setting.interleave(lambda: rate("OWN", "ONE"), lambda: rate("SHARED", "ONE"))
        what = "K3 messages of 2 KB by a cluster channel, DEFCLXQ(CHANNEL)"
        yield Row(what, "DEFCLXQ(SCTQ)", "/s", *values, target=at_least(0.95))
        values = setting.interleave(lambda: rate("SHARED", "FOUR"), lambda: rate("SHARED", "ONE"))
        yield Row("K3 the same to four CLUSRCVR", "one CLUSRCVR", "/s", *values, target=at_least(0.95))
        yield _passed_over(servers["ONE"], local)


def _cluster(home: Path, stack: ExitStack) -> dict[str, QueueServer]:
    """Run the members; FULL is the full repository, OWN has a transmission queue for each channel."""
    servers = {}
    for name in MEMBERS:
        servers[name] = QueueServer(home, (f"DEFINE QLOCAL(AT.{name}) MAXDEPTH(999999999)",), name)
        stack.callback(servers[name].stop)
    for name, channels in MEMBERS.items():
        with servers[name].connect_locally() as qm:
            command(qm, "ALTER QMGR REPOS(LINKS)" if name == "FULL" else "ALTER QMGR REPOS(' ')")
            if name == "OWN":
                command(qm, "ALTER QMGR DEFCLXQ(CHANNEL)")
            for number in range(channels):
                _channel(qm, f"TO.{name}.{number}", "CLUSRCVR", servers[name])
            if name != "FULL":
                _channel(qm, "TO.FULL.0", "CLUSSDR", servers["FULL"])
            command(qm, f"ALTER QLOCAL(AT.{name}) CLUSTER(LINKS) DEFBIND(NOTFIXED)")
    return servers


def _channel(qm: Any, name: str, kind: str, server: QueueServer) -> None:
    place = f"CONNAME('{LOOPBACK}({server.process.port})')"
    command(qm, f"DEFINE CHANNEL({name}) CHLTYPE({kind}) {place} CLUSTER(LINKS)")


def _prompt(setting: Setting, local: dict[str, Any]) -> Figures:
    """K2: the time to know, and the time to form."""
    spent = []
    for number in range(setting.size(50, 5)):
        name = f"NEW.{number}"
        _put(local["SHARED"], name, 0.0)  # now it is interested in the name
        began = time.perf_counter()
        command(local["ONE"], f"DEFINE QLOCAL({name}) CLUSTER(LINKS)")
        _put(local["SHARED"], name, WAIT_SECONDS)
        spent.append(time.perf_counter() - began)
    began = time.perf_counter()
    world = World(1, FORMED)
    for _ in range(4):
        world.heal()
    formed = time.perf_counter() - began
    table = Figures("K2 how soon a cluster knows", ("what", "found", "target"))
    table.lines.append(["DEFINE to usable at an interested member", f"{median(spent) * 1e3:.1f} ms", "50 ms"])
    table.lines.append([f"cluster of {FORMED} formed, in one process", f"{formed:.1f} s", "10 s"])
    return table


def _passed_over(victim: QueueServer, local: dict[str, Any]) -> Figures:
    """How soon messages that are not bound reach a member that lives, after another one was killed."""
    for name in (victim.name, "FOUR"):
        command(local[name], "DEFINE QLOCAL(BOTH) CLUSTER(LINKS) DEFBIND(NOTFIXED)")
    _put(local["SHARED"], "BOTH", WAIT_SECONDS)
    until = time.monotonic() + WAIT_SECONDS
    while local[victim.name].mqsc("DISPLAY QSTATUS(BOTH) CURDEPTH")[0].attributes["CURDEPTH"] == 0:
        local["SHARED"].put("BOTH", BODY)  # until it takes turns
        if time.monotonic() > until:
            raise RuntimeError(f"no message has come to {victim.name}")
    os.killpg(victim.process.session, signal.SIGKILL)
    began = time.perf_counter()
    for _ in range(AFTER_DEATH):
        local["SHARED"].put("BOTH", BODY, persistent=True)
    got = 0
    while got < AFTER_DEATH:
        found = local["FOUR"].get_many("BOTH", AFTER_DEATH, wait=WAIT_SECONDS)
        if not found:
            raise RuntimeError(f"only {got} of {AFTER_DEATH} messages have arrived at the living member")
        got += sum(each.persistent for each in found)
    spent = time.perf_counter() - began
    table = Figures("A member is killed", ("what", "found", "target"))
    what = f"{AFTER_DEATH} NOTFIXED messages at the member that lives"
    table.lines.append([what, f"{spent:.1f} s", "10 s"])
    return table


def _put(qm: Any, name: str, seconds: float) -> None:
    """Put as soon as the name is known; with no time, only ask for it."""
    until = time.perf_counter() + seconds
    while True:
        try:
            qm.put(name, BODY)
            return
        except MQError:
            if time.perf_counter() >= until:
                if seconds:
                    raise
                return
            time.sleep(LOOK_SECONDS)


def _rate(sender: Any, receiver: Any, queue: str, count: int) -> float:
    """Put at one member and get at another; return messages per second."""
    _put(sender, queue, WAIT_SECONDS)
    receiver.get(queue, wait=WAIT_SECONDS)
    began = time.perf_counter()
    for _ in range(count):
        sender.put(queue, BODY)
    got = 0
    while got < count:
        found = len(receiver.get_many(queue, 200, wait=WAIT_SECONDS))
        if not found:
            raise RuntimeError(f"only {got} of {count} messages have arrived on {queue}")
        got += found
    return count / (time.perf_counter() - began)
