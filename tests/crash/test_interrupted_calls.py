"""A signal handler raises in the middle of a call, again and again, and no message is lost or comes twice.

The rule: from the moment the queue manager gives a message to a call, the call returns it, it is put back,
or its unit of work cannot be committed (2003). A put, a commit or a backout is done when it returns, and not
begun when it raises. The accident without that: Ctrl-C, or a handler of SIGTERM that raises, takes a message
along.
"""

from __future__ import annotations

import functools
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from operator import methodcaller
from pathlib import Path
from typing import Any, Self

import pytest

import penstock
from penstock.model import constants as mq
from tests.interruptions import Interruptions, bodies, missing_and_doubled
from tests.served import Served

pytestmark = [pytest.mark.installed, pytest.mark.crash]

COUNT = 80  # interrupted calls of each case; together more than 5,000
AHEAD_MAX = 30  # messages that wait to be got
UNIT_GETS = 5
TOPIC = "interrupted"
BACKED_OUT = 2003
SCRIPT = """
DEFINE QLOCAL(Q) MAXDEPTH(9999999) REPLACE
DEFINE QLOCAL(OUT) MAXDEPTH(9999999) REPLACE
"""


CHANNEL = """
DEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) SHARECNV(10) REPLACE
SET CHLAUTH(APP.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(MAP) MCAUSER('app') ACTION(REPLACE)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ,DSP)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI)
SET AUTHREC PROFILE('SYSTEM.BASE.TOPIC') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(PUB,SUB)
"""


class Place:
    """A queue manager and one way to it."""

    def __init__(self, way: str, home: Path, address: str = "") -> None:
        self.way = way
        self.home = home
        self.address = address

    def connect(self) -> Any:
        """Return a connection for the thread that signals interrupt, or for one that helps it.

        Clients share a socket: what interrupts one must not disturb the other.
        """
        if self.way == "embedded":
            return penstock.embed("QM1", home=self.home)
        if self.way == "local":
            return penstock.connect("QM1", home=self.home)
        return penstock.connect(self.address, reconnect=self.way == "reconnecting")


