"""How long one request holds the loop of the server, so that no other client is served: 50 ms at most.

Each act is done by a client; the server measures its own loop (`measured_loop`), so other programs on the
machine do not count. What others wait beside such requests, with all the noise, is in `strangers`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
from penstock.client import calls
from penstock.host.starting import create
from penstock.lab.analysis.results import within
from penstock.lab.load.queue_server import ADMIT, CHANNEL, QMGR, USER, command
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.message import Descriptor
from penstock.model.rfh2 import Rfh2
from penstock.protocol.numbers import CALL
from tests.bench import strangers
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Steps = Iterator[None]
    Act = Callable[["Measured", Any], Steps]

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.setting import Setting

LIMIT_SECONDS = 0.05
UNIT = 100_000  # messages
TOPICS = 20_000
SUBSCRIPTIONS = 5_000
COPIES_OF_ONE = 1_000
HANDLES = 2_000
LOG_PAGES, LOG_FILES = 16384, 8
BODY = bytes(100)
GET_AT_ONCE = 5_000
DEFINITIONS = (
    f"ALTER QMGR MAXUMSGS({10 * UNIT}) MAXHANDS(999999)",
    f"DEFINE QLOCAL(Q) MAXDEPTH({100 * UNIT}) MAXMSGL(4194304)",
    f"DEFINE QMODEL(M) MAXDEPTH({100 * UNIT})",
    f"SET AUTHREC PROFILE('M') OBJTYPE(QUEUE) PRINCIPAL('{USER}') AUTHADD(ALLMQI, DSP)",
)


def measure(setting: Setting) -> Iterator[Result]:
    for name, act in ACTS.items():
        server = Measured(Path(tempfile.mkdtemp(dir=setting.folder)))
        try:
            held = [server.held_by(act) for _ in range(setting.rounds)]
        finally:
            server.stop()
        yield within(name, LIMIT_SECONDS, held)


class Measured:
    """A server whose loop is measured."""

    def __init__(self, home: Path) -> None:
        self.home = home
        create(QMGR, home, file_pages=LOG_PAGES, primary_files=LOG_FILES)
        with penstock.embed(QMGR, home=home) as qm:
            for text in (*ADMIT, *DEFINITIONS):
                command(qm, text)
        words = [sys.executable, "-m", "tests.bench.measured_loop", str(home), QMGR]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def connect(self) -> Any:
        """Connect as an application."""
        return penstock.connect(f"mq://127.0.0.1:{self.port}/{QMGR}?channel={CHANNEL}", share=False)

    def taken(self) -> float:
        """Return the longest hold since the last call."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(json.loads(self._line())["held"])

    def held_by(self, act: Act) -> float:
        """Let a client act; return how long the loop was held at most by what is between its two yields."""
        with self.connect() as qm:
            steps = act(self, qm)
            next(steps)
            self.taken()
            next(steps)
            longest = self.taken()
            next(steps, None)
        return longest

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate()
        shutil.rmtree(self.home, ignore_errors=True)


def empty(qm: Any) -> None:
    while qm.get_many("Q", GET_AT_ONCE):
        pass


def fill(qm: Any) -> None:
    """Put a unit's messages."""
    qm.put_many("Q", [BODY] * UNIT, persistent=True)


def take(qm: Any) -> None:
    """Get as many messages as a unit has."""
    got = 0
    while got < UNIT:
        got += len(qm.get_many("Q", min(GET_AT_ONCE, UNIT - got)))


def puts_many(persistent: bool) -> Act:
    def act(server: Measured, qm: Any) -> Steps:
        yield
        qm.put_many("Q", [BODY] * UNIT, persistent=persistent)
        yield
        empty(qm)

    return act


def ends_unit(work: Callable[[Any], None], end: Callable[[Any], None]) -> Act:
    """A unit of puts or gets that ends."""

    def act(server: Measured, qm: Any) -> Steps:
        if work is take:
            fill(qm)
        other = server.connect()
        other.begin()
        work(other)
        yield
        end(other)
        until_ended(server)
        yield
        empty(qm)
        other.link.close()

    return act


def until_ended(server: Measured) -> None:
    """Wait until no unit has uncommitted messages."""
    with penstock.connect(QMGR, home=server.home) as admin:
        until(lambda: admin.mqsc("DISPLAY QSTATUS(Q) UNCOM")[0].attributes["UNCOM"] in (0, "NO"))


