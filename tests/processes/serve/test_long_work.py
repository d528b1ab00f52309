"""Long work of one client, and what others do meanwhile: theirs goes on between its steps."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.model.rfh2 import Rfh2
from penstock.protocol import failures
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Splitter
from penstock.qmgr.pubsub import delivering
from penstock.serve.conversations import scans, verbs
from penstock.serve.conversations.conversation import HANDLES_AT_ONCE
from tests.patience import until
from tests.processes.serve.test_calm_loop import served_while
from tests.processes.serve.test_strangers import frame, packed_call, raw

if TYPE_CHECKING:
    from tests.served import Served

pytestmark = pytest.mark.installed
TOPICS = 4000
RULES = 1000
DEEP = 30_000
TIMEOUT_SECONDS, STEP_SECONDS = 2.0, 0.25
GRANT = "SET AUTHREC PROFILE('SYSTEM.BASE.TOPIC') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(PUB,SUB)"


def round_trips_during(served: Served, work: Callable[[], Any]) -> int:
    """Return how many round trips another client makes while some work is done."""
    over = threading.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as failure:  # noqa: BLE001 - told by the test
            failures.append(failure)
        finally:
            over.set()

    with served.connect(share=False) as qm:
        thread = threading.Thread(target=run)
        thread.start()
        count = 0
        while not over.is_set():
            qm.put("APP.REPLIES", b"", persistent=False)
            assert qm.get("APP.REPLIES") is not None
            count += 1
        thread.join(60)
    for failure in failures:
        raise failure
    return count


@pytest.fixture(scope="module")
def furnished(served: Served) -> Served:
    """The queue manager with many topics and rules, and a deep queue."""
    rules = [
        f"SET CHLAUTH('RULE.{number}') TYPE(ADDRESSMAP) ADDRESS('10.0.0.1') USERSRC(NOACCESS)"
        for number in range(RULES)
    ]
    with served.local() as qm:
        for start in range(0, TOPICS, 250):
            names = "".join(f"<Topic>t/{start}/{n}</Topic>" for n in range(250))
            folder = f"<psc><Command>Publish</Command>{names}</psc>"
            qm.put("SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((folder,)).pack(), format="MQHRF2")
        assert not [reply.text for reply in qm.mqsc("\n".join(rules)) if reply.failed]
        for _ in range(DEEP // 5000):
            qm.put_many("APP.Q", [b"grey"] * 5000, persistent=False)
    return served


@pytest.mark.parametrize(
    ("command", "rows"),
    [
        ("DISPLAY TPSTATUS('#')", TOPICS),
        ("DISPLAY TPSTATUS('#') WHERE(TOPICSTR EQ 'x')", 0),
        ("DISPLAY CHLAUTH('*') ALL", RULES),
        ("DISPLAY CHLAUTH('*') WHERE(ADDRESS EQ '10.0.0.2')", 0),
    ],
)
def test_others_make_round_trips_while_somebody_displays(furnished: Served, command: str, rows: int) -> None:
    found: list[Any] = []

    def display() -> None:
        with furnished.local() as qm:
            found.extend(qm.mqsc(command))

    until(lambda: round_trips_during(furnished, display) >= 5)  # one or two if they had to wait for it
    assert len(found) >= rows


def test_others_make_round_trips_while_somebody_looks_through_a_long_queue(furnished: Served) -> None:
    found: list[Any] = []

    def select() -> None:
        with furnished.connect(share=False) as qm:
            found.append(qm.get("APP.Q", selector="colour = 'red'"))
            with qm.open("APP.Q", penstock.Open.BROWSE) as handle:
                found.append(
                    handle.get(selector="colour = 'red'", options=penstock.Get.BROWSE_FIRST, quiet=True)
                )

    until(lambda: round_trips_during(furnished, select) >= 10)
    assert set(found) == {None}


def test_a_get_that_waits_by_selector_gets_what_comes_while_it_looks(furnished: Served) -> None:
    found: list[Any] = []

    def select() -> None:
        with furnished.connect(share=False) as qm:
            found.append(qm.get("APP.Q", selector="colour = 'red'", wait=60.0))

    getters = [threading.Thread(target=select) for _ in range(4)]
    for getter in getters:
        getter.start()
    with furnished.connect(share=False) as qm:
        for number in range(4):
            qm.put("APP.Q", b"%d" % number, properties={"colour": "red"}, priority=number, persistent=False)
    for getter in getters:
        getter.join(60)
    assert sorted(message.body for message in found) == [b"0", b"1", b"2", b"3"]


def test_a_long_script_that_says_nothing_ends_with_its_connection(own: Served) -> None:
    """Twelve scripts of a million lines, with nothing in them: workers are free for others, signals heard."""
    text = packed_call("mqsc", text="+\n" * 1_000_000)
    with own.local() as admin:
        for number in range(3):
            with raw(own) as sock:
                for request in range(1, 5):
                    sock.sendall(frame(protocol.CALL, text, 1, request))
                sock.sendall(frame(protocol.CALL, text, 1, 5))
                kind, _, _, request, _, payload = Splitter(1 << 20).feed(sock.recv(65536))[0]
                assert (kind, request) == (protocol.FAILED, 5)  # four are under way
                assert failures.unpack(payload).reason == 2219
                assert admin.mqsc("PING QMGR")[0].ok  # and keep nobody else's commands waiting
                if number == 2:
                    stop_at_once(own)


def stop_at_once(served: Served) -> None:
    assert served.process is not None
    served.process.send_signal(signal.SIGTERM)
    while "quiesc" not in served.log().lower() and served.process.poll() is None:
        time.sleep(0.01)
        served.process.send_signal(signal.SIGTERM)  # once more: do not wait for anybody
    served.process.wait(60)


def test_long_displays_rest_between_slices(tmp_path: Path) -> None:
    rests: list[float] = []

    def drive(server: Any, address: str) -> None:
        pacer = server.host.pacer
        rest = pacer.rest
        pacer.rest = lambda worked: (rests.append(worked), rest(worked))[1]
        with penstock.connect(address, share=False) as qm:
            for _ in range(200):
                qm.mqsc("DISPLAY QUEUE(*) ALL")

    served_while(tmp_path, drive)
    assert len(rests) >= 20


def test_one_step_of_one_get_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten gets that look through a long queue: the loop looks at its sockets between two of their steps."""
    steps: list[str] = []
    take = scans.Scans._step

    def step(self: Any) -> None:
        steps.append("step")
        take(self)

    monkeypatch.setattr(scans.Scans, "_step", step)

    def drive(server: Any, address: str) -> None:
        with penstock.connect(address, share=False) as qm:
            for _ in range(4):
                qm.put_many("APP.Q", [b"grey"] * 5000, persistent=False)
        getters = [threading.Thread(target=select, args=(address,)) for _ in range(10)]
        for getter in getters:
            getter.start()
        with penstock.connect(address, share=False) as qm:
            while any(getter.is_alive() for getter in getters):
                qm.put("APP.REPLIES", b"", persistent=False)
                assert qm.get("APP.REPLIES") is not None
                steps.append("trip")

    def select(address: str) -> None:
        with penstock.connect(address, share=False) as qm:
            assert qm.get("APP.Q", selector="colour = 'red'") is None

    served_while(tmp_path, drive)
    assert steps.count("step") >= 10 * 20_000 * 3 // 4000 // 2
    assert steps.count("trip") >= 20


