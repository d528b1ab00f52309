"""Tasks are cancelled in the middle of calls, up to three times, and no message is lost or comes twice.

The rule: from the moment the queue manager gives a message to a call, the call returns it, it is kept for the
next get or put back, or its unit of work cannot be committed (2003). A commit that was cancelled says whether
it happened. The accident without that: a timeout, or a server that shuts down, takes a message along.
"""

from __future__ import annotations

import asyncio
import gc
import random
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.client.aio import link as aio_link
from tests.conformance.client.relay import Relay
from tests.interruptions import bodies, missing_and_doubled
from tests.patience import attempts
from tests.processes.serve.test_tls import Encrypted

pytestmark = [pytest.mark.installed, pytest.mark.crash]

ROUNDS = 40
SOAK_ROUNDS = 120  # times the scale
UNIT_GETS = 3
QUEUE = "APP.Q"
TOPIC = "cancelled"
BACKED_OUT = 2003
IN_UNIT_ALREADY = 2128
GRANT = "SET AUTHREC PROFILE('SYSTEM.BASE.TOPIC') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(PUB,SUB)"


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    """A running queue manager that takes clients by its local socket, TCP and TLS."""
    running = Encrypted(tmp_path_factory.mktemp("cancelled"))
    with running.served.local() as admin:
        assert not any(reply.failed for reply in admin.mqsc(GRANT))
    yield running
    running.served.stop()


@pytest.fixture
def rounds(scale: int) -> int:
    """How often each way is disturbed."""
    return ROUNDS if scale == 1 else SOAK_ROUNDS * scale


@pytest.fixture
def home(encrypted: Encrypted) -> Path:
    """The home of a queue manager whose queue is empty."""
    with encrypted.served.local() as admin:
        assert not any(reply.failed for reply in admin.mqsc(f"CLEAR QLOCAL({QUEUE})"))
    return encrypted.served.home


Connect = Callable[[], Awaitable[Any]]


@pytest.fixture(params=["local", "tcp", "tls", "reconnecting"])
def connect(request: pytest.FixtureRequest, encrypted: Encrypted, home: Path) -> Connect:
    """A way to the queue manager."""
    served = encrypted.served
    plain = served.address()
    secured = served.address("TLS.ANY", f"&ca={encrypted.ca}").replace("mq://", "mqs://")
    ways: dict[str, Connect] = {
        "local": lambda: penstock.aio.connect("QM1", home=home),
        "tcp": lambda: penstock.aio.connect(plain),
        "tls": lambda: penstock.aio.connect(secured),
        "reconnecting": lambda: penstock.aio.connect(plain, reconnect=True),
    }
    return ways[request.param]


async def pause(chance: random.Random) -> None:
    """Let the loop run for a few passes, or for a little while."""
    for _ in range(chance.randint(0, 12)):
        await asyncio.sleep(0)
    if chance.random() < 0.3:
        await asyncio.sleep(chance.uniform(0, 0.002))


