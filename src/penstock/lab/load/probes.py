"""Tests that measure one thing directly, without a crew: verbs, restarts, memory of objects, topics, rules.

Each probe makes what it needs in a folder of its own and returns facts by name; the name ends in the unit.
Processor time is the thread's or the server's, so that neighbours change little.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from functools import partial
from statistics import median
from time import perf_counter, perf_counter_ns, sleep, thread_time
from time import time as now
from typing import TYPE_CHECKING, Any

import penstock
from penstock.lab.analysis.samples import percentile
from penstock.lab.load import shared_probes
from penstock.lab.load.queue_server import QMGR, command
from penstock.lab.load.system_under_test import CLIENT, LOCAL, connect, under_test
from penstock.lab.measure import processes
from penstock.model import constants as mq
from penstock.model.rfh2 import Rfh2

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.face.blocking import BlockingQueueManager
    from penstock.host.queue_manager import QueueManager
    from penstock.lab.load.system_under_test import Subject

Facts = dict[str, float]
AT_A_TIME = 250  # topics in one command message
RULES_AT_A_TIME = 500
CHANNEL = "LAB.RULES"
RESTARTED = """
import sys, penstock
with penstock.embed("{qmgr}", home=sys.argv[1]) as qm:
    qm.get("Q")
"""


def probe(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Run the probe of a load for about some seconds."""
    name = load.get("do", load["work"])
    return PROBES[name](load, folder, seconds)


