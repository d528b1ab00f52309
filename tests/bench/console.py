"""How soon the web console answers: pages over 6,000 queues and over a queue of a million messages.

A queue manager and `penstock web`'s process run on their own; requests come one after the other over one
connection, as a browser that watches a page sends them. A page is HTML as a whole. The floor is 300 ms, which
no page may exceed; each value is the 95th percentile of a round's requests.
"""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import penstock
from penstock.host.starting import create
from penstock.lab.analysis.results import Result, Row, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.lab.load.setting import Setting

LIMIT_MS = 300.0
TARGET = at_most(1)
REQUESTS = 20
START_SECONDS = 60.0
PUT_AT_ONCE = 5_000
LARGE = "LARGE"


def measure(setting: Setting) -> Iterator[Result]:
    queues, messages = setting.size(6_000, 600), setting.size(1_000_000, 50_000)
    home = setting.folder / "console-home"
    prepare(home, queues, messages)
    pages = {
        f"overview, {queues:,} queues": "/",
        f"queues, {queues:,} of them": "/queues?qm=BENCH",
        f"queues sorted by rate, {queues:,} of them": "/queues?qm=BENCH&sort=-put",
        f"queues, new numbers alone, {queues:,} of them": "/queues?qm=BENCH#json",
        f"a queue of {messages:,} messages": f"/queue?qm=BENCH&name={LARGE}",
        f"messages, first page of {messages:,}": f"/messages?qm=BENCH&name={LARGE}",
        f"messages, last page of {messages:,}": f"/messages?qm=BENCH&name={LARGE}&order=last",
        "map": "/map",
    }
    with started(home, "qmgr", "start", "BENCH", "--port", "0"), started(home, "console") as line:
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        visitor = Visitor(found.group())
        for what, path in pages.items():
            visitor.ask(path)
            values = [visitor.slowest(path) for _ in range(setting.rounds)]
            yield Row(f"page: {what}", "300 ms", "ms", values, [LIMIT_MS] * len(values), TARGET)


def prepare(home: Path, queues: int, messages: int) -> None:
    """Make a queue manager with so many queues, and one with so many messages."""
    create("BENCH", home)
    with penstock.embed("BENCH", home=home) as qm:
        script = [f"DEFINE QLOCAL({LARGE}) MAXDEPTH(999999999)"]
        script += [f"DEFINE QLOCAL(APP.QUEUE.{number:05})" for number in range(queues - 1)]
        failed = [reply.text for reply in qm.mqsc("\n".join(script)) if reply.failed]
        assert not failed, failed[:3]
        for number in range(0, queues - 1, 60):
            qm.put(f"APP.QUEUE.{number:05}", b"x", persistent=True)
        body = b"<Order><Id>4711</Id></Order>".ljust(256)
        for _ in range(messages // PUT_AT_ONCE):
            qm.put_many(LARGE, [body] * PUT_AT_ONCE, persistent=True)


@contextmanager
def started(home: Path, *words: str) -> Iterator[str]:
    """Run a command until the block ends; yield its first line."""
    process = subprocess.Popen(
        [sys.executable, "-m", "penstock.cli.main", *words],
        env={**os.environ, "PENSTOCK_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=START_SECONDS)


class Visitor:
    """A browser that has entered by the printed address."""

    def __init__(self, link: str) -> None:
        place = urlsplit(link)
        self._line = http.client.HTTPConnection(place.netloc, timeout=START_SECONDS)
        self._line.request("GET", f"{place.path}?{place.query}")
        answer = self._line.getresponse()
        answer.read()
        assert answer.status == 303, answer.status
        self._cookie = (answer.getheader("set-cookie") or "").partition(";")[0]

    def ask(self, path: str) -> float:
        """Return how many milliseconds a page takes."""
        address, _, kind = path.partition("#")
        headers = {"Cookie": self._cookie} | ({"Accept": "application/json"} if kind else {})
        began = time.perf_counter()
        self._line.request("GET", address, headers=headers)
        answer = self._line.getresponse()
        answer.read()
        took = 1e3 * (time.perf_counter() - began)
        assert answer.status == 200, (path, answer.status)
        return took

    def slowest(self, path: str) -> float:
        """Return the 95th percentile of some requests."""
        times = sorted(self.ask(path) for _ in range(REQUESTS))
        return times[int(0.95 * (REQUESTS - 1))]
