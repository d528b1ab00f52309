"""Publications in a cluster of three queue managers, and private queues on one to four queue managers.

P1 compares a subscriber at another queue manager (CLROUTE(DIRECT)) with one at the publisher's, both over
TCP; P2 compares CLROUTE(TOPICHOST), with the host in between, with DIRECT. The report for MQ V8 has 0.69 and
0.74 untuned, 0.95 and 0.83 tuned, on two and three machines; here all share one. The table is the
private-queue test: each client puts to and gets from a queue of its own; as many clients at each number of
queue managers. Rates, not processor time: more queue managers use more cores. Where all share two cores a
rate measures who waits for one, so a table has the processor time of a publication beside it, by process.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import penstock
from penstock.lab.analysis.results import Figures, Row, at_least
from penstock.lab.load.queue_server import ADMIT, CHANNEL, QueueServer, command
from penstock.lab.load.server_process import LOOPBACK
from tests.bench.channels import processor_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.setting import Setting

BODY = bytes(2048)
CLIENTS = 4
MEMBERS = (1, 2, 4)
WAIT_SECONDS = 60.0
LOOK_SECONDS = 0.05
UNIT_PUBLICATIONS = 20  # of persistent publications


def measure(setting: Setting) -> Iterator[Result]:
    yield from between(setting)
    yield private_queues(setting)


def between(setting: Setting) -> Iterator[Result]:
    """One publisher, one subscriber: at one queue manager, at two, and at two with a host between."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=setting.folder)))
        servers = _cluster(home, stack)
        near, far = servers["NEAR"], servers["FAR"]
        publisher = stack.enter_context(near.connect())
        readers = {
            topic: stack.enter_context(server.connect())
            for topic, server in (("direct/x", far), ("hosted/x", far), ("local/x", near))
        }
        queues = {topic: reader.subscribe(topic) for topic, reader in readers.items()}
        _await_proxy(near, "direct/x")
        _await_proxy(servers["HOST"], "hosted/x")
        costs: dict[tuple[str, bool], list[list[float]]] = {}
        for persistent in (False, True):
            count = setting.size(4_000, 500) if persistent else setting.size(20_000, 2_000)

            def rate(topic: str, lasting: bool = persistent, count: int = count) -> float:
                before = _processor(servers)
                found = _rate(publisher, readers[topic], queues[topic].queue, topic, lasting, count)
                used = [later - sooner for later, sooner in zip(_processor(servers), before, strict=True)]
                costs.setdefault((topic, lasting), []).append([seconds / count * 1e6 for seconds in used])
                return found

            for topic in ("direct/x", "hosted/x"):  # channels start
                rate(topic)
            kind = "persistent, in units of 20" if persistent else "not persistent"
            values = setting.interleave(lambda rate=rate: rate("direct/x"), lambda rate=rate: rate("local/x"))
            what = f"P1 publications of 2 KB, CLROUTE(DIRECT), {kind}"
            yield Row(what, "one queue manager", "/s", *values, target=at_least(0.80))
            values = setting.interleave(
                lambda rate=rate: rate("hosted/x"), lambda rate=rate: rate("direct/x")
            )
            yield Row(
                f"P2 the same, CLROUTE(TOPICHOST), {kind}", "DIRECT", "/s", *values, target=at_least(0.75)
            )
        yield _costs(costs)


def _processor(servers: dict[str, QueueServer]) -> list[float]:
    """Return the processor seconds of each queue manager and of this process."""
    return [*(processor_seconds(each.process.session) for each in servers.values()), time.process_time()]


def _costs(costs: dict[tuple[str, bool], list[list[float]]]) -> Figures:
    """Return the processor time of a publication in each process, and the share of cores that it leaves."""
    table = Figures(
        "P1 and P2: processor time of a publication of 2 KB, in microseconds (medians)",
        ("way", "NEAR", "HOST", "FAR", "publisher and subscriber", "all", "one queue manager / all"),
        note="the last column is the ratio of rates when all cores are busy",
    )
    for (topic, persistent), runs in sorted(
        costs.items(), key=lambda each: (each[0][1], each[0][0] != "local/x")
    ):
        used = [median(each) for each in zip(*runs, strict=True)]
        base = sum(median(each) for each in zip(*costs["local/x", persistent], strict=True))
        way = {"local/x": "one queue manager", "direct/x": "DIRECT", "hosted/x": "TOPICHOST"}[topic]
        way += ", persistent" if persistent else ""
        figures = [f"{value:.1f}" for value in (*used, sum(used))]
        table.lines.append([way, *figures, f"{base / sum(used):.2f}"])
    return table