async def disturbed(chance: random.Random, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Run something in a task of its own, and cancel the task now and then; return it when it is done."""
    task = asyncio.create_task(work)
    for _ in range(chance.randint(0, 3)):
        await pause(chance)
        task.cancel()
    await asyncio.wait([task])
    return task


async def gets_of(qm: Any, way: str) -> Callable[[], Coroutine[Any, Any, Any]]:
    """Return the call that gets in some way."""
    if way == "handle":
        handle = await qm.open(QUEUE)
        return lambda: handle.get(wait=0.02, quiet=True)
    if way == "subscription":
        subscription = await qm.subscribe(TOPIC)
        return lambda: subscription.get(wait=0.02)
    return {
        "get": lambda: qm.get(QUEUE, wait=0.02),
        "get by selector": lambda: qm.get(QUEUE, wait=0.02, selector="1 = 1"),
        "get_many": lambda: qm.get_many(QUEUE, 3, wait=0.02),
        "get_many by selector": lambda: qm.get_many(QUEUE, 3, wait=0.02, selector="1 = 1"),
    }[way]


WAYS = ["get", "get by selector", "get_many", "get_many by selector", "handle", "subscription"]


class Supply:
    """Puts numbered messages."""

    def __init__(self, qm: Any, way: str) -> None:
        self.qm = qm
        self.way = way
        self.sent: list[bytes] = []

    async def put(self, count: int) -> None:
        for _ in range(count):
            body = b"%d" % len(self.sent)
            self.sent.append(body)
            if self.way == "subscription":
                await self.qm.publish(TOPIC, body, persistent=True)
            else:
                await self.qm.put(QUEUE, body, persistent=True)


async def left(call: Callable[[], Awaitable[Any]]) -> list[bytes]:
    """Get what is left, undisturbed."""
    found: list[bytes] = []
    while more := bodies([await call()]):
        found += more
    return found


async def left_on_queue(helper: Any) -> list[bytes]:
    """Get what is left for other programs."""
    return await left(lambda: helper.get(QUEUE))


@pytest.mark.parametrize("way", WAYS)
def test_cancelled_gets_outside_units_lose_nothing(
    connect: Connect, home: Path, way: str, rounds: int
) -> None:
    chance = random.Random(1)

    async def run() -> tuple[list[bytes], list[bytes]]:
        seen: list[bytes] = []
        async with await penstock.aio.connect("QM1", home=home) as helper:
            async with await connect() as qm:
                call = await gets_of(qm, way)
                supply = Supply(helper, way)
                for _ in range(rounds):
                    task, _ = await asyncio.gather(
                        disturbed(chance, call()), supply.put(chance.randint(0, 2))
                    )
                    if not task.cancelled():
                        seen += bodies([task.result()])
                if way == "subscription":
                    seen += await left(call)
            return supply.sent, seen + await left_on_queue(helper)

    sent, seen = asyncio.run(run())
    assert missing_and_doubled(sent, seen) == ([], [])


@pytest.mark.parametrize("way", WAYS)
def test_cancelled_gets_in_units_lose_nothing(connect: Connect, home: Path, way: str, rounds: int) -> None:
    chance = random.Random(2)

    async def in_unit(unit: Any, call: Callable[[], Awaitable[Any]], found: list[bytes]) -> None:
        async with unit:
            for _ in range(UNIT_GETS):
                try:
                    found += bodies([await call()])
                except asyncio.CancelledError:
                    pass  # as a program does that has a timeout

    async def run() -> tuple[list[bytes], list[bytes]]:
        committed: list[bytes] = []
        outcomes = set()
        async with await penstock.aio.connect("QM1", home=home) as helper:
            async with await connect() as qm:
                call = await gets_of(qm, way)
                supply = Supply(helper, way)
                for _ in range(rounds // 2):
                    unit, found = qm.unit_of_work(), []
                    work = in_unit(unit, call, found)
                    task, _ = await asyncio.gather(disturbed(chance, work), supply.put(chance.randint(0, 3)))
                    if not task.cancelled() and task.exception() is not None:
                        assert task.exception().reason == BACKED_OUT
                        assert not unit.committed
                    committed += found if unit.committed else []
                    outcomes.add(unit.committed)
                committed += await left(call)
            assert True in outcomes
            return supply.sent, committed + await left_on_queue(helper)

    sent, seen = asyncio.run(run())
    assert missing_and_doubled(sent, seen) == ([], [])


def test_a_cancelled_commit_is_done_or_not_begun(connect: Connect, home: Path, rounds: int) -> None:
    """Afterwards the unit is open still, or its messages are there."""
    chance = random.Random(3)

    async def put_and_commit(qm: Any, body: bytes, committed: list[bytes]) -> None:
        await qm.begin()
        await qm.put(QUEUE, body, persistent=True)
        started.set()
        try:
            await qm.commit()
            committed.append(body)
        except asyncio.CancelledError:
            try:
                await qm.begin()
            except penstock.MQError as failure:
                assert failure.reason == IN_UNIT_ALREADY
            else:
                committed.append(body)
            await qm.backout()

    async def run() -> tuple[list[bytes], list[bytes]]:
        nonlocal started
        committed: list[bytes] = []
        async with await penstock.aio.connect("QM1", home=home) as helper:
            async with await connect() as qm:
                for number in range(rounds):
                    started = asyncio.Event()
                    task = asyncio.create_task(put_and_commit(qm, b"%d" % number, committed))
                    await started.wait()
                    await pause(chance)
                    task.cancel()
                    await asyncio.wait([task])
            return committed, await left_on_queue(helper)

    started = asyncio.Event()
    committed, found = asyncio.run(run())
    assert missing_and_doubled(committed, found) == ([], [])


def test_a_consumer_that_is_cancelled_loses_nothing(connect: Connect, home: Path, rounds: int) -> None:
    """Outside units: what the consumer has got was given to the callback, or is there still."""
    chance = random.Random(4)
    seen: list[bytes] = []

    async def run() -> tuple[list[bytes], list[bytes]]:
        async with await penstock.aio.connect("QM1", home=home) as helper:
            async with await connect() as qm:
                supply = Supply(helper, "get")
                for _ in range(rounds // 2):
                    consumer = await qm.consume(
                        QUEUE, lambda message: seen.append(message.body), unit_of_work=False
                    )
                    putting = asyncio.create_task(supply.put(3))
                    await pause(chance)
                    ending = chance.choice(["stop", "suspend", "cancel"])
                    if ending == "suspend":
                        await consumer.suspend()
                        await consumer.resume()
                        await pause(chance)
                    elif ending == "cancel":
                        for task in asyncio.all_tasks():
                            if task.get_name() == "penstock-consumer":
                                task.cancel()
                    await consumer.stop()
                    await putting
            return supply.sent, await left_on_queue(helper)

    sent, rest = asyncio.run(run())
    assert missing_and_doubled(sent, seen + rest) == ([], [])


# -- answers that are late ---------------------------------------------------------------------------


@pytest.fixture
def relay(encrypted: Encrypted, home: Path) -> Iterator[Relay]:
    """A relay that can hold the server's answers back."""
    found = Relay(encrypted.served.port)
    yield found
    found.close()


@pytest.mark.parametrize("late", [False, True], ids=["cancelled twice", "late answer"])
@pytest.mark.parametrize("ending", ["commit", "prepare"])
def test_a_unit_whose_get_is_not_answered_is_not_committed(
    relay: Relay, late: bool, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The get's message is on its way when the unit is to be committed: it must stay on its queue."""
    if late:
        monkeypatch.setattr(aio_link, "CANCEL_SECONDS", 0.2)

    async def run() -> Any:
        address = f"mq://127.0.0.1:{relay.port}/QM1?channel=APP.SVRCONN"
        async with await penstock.aio.connect(address) as qm:
            await qm.put(QUEUE, b"seen by nobody", persistent=True)
            await qm.begin()
            relay.hold_answers()
            getting = asyncio.create_task(qm.get(QUEUE))
            for _ in range(1 if late else 2):
                await asyncio.sleep(0.2)
                getting.cancel()
            await asyncio.wait([getting])
            assert getting.cancelled()
            asyncio.get_running_loop().call_later(1.0, relay.release_answers)
            with pytest.raises(penstock.MQError) as refused:
                await (qm.commit() if ending == "commit" else qm.prepare("x-1"))
            assert refused.value.reason == BACKED_OUT
            return await qm.get(QUEUE, wait=60.0)

    found = asyncio.run(run())
    assert found is not None
    assert found.body == b"seen by nobody"
    assert found.backout_count == 1


def test_a_get_that_is_not_answered_is_put_back_before_the_connection_closes(
    relay: Relay, home: Path
) -> None:
    async def run() -> Any:
        address = f"mq://127.0.0.1:{relay.port}/QM1?channel=APP.SVRCONN"
        async with await penstock.aio.connect("QM1", home=home) as helper:
            async with await penstock.aio.connect(address) as qm:
                await qm.put(QUEUE, b"seen by nobody", persistent=True)
                relay.hold_answers()
                getting = asyncio.create_task(qm.get(QUEUE))
                for _ in range(2):
                    await asyncio.sleep(0.2)
                    getting.cancel()
                await asyncio.wait([getting])
                asyncio.get_running_loop().call_later(0.5, relay.release_answers)
            return await helper.get(QUEUE, wait=60.0)

    found = asyncio.run(run())
    assert found is not None
    assert found.body == b"seen by nobody"


@pytest.mark.parametrize("times", [1, 2], ids=["cancelled", "cancelled twice"])
def test_the_message_of_a_cancelled_get_is_there_for_others_at_once(
    relay: Relay, home: Path, times: int
) -> None:
    """Its program may do anything else now, or nothing: it need not get again or close."""

    async def run() -> Any:
        address = f"mq://127.0.0.1:{relay.port}/QM1?channel=APP.SVRCONN"
        async with await penstock.aio.connect("QM1", home=home) as helper:
            async with await penstock.aio.connect(address) as qm:
                await qm.put(QUEUE, b"seen by nobody", persistent=True)
                relay.hold_answers()
                getting = asyncio.create_task(qm.get(QUEUE))
                await asyncio.sleep(0.2)
                asyncio.get_running_loop().call_later(0.5, relay.release_answers)
                for _ in range(times):
                    getting.cancel()
                    await asyncio.sleep(0.1)
                await asyncio.wait([getting])
                assert getting.cancelled()
                return await helper.get(QUEUE, wait=60.0)

    found = asyncio.run(run())
    assert found is not None
    assert found.body == b"seen by nobody"


def test_a_get_waits_for_a_message_that_is_put_back(relay: Relay, home: Path) -> None:
    """The accident without that: the next get finds an empty queue, though there is a message."""

    async def run() -> Any:
        address = f"mq://127.0.0.1:{relay.port}/QM1?channel=APP.SVRCONN"
        async with await penstock.aio.connect(address) as qm:
            await qm.put(QUEUE, b"seen by nobody", persistent=True)
            relay.hold_answers()
            getting = asyncio.create_task(qm.get(QUEUE))
            await asyncio.sleep(0.2)
            asyncio.get_running_loop().call_later(0.5, relay.release_answers)
            getting.cancel()
            await asyncio.wait([getting])
            while qm.kept and not qm.kept.leaving:
                await asyncio.sleep(0)
            return await qm.get(QUEUE)

    found = asyncio.run(run())
    assert found is not None
    assert found.body == b"seen by nobody"


@pytest.mark.filterwarnings("ignore:unclosed", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_loop_that_ends_lets_messages_go_back(home: Path, rounds: int) -> None:
    """`asyncio.run` cancels every task that is left; the program has not closed its connection."""
    chance = random.Random(5)
    seen: list[bytes] = []

    async def get(qm: Any) -> None:
        message = await qm.get(QUEUE, wait=60.0)
        seen.append(message.body)

    async def give_up(body: bytes) -> None:
        qm = await penstock.aio.connect("QM1", home=home)
        getting = asyncio.create_task(get(qm))
        async with await penstock.aio.connect("QM1", home=home) as helper:
            putting = asyncio.create_task(helper.put(QUEUE, body, persistent=True))
            await pause(chance)
            if chance.random() < 0.5:
                getting.cancel()
            await putting

    async def rest() -> list[bytes]:
        async with await penstock.aio.connect("QM1", home=home) as helper:
            return await left_on_queue(helper)

    sent = [b"%d" % number for number in range(rounds // 4)]
    for body in sent:
        asyncio.run(give_up(body))
        gc.collect()  # its connection ends
        seen += asyncio.run(rest())
    assert missing_and_doubled(sent, seen) == ([], [])


@pytest.mark.filterwarnings("ignore:unclosed", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_get_that_was_cancelled_when_the_loop_ends_lets_its_message_go_back(
    home: Path, relay: Relay
) -> None:
    """The second cancellation, that of `asyncio.run`, ends the task before its message has arrived."""

    async def give_up() -> None:
        qm = await penstock.aio.connect(f"mq://127.0.0.1:{relay.port}/QM1?channel=APP.SVRCONN")
        await qm.put(QUEUE, b"seen by nobody", persistent=True)
        relay.hold_answers()
        getting = asyncio.create_task(qm.get(QUEUE))
        await asyncio.sleep(0.2)
        getting.cancel()
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.2, relay.release_answers)

    asyncio.run(give_up())
    with penstock.connect("QM1", home=home) as helper:
        found = helper.get(QUEUE)
    assert found is not None
    assert found.body == b"seen by nobody"


@pytest.mark.parametrize("call", ["open", "subscribe", "connect"])
def test_what_a_cancelled_call_has_opened_is_closed(
    connect: Connect, encrypted: Encrypted, home: Path, call: str
) -> None:
    """The accident without that: a program with timeouts piles up handles and subscriptions."""
    chance = random.Random(6)

    async def run() -> tuple[int, int]:
        kept: list[Any] = []
        async with await penstock.aio.connect("QM1", home=home) as helper, await connect() as qm:
            before = await opened(helper)
            for _ in range(ROUNDS // 2):
                work = {
                    "open": lambda: qm.open(QUEUE),
                    "subscribe": lambda: qm.subscribe(TOPIC),
                    "connect": connect,
                }[call]
                task = await disturbed(chance, work())
                if not task.cancelled():
                    kept.append(task.result())
            for each in kept:
                await each.close()
            return before, await settled(helper, before)

    before, after = asyncio.run(run())
    assert after == before


async def opened(helper: Any) -> int:
    """Return how many handles, subscriptions and connections there are."""
    replies = await helper.mqsc(
        f"DISPLAY QSTATUS({QUEUE}) TYPE(HANDLE)\nDISPLAY TPSTATUS('{TOPIC}') TYPE(SUB)\nDISPLAY CONN(*)"
    )
    return sum(not reply.failed for reply in replies)


async def settled(helper: Any, wanted: int) -> int:
    """Return how many there are in the end."""
    for _ in attempts(60.0):
        if (found := await opened(helper)) == wanted:
            return found
        await asyncio.sleep(0.05)
    return -1


def test_a_commit_that_is_cancelled_under_way_says_that_it_happened(relay: Relay, home: Path) -> None:
    async def put_in(qm: Any, unit: Any, started: asyncio.Event) -> None:
        async with unit:
            await qm.put(QUEUE, b"committed", persistent=True)
            relay.hold_answers()
            started.set()  # the commit is sent before another task runs

    async def run() -> tuple[bool, bool, Any]:
        address = f"mq://127.0.0.1:{relay.port}/QM1?channel=APP.SVRCONN"
        async with await penstock.aio.connect("QM1", home=home) as helper:
            async with await penstock.aio.connect(address) as qm:
                unit = qm.unit_of_work()
                task = asyncio.create_task(put_in(qm, unit, started := asyncio.Event()))
                await started.wait()
                task.cancel()
                asyncio.get_running_loop().call_later(0.5, relay.release_answers)
                await asyncio.wait([task])
                return task.cancelled(), unit.committed, await helper.get(QUEUE, wait=60.0)

    cancelled, committed, found = asyncio.run(run())
    assert (cancelled, committed) == (True, True)
    assert found is not None


@pytest.mark.parametrize("meanwhile", ["the answer comes", "the link breaks"])
def test_a_unit_that_prepare_has_refused_stays_backed_out(
    relay: Relay, home: Path, meanwhile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A get's answer is late; then it comes, or the link breaks, before the unit is backed out."""
    monkeypatch.setattr(aio_link, "CANCEL_SECONDS", 0.2)
    settle = aio_link.AioLink.settle

    async def settle_late(link: aio_link.AioLink, unit: int | None = None) -> bool:
        settled = await settle(link, unit)
        if not settled and unit:
            if meanwhile == "the link breaks":
                relay.cut()
            relay.release_answers()
            while link.given_up and link.failure is None:
                await asyncio.sleep(0.01)
        return settled

    monkeypatch.setattr(aio_link.AioLink, "settle", settle_late)

    async def run() -> tuple[int, Any, Any]:
        address = f"mq://127.0.0.1:{relay.port}/QM1?channel=APP.SVRCONN"
        async with await penstock.aio.connect("QM1", home=home) as helper:
            async with await penstock.aio.connect(address, reconnect=True) as qm:
                await qm.begin()
                await qm.put(QUEUE, b"not committed", persistent=True)
                relay.hold_answers()
                getting = asyncio.create_task(qm.get(QUEUE, correl_id=b"nobody has this"))
                await asyncio.sleep(0.2)
                getting.cancel()
                await asyncio.wait([getting])
                with pytest.raises(penstock.MQError) as refused:
                    async with asyncio.timeout(60.0):
                        await qm.prepare("x-2")
                return refused.value.reason, await helper.get(QUEUE), await helper.prepared()

    assert asyncio.run(run()) == (BACKED_OUT, None, [])