def verbs(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Time every verb of one thread at a queue that is otherwise empty."""
    body, persistent = bytes(int(load.get("bytes", 2048))), bool(load.get("persistent"))
    times: dict[str, list[float]] = defaultdict(list)
    with _embedded(folder) as qm:
        command(qm, "DEFINE QLOCAL(Q)")
        with qm.open("Q", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED) as handle:
            for _ in _until(seconds):
                _time(
                    times,
                    "put",
                    partial(handle.put, body, persistent=persistent, options=mq.MQPMO_NO_SYNCPOINT),
                )
                _time(times, "get", partial(handle.get, options=mq.MQGMO_NO_SYNCPOINT))
                handle.put(body, persistent=persistent, options=mq.MQPMO_SYNCPOINT)
                _time(times, "commit", qm.commit)
                handle.get(options=mq.MQGMO_NO_SYNCPOINT)
                handle.put(body, persistent=persistent, options=mq.MQPMO_SYNCPOINT)
                _time(times, "backout", qm.backout)
        for _ in range(200):
            other = _time(times, "conn", partial(penstock.embed, QMGR, home=folder))
            opened = _time(times, "open", partial(other.open, "Q", mq.MQOO_OUTPUT))
            _time(times, "close", opened.close)
            _time(times, "disc", other.close)
    facts = {f"{verb}_us": percentile(values, 90) for verb, values in times.items()}
    pairs = [a + b for a, b in zip(times["put"], times["get"], strict=True)]
    return {**facts, "pair_us": percentile(pairs, 90), "measured": float(len(pairs))}


def idle_memory(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Measure the memory of an idle queue manager."""
    with under_test(folder, embedded=False) as subject:
        return {"server_kb": _resident_kb(subject)}


def objects_memory(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Define queues; see how much memory the queue manager grows."""
    with under_test(folder, embedded=False) as subject:
        before = _resident_kb(subject)
        subject.define([f"DEFINE QLOCAL(OBJECT.{number})" for number in range(int(load["objects"]))])
        return {"server_kb": _resident_kb(subject) - before}


def objects_checkpoint(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Define queues; see how much a checkpoint grows."""
    with _embedded(folder) as qm:
        before = _checkpoint_bytes(qm, folder)
        for number in range(int(load["objects"])):
            command(qm, f"DEFINE QLOCAL(OBJECT.{number})")
        return {"checkpoint_bytes": _checkpoint_bytes(qm, folder) - before}


def properties(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Put and get messages with properties."""
    wanted = {f"name{number}": f"value {number}" for number in range(int(load["properties"]))}
    times: dict[str, list[float]] = defaultdict(list)
    with _embedded(folder) as qm:
        command(qm, "DEFINE QLOCAL(Q)")
        for _ in _until(seconds):
            began = thread_time()
            for _ in range(50):
                qm.put("Q", b"x" * 1024, properties=wanted or None)
            middle = thread_time()
            for _ in range(50):
                qm.get("Q")
            times["put"].append((middle - began) / 50 * 1e6)
            times["get"].append((thread_time() - middle) / 50 * 1e6)
    return {f"{verb}_us": median(values) for verb, values in times.items()}


def connect_with_rules(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Connect and disconnect where many channel authentication rules have to be looked at."""
    with under_test(folder, embedded=False) as subject:
        lines = [
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)",
            f"ALTER QMGR CHLAUTH({load.get('chlauth', 'ENABLED')})",
        ]
        for number in range(int(load["rules"])):
            user = f"group{number}*" if number % 100 == 99 else f"user{number}"
            lines.append(f"SET CHLAUTH('LAB.*') TYPE(USERMAP) CLNTUSER('{user}') MCAUSER('app')")
        _in_pieces(subject, lines)
        way, count = subject.way(CLIENT), 0
        connect(way).close()
        members = processes.of_sessions(subject.sessions)
        before, began = processes.of(members), perf_counter()
        while perf_counter() - began < seconds or count < 10:
            connect(way).close()
            count += 1
        elapsed, used = perf_counter() - began, processes.between(before, processes.of(members))
        return {"connect_us": used.cpu_ns / 1000 / count, "elapsed_us": elapsed / count * 1e6}


def restart_with_rules(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Restart a process to its first get."""
    with _embedded(folder) as qm:
        command(qm, "DEFINE QLOCAL(Q)")
        for number in range(int(load["rules"])):
            command(qm, f"SET CHLAUTH('LAB.*') TYPE(USERMAP) CLNTUSER('user{number}') MCAUSER('app')")
    program = RESTARTED.format(qmgr=QMGR)
    began = perf_counter()
    subprocess.run([sys.executable, "-c", program, str(folder)], check=True)
    return {"seconds": perf_counter() - began}


def idle_processor(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Measure the processor time of an idle queue manager."""
    with under_test(folder, embedded=False) as subject:
        subject.define([f"ALTER QMGR TREELIFE({load['tree_life']})"])
        members = processes.of_sessions(subject.sessions)
        before, began = processes.of(members), perf_counter()
        sleep(max(1.0, seconds))
        used = processes.between(before, processes.of(members))
        return {"cpu_us_a_minute": used.cpu_ns / 1000 / (perf_counter() - began) * 60}


def sweep_topics(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Have the scavenger check unused topics, after or before they expire."""
    with _embedded(folder) as qm:
        _grow(qm, int(load["topics"]))
        later = now() + (0.0 if load.get("kept") else 1e6)
        whole = longest = 0.0
        more = True
        while more:
            with qm.gate:
                began = thread_time()
                more = qm.engine.pubsub.scavenge(later)
                taken = thread_time() - began
            whole, longest = whole + taken, max(longest, taken)
        return {"seconds": whole, "longest_hold_ms": longest * 1000}


def subscribe(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Subscribe and close among many unused topics."""
    with _embedded(folder) as qm:
        _grow(qm, int(load["topics"]))
        times = []
        for _ in _until(seconds):
            began = thread_time()
            for number in range(100):
                qm.subscribe(f"used/{number}/+").close()
            times.append((thread_time() - began) / 100 * 1e6)
        return {"subscribe_us": median(times)}


def display_topics(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Display the status of all topics."""
    with _embedded(folder) as qm:
        _grow(qm, int(load["topics"]))
        before = processes.resident_bytes(os.getpid())
        began, first, rows = perf_counter(), 0.0, 0
        for piece in qm.mqsc_script(["DISPLAY TPSTATUS('#')"]):
            if getattr(piece, "attributes", None):
                first = first or perf_counter() - began
                rows += 1
        grown = processes.resident_bytes(os.getpid()) - before
        return {
            "seconds": perf_counter() - began,
            "first_row_ms": first * 1000,
            "rows": float(rows),
            "grown_mb": max(0.0, grown / 1e6),
        }


def _embedded(folder: Path) -> Any:
    return penstock.embed(QMGR, create=True, home=folder)


def _until(seconds: float) -> Any:
    end = perf_counter() + seconds
    yield
    while perf_counter() < end:
        yield


def _time(times: dict[str, list[float]], name: str, call: Callable[[], Any]) -> Any:
    began = perf_counter_ns()
    result = call()
    times[name].append((perf_counter_ns() - began) / 1000)
    return result


def _resident_kb(subject: Subject) -> float:
    return sum(processes.resident_bytes(each) for each in processes.of_sessions(subject.sessions)) / 1024


def _checkpoint_bytes(qm: QueueManager, folder: Path) -> float:
    from penstock.host.administration import checkpoint

    checkpoint(qm)
    return float((folder / QMGR / "CHECKPOINT").stat().st_size)


def _grow(qm: BlockingQueueManager, count: int) -> None:
    for start in range(0, count, AT_A_TIME):
        names = "".join(f"<Topic>t/{start}/{n}</Topic>" for n in range(start, min(start + AT_A_TIME, count)))
        folder = f"<psc><Command>Publish</Command>{names}</psc>"
        qm.put("SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((folder,)).pack(), format="MQHRF2")


def _in_pieces(subject: Subject, lines: list[str]) -> None:
    with connect(subject.way(LOCAL)) as qm:
        for start in range(0, len(lines), RULES_AT_A_TIME):
            failed = [
                reply for reply in qm.mqsc("\n".join(lines[start : start + RULES_AT_A_TIME])) if reply.failed
            ]
            if failed:
                raise RuntimeError(str(failed[0]))


PROBES: dict[str, Callable[[dict[str, Any], Path, float], Facts]] = {
    "verbs": verbs,
    "idle_memory": idle_memory,
    "objects_memory": objects_memory,
    "objects_checkpoint": objects_checkpoint,
    "properties": properties,
    "connect_with_rules": connect_with_rules,
    "restart_with_rules": restart_with_rules,
    "idle_processor": idle_processor,
    "sweep_topics": sweep_topics,
    "subscribe": subscribe,
    "display_topics": display_topics,
    **shared_probes.PROBES,
}