def ends_copies(end: Callable[[Any], None]) -> Act:
    """A unit of a few publications with very many copies ends."""

    def act(server: Measured, qm: Any) -> Steps:
        other, subscriber = server.connect(), server.connect()
        for _ in range(COPIES_OF_ONE):
            subscriber.subscribe("copied")
        other.begin()
        for _ in range(3 * UNIT // COPIES_OF_ONE):
            other.publish("copied", BODY, persistent=False)
        yield
        end(other)
        time.sleep(1.0)
        yield
        other.link.close()
        subscriber.link.close()

    return act


def publishes_to_many(count: int, **details: Any) -> Act:
    """Publications to very many subscriptions, persistent and not, in a unit and not."""

    def act(server: Measured, qm: Any) -> Steps:
        subscriber = server.connect()
        for _ in range(count):
            subscriber.subscribe("wide", **details)
        yield
        qm.publish("wide", BODY, persistent=False)
        with qm.unit_of_work():
            qm.publish("wide", BODY, persistent=True)
        qm.publish("wide", BODY, persistent=True, retain=True)
        yield
        subscriber.link.close()

    return act


def breaks(qm: Any) -> None:
    """Lose the connection, as a client does that dies."""
    qm.link.close()


def retains(qm: Any) -> None:
    for number in range(TOPICS):
        qm.publish(f"retained/{number}", BODY, retain=True, persistent=False)


def commands(*texts: str) -> Act:
    """Commands beside many retained publications."""

    def act(server: Measured, qm: Any) -> Steps:
        retains(qm)
        with penstock.connect(QMGR, home=server.home) as admin:
            yield
            for text in texts:
                admin.mqsc(text)
            yield
            admin.mqsc("DELETE SUB(S)")
            empty(qm)

    return act


def registers(server: Measured, qm: Any) -> Steps:
    retains(qm)
    folder = "<psc><Command>RegSub</Command><Topic>retained/#</Topic><QName>Q</QName></psc>"
    yield
    qm.put("SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((folder,)).pack(), format="MQHRF2")
    while not qm.get_many("Q", 1, wait=1.0):
        pass
    yield
    qm.put("SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((folder.replace("Reg", "Dereg"),)).pack(), format="MQHRF2")
    empty(qm)


def subscribes(server: Measured, qm: Any) -> Steps:
    retains(qm)
    yield
    with qm.subscribe("retained/#"):
        pass
    yield


def leaves_subscriptions(server: Measured, qm: Any) -> Steps:
    with server.connect() as other:
        for number in range(SUBSCRIPTIONS):
            other.subscribe(f"many/{number}")
        yield
    until_alone(server)
    yield


def leaves_handles(server: Measured, qm: Any) -> Steps:
    with server.connect() as other:
        for _ in range(HANDLES):
            other.open("Q", penstock.Open.INPUT_SHARED)
        yield
    until_alone(server)
    yield


def until_alone(server: Measured) -> None:
    """Wait until one client is connected, beside who asks."""
    with penstock.connect(QMGR, home=server.home) as admin:
        until(lambda: len(admin.mqsc(f"DISPLAY CHSTATUS({CHANNEL})")) <= 2)


def closes_subscription(server: Measured, qm: Any) -> Steps:
    subscription = qm.subscribe("deep")
    for _ in range(UNIT):
        qm.publish("deep", BODY, persistent=False, options=penstock.Put.ASYNC_RESPONSE)
    yield
    subscription.close()
    yield


def ends_dynamic_queue(server: Measured, qm: Any) -> Steps:
    handle = qm.open("M", penstock.Open.OUTPUT | penstock.Open.INPUT_SHARED)
    qm.put_many(handle.name, [BODY] * UNIT, persistent=False)
    yield
    handle.close()
    yield


def gets_in_logical_order(server: Measured, qm: Any) -> Steps:
    qm.put_many("Q", [BODY] * UNIT, persistent=False)
    with qm.open("Q", penstock.Open.INPUT_SHARED) as handle:
        yield
        handle.get(options=penstock.Get.LOGICAL_ORDER)
        yield
    empty(qm)


def filters(body: bytes, *selectors: str) -> Act:
    """A large publication that subscriptions choose by its body."""

    def act(server: Measured, qm: Any) -> Steps:
        kept = [qm.subscribe("content", selector=each) for each in selectors]
        yield
        qm.publish("content", body, persistent=False)
        yield
        for each in kept:
            each.close()

    return act


def streams(server: Measured, qm: Any) -> Steps:
    """A large message whose copy is published to subscriptions that choose by its body."""
    with penstock.connect(QMGR, home=server.home) as admin:
        for text in STREAM:
            command(admin, text)
    kept = [qm.subscribe("streamed", selector=each) for each in TEN]
    yield
    qm.put("S", XML, persistent=False)
    for each in kept:
        each.get(wait=60.0)
    yield
    for each in kept:
        each.close()


def waits(server: Measured, qm: Any) -> Steps:
    """Puts to a queue that many gets with long selectors wait for."""
    with server.connect() as other:
        handles = [
            other.open("Q", penstock.Open.INPUT_SHARED, selector=f"{LONG} OR p = -{n}") for n in range(9)
        ]
        for number in range(WAITS):
            arguments = {"handle": handles[number % 9].number, "wait": 60.0}
            other.link.say(CALL, 0, other.conversation, 0, calls.pack_call("get", arguments))
        time.sleep(WAITING_SECONDS)
        yield
        qm.put_many("Q", [BODY] * 1000, persistent=False)
        yield
        other.link.close()
    empty(qm)


def wait_often(qm: Any, **arguments: Any) -> None:
    """Have a thousand gets of a client wait."""
    for number in range(WAITS_OF_ONE):
        wanted = {"queue": "Q", "wait": 600.0, **arguments}
        qm.link.say(CALL, 0, qm.conversation, 1_000_000 + number, calls.pack_call("get", wanted))


def with_waits(work: Callable[[Any, list[Any]], None], **arguments: bytes) -> Act:
    """Something beside 50,000 gets that wait for the same."""

    def act(server: Measured, qm: Any) -> Steps:
        others = [server.connect() for _ in range(WAITING_CLIENTS)]
        for other in others:
            wait_often(other, **arguments)
        time.sleep(WAITING_SECONDS)
        yield
        work(qm, others)
        yield
        for other in others:
            other.link.close()
        empty(qm)

    return act


def ends_waits(qm: Any, others: list[Any]) -> None:
    """Have one client leave, the last to come."""
    others[-1].link.close()
    time.sleep(1.0)


def answers_waits(qm: Any, others: list[Any]) -> None:
    """Put what all of them wait for in one unit."""
    with qm.unit_of_work():
        for _ in range(WAITS_OF_ONE * WAITING_CLIENTS // UNIT_PART):
            qm.put_many("Q", [BODY] * UNIT_PART, persistent=False)
    time.sleep(1.0)


def puts_beside(qm: Any, others: list[Any]) -> None:
    """Put what none of them waits for."""
    qm.put_many("Q", [BODY] * 1000, persistent=False)
    time.sleep(1.0)


def searches_text(server: Measured, qm: Any) -> Steps:
    """LIKE of a subscription and of a get on a property of a megabyte."""
    pattern = f"text LIKE '%_{'a' * 1000}b%'"
    with qm.subscribe("text", selector=pattern):
        yield
        for put in (qm.publish, qm.put):
            put(
                "text" if put == qm.publish else "Q",
                b"",
                properties={"text": "a" * 1_000_000},
                persistent=False,
            )
        qm.get("Q", selector=pattern)
        yield
    empty(qm)


def puts_with_reports(server: Measured, qm: Any) -> Steps:
    asking = Descriptor(report=mq.MQRO_COA, reply_to="Q")
    outputs = [("Q", penstock.Message(BODY, descriptor=asking), "", 0) for _ in range(GET_AT_ONCE)]
    yield
    qm.put_messages(outputs)
    yield
    empty(qm)


def asks(call: Callable[[Any], Any]) -> Act:
    """One request, which may be refused."""

    def act(server: Measured, qm: Any) -> Steps:
        yield
        try:
            call(qm)
        except MQError:
            pass
        yield
        empty(qm)

    return act


def calls_with_lists(server: Measured, qm: Any) -> Steps:
    yield
    strangers.call_with_lists(server.port)
    yield


SMALL = b"<Quote>" + b"<a/>" * 1_000_000 + b"<Price>101</Price></Quote>"
KEYS = b'{"Quote": {' + b"".join(b'"k%d":1,' % number for number in range(300_000)) + b'"Price": 101}}'
PRICE = "Body.Quote.Price > 100"
LINES = b"<Line><Sku>A-17</Sku><Qty>3</Qty></Line>" * 104_000
XML = b"<Quote>" + LINES + b"<Price>101</Price></Quote>"
JSON = b'{"Quote": {"Lines": [' + b'{"sku": "A-17", "qty": 3},' * 155_000 + b'0], "Price": 101}}'
TEN = [f"Body.Quote.Price > {number}" for number in range(10)]
COUNTING = [f"CARDINALITY(Body.Quote.*[]) > {number}" for number in range(10)]
COUNTS = "CARDINALITY(Body.Quote.Line[]) > 5"
STREAM = (
    "DEFINE TOPIC(T) TOPICSTR('streamed')",
    "DEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)",
    "DEFINE QLOCAL(S) STREAMQ(A)",
    f"SET AUTHREC PROFILE('S') OBJTYPE(QUEUE) PRINCIPAL('{USER}') AUTHADD(ALLMQI)",
)
LONG = " OR ".join(f"p = {number}" for number in range(900))
WAITS, WAITING_SECONDS = 900, 3.0  # until all of them wait
WAITING_CLIENTS, WAITS_OF_ONE = 50, 1_000
UNIT_PART = 10_000
PSC = "".join(f"<Topic>c/{n}</Topic>" for n in range(250))

ACTS: dict[str, Act] = {
    "put_many of 100,000, persistent": puts_many(True),
    "put_many of 100,000": puts_many(False),
    "commit of 100,000 puts": ends_unit(fill, methodcaller("commit")),
    "backout of 100,000 puts": ends_unit(fill, methodcaller("backout")),
    "commit of 100,000 gets": ends_unit(take, methodcaller("commit")),
    "backout of 100,000 gets": ends_unit(take, methodcaller("backout")),
    "a client dies with 100,000 puts": ends_unit(fill, breaks),
    "a client dies with 100,000 gets": ends_unit(take, breaks),
    "commit of publications, 300,000 copies": ends_copies(methodcaller("commit")),
    "backout of publications, 300,000 copies": ends_copies(methodcaller("backout")),
    "a client dies with 300,000 copies": ends_copies(breaks),
    "publications to 20,000 subscriptions": publishes_to_many(20_000),
    "publications to 5,000 with MQRFH2": publishes_to_many(5_000, properties="RFH2"),
    "subscribe, 20,000 retained": subscribes,
    "DEFINE SUB, 20,000 retained": commands("DEFINE SUB(S) TOPICSTR('retained/#') DEST(Q)"),
    "CLEAR TOPICSTR, 20,000 retained": commands("CLEAR TOPICSTR('retained/#') CLRTYPE(RETAINED)"),
    "RegSub, 20,000 retained": registers,
    "a client leaves 5,000 subscriptions": leaves_subscriptions,
    "a client leaves 2,000 handles": leaves_handles,
    "close of a subscription with 100,000": closes_subscription,
    "end of a dynamic queue with 100,000": ends_dynamic_queue,
    "first get in logical order of 100,000": gets_in_logical_order,
    "content filter, 4 MB of XML": filters(XML, PRICE),
    "content filter, 4 MB of JSON": filters(JSON, PRICE),
    "ten content filters, 4 MB of XML": filters(XML, *TEN),
    "content filter that counts, 4 MB of XML": filters(XML, COUNTS),
    "content filter, 1,000,000 elements": filters(SMALL, PRICE),
    "ten content filters that count 300,000": filters(KEYS, *COUNTING),
    "a stream with ten content filters, 4 MB": streams,
    "1,000 puts for 900 waiting selectors": waits,
    "a client leaves 1,000 of 50,000 waits": with_waits(ends_waits),
    "a client leaves 1,000 of 50,000 waits by one id": with_waits(ends_waits, correl_id=b"one"),
    "commit of 50,000 messages, all waited for": with_waits(answers_waits),
    "1,000 puts beside 50,000 waits by message id": with_waits(puts_beside, msg_id=b"none"),
    "LIKE on a property of 1 MB": searches_text,
    "put_messages of 5,000 with reports": puts_with_reports,
    "publish to 20,000 levels": asks(lambda qm: qm.publish("a/" * 20_000, b"")),
    "publish to a topic of 1 MB": asks(lambda qm: qm.publish("a/" * 500_000, b"")),
    "call of 3,000,000 lists": calls_with_lists,
    "MQSC, 1,000,000 continued lines": asks(lambda qm: qm.mqsc("+\n" * 1_000_000)),
    "MQSC, 350,000 comments": asks(lambda qm: qm.mqsc("* nothing\n" * 350_000)),
    "MQRFH2 of 200,000 properties": asks(
        lambda qm: qm.put("Q", strangers.PROPERTIES, format="MQHRF2", persistent=False)
    ),
    "psc command of 250 topics": asks(
        lambda qm: qm.put(
            "SYSTEM.BROKER.CONTROL.QUEUE",
            Rfh2((f"<psc><Command>Publish</Command>{PSC}</psc>",)).pack(),
            format="MQHRF2",
        )
    ),
    "a name of 1 MB": asks(lambda qm: qm.put("Q" * 1_000_000, b"")),
    "a selector of 1 MB": asks(lambda qm: qm.get("Q", selector="a = 1 OR " * 110_000 + "a = 1")),
    "a subscription's selector of 200 KB": asks(
        lambda qm: qm.subscribe("x", selector="a = 1 OR " * 22_000 + "a = 1")
    ),
}
