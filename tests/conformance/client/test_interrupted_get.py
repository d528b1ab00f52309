"""Clause 3: a get that is given up loses no message, and leaves the connection usable."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq
from penstock.protocol import numbers as protocol

pytestmark = pytest.mark.installed


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, whatever handler an earlier test has left behind."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt(call: Callable[[], Any], then: Callable[[], Any] = lambda: None) -> None:
    """Make a call, press Ctrl-C while it waits, which must end it, and then do something else."""
    begun, pressed = threading.Event(), threading.Event()

    def press() -> None:
        begun.wait(60)
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)
        pressed.wait(60)
        time.sleep(0.2)
        then()

    def interrupted(*_: object) -> None:
        pressed.set()
        raise KeyboardInterrupt

    def begin() -> None:
        begun.set()
        call()

    before = signal.signal(signal.SIGINT, interrupted)
    finger = threading.Thread(target=press)
    finger.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            begin()
    finally:
        finger.join()
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_in_a_waiting_get_leaves_the_connection_usable(server: Any) -> None:
    with penstock.connect(server.address) as qm:
        for call in (lambda: qm.get("Q", wait=60.0), lambda: qm.get("Q", wait=60.0, selector="a = 1")):
            interrupt(call)
        qm.put("Q", b"1")
        assert qm.get("Q").body == b"1"
        assert qm.get("Q") is None


def in_unit(qm: Any) -> bool:
    try:
        qm.begin()
    except penstock.MQError as failure:
        assert failure.reason == 2128, failure
        return True
    qm.backout()
    return False


def test_ctrl_c_in_a_get_with_syncpoint_begins_no_unit(server: Any) -> None:
    with penstock.connect(server.address) as qm, qm.open("Q", mq.MQOO_INPUT_SHARED) as handle:
        interrupt(lambda: handle.get(wait=60.0, options=mq.MQGMO_SYNCPOINT))
        assert not in_unit(qm)


def test_a_cancelled_get_with_syncpoint_begins_no_unit(server: Any) -> None:
    async def run() -> None:
        async with await penstock.aio.connect(server.address) as qm:
            async with await qm.open("Q", mq.MQOO_INPUT_SHARED) as handle:
                try:
                    async with asyncio.timeout(0.1):  # in this task, whose unit it would be
                        await handle.get(wait=60.0, options=mq.MQGMO_SYNCPOINT)
                except TimeoutError:
                    pass
                await qm.begin()
                await qm.backout()

    asyncio.run(run())


def test_cancelled_gets_lose_nothing(server: Any) -> None:
    async def run() -> list[bytes]:
        found: list[bytes] = []
        async with await penstock.aio.connect(server.address) as qm:
            producer = asyncio.create_task(produce(qm))
            while len(found) < 300:
                getter = asyncio.create_task(qm.get("Q", wait=60.0))
                await asyncio.wait({getter}, timeout=0.001)
                getter.cancel()
                try:
                    found.append((await getter).body)
                except asyncio.CancelledError:
                    pass
            await producer
            assert await qm.get("Q") is None
        return found

    async def produce(qm: Any) -> None:
        for number in range(300):
            await qm.put("Q", str(number).encode())
            await asyncio.sleep(0.0005)

    assert sorted(asyncio.run(run()), key=int) == [str(number).encode() for number in range(300)]


def test_cancelled_get_by_handle_is_kept_for_it(server: Any) -> None:
    async def run() -> None:
        async with await penstock.aio.connect(server.address) as qm:
            async with await qm.open("Q", mq.MQOO_INPUT_SHARED) as handle:
                getter = asyncio.create_task(handle.get(wait=60.0))
                await asyncio.sleep(0.1)
                getter.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await getter
                await qm.put("Q", b"x")
                assert (await handle.get()).body == b"x"

    asyncio.run(run())


def fact(message: Any) -> tuple[Any, ...]:
    """What must not change when a message goes back to its queue."""
    return (
        message.body,
        message.msg_id,
        message.correl_id,
        message.persistent,
        message.priority,
        message.reply_to,
        message.format,
        dict(message.properties),
        message.descriptor.user_id,
        round(message.put_time, 2),
    )


def put_rich(qm: Any) -> tuple[Any, ...]:
    """Put a message with everything to Q; return what is on the queue."""
    details = {"priority": 7, "expiry": 500.0, "reply_to": "Q2", "correl_id": b"c" * 24}
    qm.put("Q", "text", properties={"colour": "red"}, persistent=True, **details)
    return fact(next(iter(qm.browse("Q"))))


async def give_up(qm: Any, get: Any, kept: int = 0) -> None:
    """Cancel a get when its answer has come and its task has not run yet: outside a unit the message goes
    back at once, in one it is kept until the unit ends.
    """
    task = asyncio.create_task(get)
    took = qm.link._take

    def take(frame: Any) -> None:
        took(frame)
        if frame.kind == protocol.MESSAGE:
            task.cancel()

    qm.link._take = take
    with pytest.raises(asyncio.CancelledError):
        await task
    qm.link._take = took
    assert len(qm.kept) == kept


def test_a_message_of_a_cancelled_get_is_on_its_queue_at_once(server: Any) -> None:
    with penstock.connect(server.address) as observer:
        before = put_rich(observer)

        async def run() -> None:
            async with await penstock.aio.connect(server.address) as qm:
                await give_up(qm, qm.get("Q"))
                assert [fact(message) for message in observer.browse("Q")] == [before]

        asyncio.run(run())
        message = observer.get("Q")
    assert fact(message) == before
    assert 0 < message.expiry <= 500


def test_returned_messages_are_found_by_gets_of_other_kinds(server: Any) -> None:
    async def run() -> None:
        async with await penstock.aio.connect(server.address) as qm:
            by_selector = {"selector": "colour = 'red'"}
            await qm.put("Q", b"x", properties={"colour": "red"}, correl_id=b"abc")
            await give_up(qm, qm.get("Q", correl_id=b"abc"))
            await give_up(qm, qm.get("Q", **by_selector))
            assert await qm.get("Q", selector="colour = 'blue'") is None
            async with await qm.open("Q", mq.MQOO_INPUT_SHARED) as handle:
                await give_up(qm, handle.get(correl_id=b"abc"))
                assert (await handle.get(correl_id=b"abc")).body == b"x"
            await qm.put("Q", b"y")
            await give_up(qm, qm.get("Q"))
            async with qm.unit_of_work():
                assert (await qm.get("Q")).body == b"y"
            await qm.put("Q", b"z")
            await give_up(qm, qm.get("Q"))
            assert [message.body async for message in qm.browse("Q")] == [b"z"]
            assert [message.body for message in await qm.get_many("Q", 5)] == [b"z"]

    asyncio.run(run())


def test_kept_message_in_a_unit_backs_it_out(server: Any, fails: Callable[[int], Any]) -> None:
    async def run() -> None:
        async with await penstock.aio.connect(server.address) as qm:
            await qm.put("Q", b"x", persistent=True)
            await qm.begin()
            await give_up(qm, qm.get("Q"), kept=1)
            with fails(2003):
                await qm.commit()
            assert (await qm.get("Q")).backout_count == 1

    asyncio.run(run())


@pytest.mark.parametrize("how", ["name", "selector", "handle", "many"])
def test_ctrl_c_puts_back_what_had_come(server: Any, how: str) -> None:
    """Ctrl-C at the worst moment: the message was handed out, and the program has not seen it."""
    with penstock.connect(server.address) as qm:
        before = put_rich(qm)
        handle = qm.open("Q", mq.MQOO_INPUT_SHARED)
        ways: dict[str, Callable[[], Any]] = {
            "name": lambda: qm.get("Q", wait=60.0),
            "selector": lambda: qm.get("Q", wait=60.0, selector="colour = 'red'"),
            "handle": lambda: handle.get(wait=60.0),
            "many": lambda: qm.get_many("Q", 5, wait=60.0),
        }
        os.kill(server.process.pid, signal.SIGSTOP)
        interrupt(ways[how], then=lambda: os.kill(server.process.pid, signal.SIGCONT))
        assert len(qm.kept) == 0
        with penstock.connect("QM1") as other:
            message = other.get("Q")
        assert fact(message) == before
        assert 0 < message.expiry <= 500
        qm.put("Q", b"usable")
        assert qm.get_many("Q", 5)[0].body == b"usable"


def test_who_may_not_set_the_context_puts_back_all_the_same(server: Any) -> None:
    with penstock.connect("QM1") as admin:
        script = """DEFINE CHANNEL(PLAIN.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('plain')
        SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('plain') AUTHADD(CONNECT)
        SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('plain') AUTHADD(PUT,GET)"""
        assert not any(reply.failed for reply in admin.mqsc(script))
        admin.put("Q", b"x", correl_id=b"c" * 24)

        async def run() -> None:
            address = server.address.replace("TEST.SVRCONN", "PLAIN.SVRCONN")
            async with await penstock.aio.connect(address) as qm:
                await give_up(qm, qm.get("Q"))

        asyncio.run(run())
        message = admin.get("Q")
        assert (message.body, message.correl_id) == (b"x", b"c" * 24)


def test_tasks_share_a_connection_and_have_units_of_their_own(server: Any) -> None:
    async def work(qm: Any, name: str, commit: bool) -> None:
        await qm.begin()
        for _ in range(20):
            await qm.put("Q", name.encode())
        await (qm.commit() if commit else qm.backout())

    async def run() -> list[bytes]:
        async with await penstock.aio.connect(server.address) as qm:
            await asyncio.gather(*(work(qm, str(number), number % 2 == 0) for number in range(10)))
            return [message.body async for message in qm.messages("Q", wait=0.1)]

    found = asyncio.run(run())
    assert {body: found.count(body) for body in set(found)} == {str(n).encode(): 20 for n in range(0, 10, 2)}


def test_asyncio_client_works_on_uvloop(server: Any) -> None:
    import uvloop

    async def run() -> bytes:
        async with await penstock.aio.connect("QM1") as qm:
            await qm.put("Q", b"x" * 1_000_000)
            return (await qm.get("Q")).body

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert len(runner.run(run())) == 1_000_000


def test_late_answers_break_an_asyncio_connection(server: Any, fails: Callable[[int], Any]) -> None:
    async def run() -> None:
        qm = await penstock.aio.connect(server.address)
        qm.timeout = 0.5
        os.kill(server.process.pid, signal.SIGSTOP)
        try:
            with fails(2009):
                await qm.put("Q", b"x")
        finally:
            os.kill(server.process.pid, signal.SIGCONT)

    asyncio.run(run())


def test_child_of_a_fork_is_disconnected_and_the_parent_is_not(server: Any) -> None:
    with penstock.connect(server.address) as qm:
        child = os.fork()
        if child == 0:
            try:
                qm.put("Q", b"from the child")
                os._exit(1)
            except penstock.MQError as failure:
                os._exit(0 if failure.reason == 2009 else 2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        qm.put("Q", b"from the parent")
        assert qm.get("Q").body == b"from the parent"


def test_child_of_a_fork_has_no_asyncio_connection_and_the_parent_has(server: Any) -> None:
    async def run() -> None:
        async with await penstock.aio.connect(server.address) as qm:
            child = os.fork()
            if child == 0:
                step = qm.put("Q", b"from the child").send  # the loop is the parent's: one step without it
                try:
                    step(None)
                    os._exit(1)
                except penstock.MQError as failure:
                    os._exit(0 if failure.reason == 2009 else 2)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            await qm.put("Q", b"from the parent")
            assert (await qm.get("Q")).body == b"from the parent"

    asyncio.run(run())


def test_quiesce_ends_by_itself(server: Any, fails: Callable[[int], Any]) -> None:
    qm = penstock.connect(server.address)
    busy = penstock.connect(server.address, share=False)
    outcome: list[int] = []

    def wait() -> None:
        try:
            qm.get("Q", wait=60.0)
        except penstock.MQError as failure:
            outcome.append(failure.reason)

    getter = threading.Thread(target=wait)
    getter.start()
    time.sleep(0.2)
    with busy.unit_of_work():
        busy.put("Q", b"1", persistent=True)
        with penstock.connect("QM1") as admin:
            admin.stop("quiesce")
        getter.join(60)
        assert outcome == [2161]
        busy.put("Q", b"2", persistent=True)
    with fails(2161):
        busy.put("Q", b"3")
    assert server.process.wait(60) == 0
    with penstock.embed("QM1") as again:
        assert [message.body for message in again.browse("Q")] == [b"1", b"2"]


def test_immediate_stop_says_so(server: Any) -> None:
    qm = penstock.connect(server.address)
    with penstock.connect("QM1") as admin:
        admin.stop("immediate")
    server.process.wait(60)
    with pytest.raises(penstock.MQError) as caught:
        qm.get("Q", wait=60.0)
    assert caught.value.reason in (2009, 2162)


def test_a_call_of_another_task_ends_when_the_connection_is_closed(server: Any) -> None:
    async def run() -> None:
        qm = await penstock.aio.connect(server.address)
        waiting = asyncio.create_task(qm.get("Q", wait=None))
        await asyncio.sleep(0)
        asked = qm.link.ask(lambda frame: None)  # a request that the other end will not answer
        await qm.link.close()
        with pytest.raises(penstock.MQError) as caught:
            await asyncio.wait_for(asked.future, 60)
        assert caught.value.reason == 2009
        with pytest.raises(penstock.MQError):
            await asyncio.wait_for(waiting, 60)

    asyncio.run(run())