@pytest.fixture(scope="module", params=["embedded", "local", "tcp", "reconnecting"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A way to a queue manager with the queues Q and OUT."""
    home = tmp_path_factory.mktemp("home")
    if request.param == "embedded":
        with penstock.embed("QM1", create=True, home=home) as qm:
            qm.mqsc(SCRIPT, check=True)
            yield Place(request.param, home)
        return
    server = Served(home, script=SCRIPT + CHANNEL)
    server.start()
    yield Place(request.param, home, server.address())
    server.stop()


class Supply:
    """Puts numbered messages from another thread, never far ahead of those who get them."""

    def __init__(self, put: Callable[[bytes], Any]) -> None:
        self.put = put
        self.sent: list[bytes] = []
        self.taken = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._failures: list[BaseException] = []

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                if len(self.sent) - self.taken < AHEAD_MAX:
                    self.sent.append(b"%d" % len(self.sent))
                    self.put(self.sent[-1])
                else:
                    time.sleep(0.0005)
        except penstock.MQError as failure:
            self._failures.append(failure)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._stop.set()
        self._thread.join()
        assert not self._failures


def supply_by(qm: Any, persistent: bool, topic: bool = False) -> Supply:
    """Return a thread that supplies messages by this connection."""
    if topic:
        return Supply(lambda body: qm.publish(TOPIC, body, persistent=persistent))
    return Supply(lambda body: qm.put("Q", body, persistent=persistent))


def gets_of(qm: Any, way: str) -> tuple[Any, Callable[[Any], Any]]:
    """Return what to call, and the call that gets by it."""
    if way == "handle":
        return qm.open("Q"), methodcaller("get", wait=0.02, quiet=True)
    if way == "handle with options":
        return qm.open("Q"), methodcaller("get", wait=0.02, quiet=True, options=mq.MQGMO_CONVERT)
    if way == "subscription":
        return qm.subscribe(TOPIC), methodcaller("get", wait=0.02)
    calls = {
        "get": methodcaller("get", "Q", wait=0.02),
        "get, no wait": methodcaller("get", "Q"),
        "get by selector": methodcaller("get", "Q", wait=0.02, selector="JMSPriority >= 0 OR 1 = 1"),
        "get_many": methodcaller("get_many", "Q", 3, wait=0.02),
        "get_many by selector": methodcaller("get_many", "Q", 3, wait=0.02, selector="1 = 1"),
    }
    return qm, calls[way]


WAYS = [
    "get",
    "get, no wait",
    "get by selector",
    "get_many",
    "get_many by selector",
    "handle",
    "handle with options",
    "subscription",
]


def left_on(target: Any, call: Callable[[Any], Any]) -> list[bytes]:
    """Get what is left, undisturbed."""
    found: list[bytes] = []
    while True:
        more = bodies([call(target)])
        if not more:
            return found
        found += more


@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_gets_outside_units(place: Place, way: str, persistent: bool, scale: int) -> None:
    results: deque[Any] = deque()
    seen: list[bytes] = []
    wanted = COUNT // 2 * scale
    with place.connect() as qm, place.connect() as helper:
        target, call = gets_of(qm, way)
        with supply_by(helper, persistent, way == "subscription") as supply, Interruptions(1) as signals:
            while signals.are_wanted(wanted):
                signals.call(target, call, results)
                seen += bodies(results)
                results.clear()
                supply.taken = len(seen)
        seen += left_on(target, call)
    assert missing_and_doubled(supply.sent, seen) == ([], [])
    assert signals.raised >= wanted


@pytest.mark.parametrize("way", WAYS)
def test_gets_in_units(place: Place, way: str, scale: int) -> None:
    committed: list[bytes] = []
    with place.connect() as qm, place.connect() as helper:
        target, call = gets_of(qm, way)
        with supply_by(helper, True, way == "subscription") as supply, Interruptions(2) as signals:
            while signals.are_wanted(COUNT * scale):
                committed += unit_of_gets(signals, qm, target, call)
                supply.taken = len(committed)
        seen = committed + left_on(target, call)
    assert missing_and_doubled(supply.sent, seen) == ([], [])
    assert signals.raised >= COUNT * scale


def unit_of_gets(signals: Interruptions, qm: Any, target: Any, call: Callable[[Any], Any]) -> list[bytes]:
    """Get some messages in a unit of work; return those that were committed."""
    results: deque[Any] = deque()
    if not signals.ends(qm, "begin"):
        return []
    for _ in range(UNIT_GETS):
        signals.call(target, call, results)
    try:
        if signals.ends(qm, "commit"):
            return bodies(results)
    except penstock.MQError as failure:
        assert failure.reason == BACKED_OUT
    else:
        qm.backout()  # the commit was not begun
    return []


@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("details", [{}, {"properties": {"a": 1}}], ids=["plain", "with properties"])
def test_puts(place: Place, persistent: bool, details: dict[str, Any], scale: int) -> None:
    """A put that has raised has put nothing, one that returned has put one message."""
    put: list[bytes] = []
    with place.connect() as qm, qm.open("OUT") as handle:
        with Interruptions(3) as signals:
            for number in itertools.count():
                receipts: deque[Any] = deque()
                body = b"%d" % number
                target, where = (qm, ("OUT",)) if number % 2 else (handle, ())
                signals.call(
                    target, methodcaller("put", *where, body, persistent=persistent, **details), receipts
                )
                put += [body] * len(receipts)
                if not signals.are_wanted(COUNT * scale):
                    break
        seen = left_on(qm, methodcaller("get", "OUT"))
    assert missing_and_doubled(put, seen) == ([], [])
    assert signals.raised >= COUNT * scale


def test_units_of_puts(place: Place, scale: int) -> None:
    """A unit of work says whether it was committed, whatever has interrupted it."""
    put: list[bytes] = []
    with place.connect() as qm:

        def put_in(unit: Any, bodies: list[bytes]) -> None:
            with unit:
                for body in bodies:
                    qm.put("OUT", body, persistent=True)

        with Interruptions(4) as signals:
            for number in itertools.count():
                batch = [b"%d %d" % (number, each) for each in range(3)]
                unit = qm.unit_of_work()
                signals.call(unit, functools.partial(put_in, bodies=batch), deque())
                put += batch if unit.committed else []
                if not signals.are_wanted(COUNT * scale):
                    break
        seen = left_on(qm, methodcaller("get", "OUT"))
    assert missing_and_doubled(put, seen) == ([], [])
    assert signals.raised >= COUNT * scale


def test_put_many_puts_all_or_none(place: Place, scale: int) -> None:
    put: list[bytes] = []
    with place.connect() as qm:
        with Interruptions(5) as signals:
            for number in itertools.count():
                receipts: deque[Any] = deque()
                batch = [b"%d %d" % (number, each) for each in range(5)]
                persistent = number % 10 == 0
                signals.call(qm, methodcaller("put_many", "OUT", batch, persistent=persistent), receipts)
                put += batch if receipts else []
                if not signals.are_wanted(COUNT // 2 * scale):
                    break
        seen = left_on(qm, methodcaller("get", "OUT"))
    assert missing_and_doubled(put, seen) == ([], [])
    assert signals.raised >= COUNT // 2 * scale


def test_messages_that_are_yielded_are_not_lost(place: Place, scale: int) -> None:
    """A loop over `qm.messages` that is interrupted has had every message that it was given."""
    results: deque[Any] = deque()
    with place.connect() as qm, place.connect() as helper:
        with supply_by(helper, persistent=False) as supply, Interruptions(6) as signals:
            while signals.are_wanted(COUNT * scale):
                signals.fill(results, qm.messages("Q", wait=0.02))
                supply.taken = len(results)
        seen = bodies(results) + left_on(qm, methodcaller("get", "Q"))
    assert missing_and_doubled(supply.sent, seen) == ([], [])
    assert signals.raised >= COUNT * scale


def test_a_consumer_goes_on_while_the_main_thread_is_interrupted(place: Place, scale: int) -> None:
    """Signals are the main thread's affair: a consumer's thread misses nothing."""
    seen: list[bytes] = []
    with place.connect() as qm, place.connect() as helper:
        consumer = qm.consume("Q", lambda message: seen.append(message.body), unit_of_work=True)
        with supply_by(helper, persistent=True) as supply, Interruptions(7) as signals:
            while signals.are_wanted(COUNT * scale):
                signals.call(0.001, time.sleep, deque())
                supply.taken = len(seen)
        consumer.stop()
        seen += left_on(qm, methodcaller("get", "Q"))
    assert missing_and_doubled(supply.sent, seen) == ([], [])