def searched_slowly(server: Any, address: str) -> list[Any]:
    """Search a long queue by three clients at once, for longer than their timeout; return what they got."""
    take = scans.Scans._step
    server.scans._step = lambda: server.loop.call_later(STEP_SECONDS, take, server.scans)
    found: list[Any] = []

    def keep(search: Callable[[], Any]) -> None:
        try:
            found.append(search())
        except penstock.MQError as failure:
            found.append(failure)

    async def search() -> Any:
        async with await penstock.aio.connect(address, timeout=TIMEOUT_SECONDS) as qm:
            return await qm.get("APP.Q", selector="colour = 'red'")

    with (
        penstock.connect(address, timeout=TIMEOUT_SECONDS) as reader,
        penstock.connect(address, timeout=TIMEOUT_SECONDS) as other,
    ):
        assert reader.link is other.link  # one of the two threads reads for both
        works: list[Callable[[], Any]] = [
            lambda: reader.get("APP.Q", selector="colour = 'red'"),
            lambda: other.get("APP.Q", selector="colour = 'blue'"),
            lambda: asyncio.run(search()),
        ]
        threads = [threading.Thread(target=keep, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    del server.scans._step
    return found


@pytest.mark.soak  # a machine that stands still for the timeout would fail it
def test_a_long_search_does_not_break_its_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue manager reports that it goes on; before, the client gave the connection up (2009)."""
    monkeypatch.setattr("penstock.serve.conversations.verbs.REPORT_SECONDS", 0.0)
    found: list[Any] = []

    def drive(server: Any, address: str) -> None:
        with penstock.connect(address, share=False) as qm:
            for _ in range(2):
                qm.put_many("APP.Q", [b"grey"] * 4000, persistent=False)
        found.extend(searched_slowly(server, address))

    served_while(tmp_path, drive)
    assert found == [None, None, None]


def test_a_long_search_reports_that_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each report names the request: a client waits on as long as they come."""
    monkeypatch.setattr("penstock.serve.conversations.verbs.REPORT_SECONDS", 0.0)
    reports: list[int] = []
    tell = verbs._report_under_way

    def report(conversation: Any, request: int, reported: float) -> float:
        reports.append(request)
        return tell(conversation, request, reported)

    monkeypatch.setattr(verbs, "_report_under_way", report)

    def drive(server: Any, address: str) -> None:
        with penstock.connect(address, share=False) as qm:
            for _ in range(2):
                qm.put_many("APP.Q", [b"grey"] * 4000, persistent=False)
            assert qm.get("APP.Q", selector="colour = 'red'") is None

    served_while(tmp_path, drive)
    assert len(reports) > 2
    assert len(set(reports)) == 1


def test_what_is_retained_is_delivered_in_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that goes in the middle leaves nothing on a queue that stays."""
    topics, step = 300, 10
    monkeypatch.setattr(delivering, "STEP_NODES", step)

    async def leave(server: Any, address: str) -> None:
        qm = await penstock.aio.connect(address)
        asking = asyncio.create_task(qm.subscribe("r/#", queue="APP.Q"))
        await asyncio.to_thread(until, lambda: server.engine.queues["APP.Q"].uncommitted == step)
        assert server.engine.pubsub.retained.deliveries
        qm.link._transport.abort()
        with pytest.raises(penstock.MQError):
            await asking

    def drive(server: Any, address: str) -> None:
        taken: list[Any] = []
        take = server.scans._step
        server.scans._step = lambda: (taken.append(0), take())
        with penstock.connect("QM1", home=tmp_path) as admin:
            assert not any(reply.failed for reply in admin.mqsc(GRANT))
            names = "".join(f"<Topic>r/{n}</Topic>" for n in range(topics // 2))
            for folder in (names, names.replace("r/", "r/x")):
                command = f"<psc><Command>Publish</Command><PubOpt>RetainPub</PubOpt>{folder}</psc>"
                admin.put("SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((command,)).pack() + b"kept", format="MQHRF2")
        with penstock.connect(address, share=False) as qm:
            with qm.subscribe("r/#") as subscription:
                assert len(list(subscription.messages())) == topics
            assert len(taken) >= topics // step - 1
            with qm.subscribe("r/#", on_request=True) as subscription:
                assert subscription.request() == topics
                assert len(list(subscription.messages())) == topics
        server.scans._step = lambda: None  # nobody takes the next step
        asyncio.run(leave(server, address))
        until(lambda: not server.engine.pubsub.retained.deliveries)
        assert server.engine.queues["APP.Q"].depth == 0

    served_while(tmp_path, drive)


def test_a_client_with_very_many_handles_ends_in_steps(tmp_path: Path) -> None:
    """Others' calls come between; at the end nothing of it is left."""
    count = 2 * HANDLES_AT_ONCE + 1

    def drive(server: Any, address: str) -> None:
        with server.gate:
            server.engine.definition.attributes["MAXHANDS"] = 10 * count
        client = penstock.connect(address, share=False)
        for _ in range(count):
            client.open("APP.Q", penstock.Open.INPUT_SHARED)
        [connection] = [each for each in server.engine.connected.values() if len(each.handles) == count]
        steps = []

        async def end() -> None:
            [link] = [each for each in server.links if each.conversations]
            [conversation] = link.conversations.values()
            conversation.end(False)
            while connection.number in server.engine.connected:
                steps.append(len(connection.handles))
                await asyncio.sleep(0)

        asyncio.run_coroutine_threadsafe(end(), server.loop).result(60)
        assert len(steps) == 2
        assert (connection.handles, server.engine.queues["APP.Q"].inputs) == ({}, 0)
        client.link.close()

    served_while(tmp_path, drive)