def _cluster(home: Path, stack: ExitStack) -> dict[str, QueueServer]:
    """Run three members; NEAR and HOST are full repositories, and HOST passes publications on."""
    servers = {}
    for name in ("NEAR", "HOST", "FAR"):
        servers[name] = QueueServer(home, (), name)
        stack.callback(servers[name].stop)
    for name, server in servers.items():
        other = "HOST" if name == "NEAR" else "NEAR"
        with server.connect_locally() as qm:
            if name != "FAR":
                command(qm, "ALTER QMGR REPOS(NEWS)")
            for kind, at in (("CLUSRCVR", name), ("CLUSSDR", other)):
                place = f"CONNAME('{LOOPBACK}({servers[at].process.port})')"
                command(qm, f"DEFINE CHANNEL(TO.{at}) CHLTYPE({kind}) {place} CLUSTER(NEWS)")
    for name, topic, route in (("NEAR", "direct", "DIRECT"), ("HOST", "hosted", "TOPICHOST")):
        with servers[name].connect_locally() as qm:
            command(qm, f"DEFINE TOPIC({route}) TOPICSTR('{topic}') CLUSTER(NEWS) CLROUTE({route})")
    return servers


def _await_proxy(server: QueueServer, topic: str) -> None:
    """Wait until the wish of another queue manager has arrived."""
    until = time.monotonic() + WAIT_SECONDS
    with server.connect_locally() as qm:
        while time.monotonic() < until:
            shown = qm.mqsc("DISPLAY SUB(*) TOPICSTR SUBTYPE(PROXY)")
            if any((each.attributes or {}).get("TOPICSTR") == topic for each in shown):
                return
            time.sleep(LOOK_SECONDS)
    raise RuntimeError(f"no proxy subscription for {topic} has arrived at {server.name}")


def _rate(publisher: Any, reader: Any, queue: str, topic: str, persistent: bool, count: int) -> float:
    """Publish from one thread and get in another; return publications per second that arrived."""

    def publish() -> None:
        for start in range(0, count, UNIT_PUBLICATIONS):
            some = min(UNIT_PUBLICATIONS, count - start)
            if persistent:
                with publisher.unit_of_work():
                    _publish(publisher, topic, some, True)
            else:
                _publish(publisher, topic, some, False)

    began = time.perf_counter()
    thread = threading.Thread(target=publish)
    thread.start()
    got = 0
    while got < count:
        found = len(reader.get_many(queue, 200, wait=WAIT_SECONDS))
        if not found:
            raise RuntimeError(f"only {got} of {count} publications have arrived")
        got += found
    taken = time.perf_counter() - began
    thread.join()
    return count / taken


def _publish(publisher: Any, topic: str, count: int, persistent: bool) -> None:
    for _ in range(count):
        publisher.publish(topic, BODY, persistent=persistent)


def private_queues(setting: Setting) -> Figures:
    """The private-queue test on the members of `penstock cluster up` 1, 2 and 4."""
    seconds = float(setting.size(4, 1))
    table = Figures(
        f"Private queues: {CLIENTS} clients, each puts and gets 2 KB on a queue of its own, not persistent",
        ("queue managers", "round trips/s", "ratio to one"),
        note=f"this machine has {os.cpu_count()} cores, which the clients share",
    )
    rates = dict.fromkeys(MEMBERS, 0.0)
    for _ in range(setting.rounds):  # taking turns; the best round of each counts
        for count in MEMBERS:
            rates[count] = max(rates[count], _members_rate(setting.folder, count, seconds))
    for count, rate in rates.items():
        table.lines.append([str(count), f"{rate:,.0f}", f"{rate / rates[1]:.2f}"])
    return table


def _members_rate(folder: Path, count: int, seconds: float) -> float:
    define = [*ADMIT, *(f"DEFINE QLOCAL(PRIVATE.{n})" for n in range(CLIENTS))]
    with tempfile.TemporaryDirectory(dir=folder) as home:
        addresses = []
        try:
            for member in _cluster_command("up", str(count), home)["members"]:
                name = member["name"]
                with penstock.connect(name, home=home) as qm:
                    for text in define:
                        command(qm, text)
                addresses.append(f"mq://{LOOPBACK}:{member['port']}/{name}?channel={CHANNEL}")
            context = multiprocessing.get_context("spawn")
            tasks = [(addresses[n % count], f"PRIVATE.{n}", seconds) for n in range(CLIENTS)]
            with context.Pool(CLIENTS) as pool:
                return sum(pool.starmap(_client, tasks))
        finally:
            _cluster_command("down", "--remove", home)


def _cluster_command(verb: str, word: str, home: str) -> Any:
    """Run `penstock cluster up` or `down` in a folder of its own."""
    program = str(Path(sys.executable).with_name("penstock"))
    words = [program, "cluster", verb, word, "--name", "RATE", "--folder", home, "--json"]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)


def _client(address: str, queue: str, seconds: float) -> float:
    """Put and get in turn for a time; return round trips per second."""
    with penstock.connect(address) as qm:
        qm.put(queue, BODY)
        qm.get(queue)
        trips, began = 0, time.perf_counter()
        while (taken := time.perf_counter() - began) < seconds:
            qm.put(queue, BODY)
            qm.get(queue)
            trips += 1
        return trips / taken
