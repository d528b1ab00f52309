"""Clause 2: a connection with `reconnect` outlives its server; units are reported as backed out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq
from tests.conformance.client.conftest import Running, make
from tests.ports import free_port

pytestmark = pytest.mark.installed


def test_get_and_handle_go_on_after_a_kill(server: Any) -> None:
    events: list[int] = []
    with penstock.connect(
        server.address,
        reconnect=True,
        reconnect_timeout=60,
        on_event=lambda event: events.append(event.reason),
    ) as qm:
        handle = qm.open("Q", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
        qm.put("Q", b"kept", persistent=True)
        server.kill()
        server.start()
        assert qm.get("Q", wait=60.0).body == b"kept"
        handle.put(b"by handle")
        assert handle.get().body == b"by handle"
    assert events == [2544, 2545]


def test_unit_of_work_is_reported_as_backed_out(server: Any, fails: Callable[[int], Any]) -> None:
    with penstock.connect(server.address, reconnect="qmgr", reconnect_timeout=60) as qm:
        with fails(2003), qm.unit_of_work():
            qm.put("Q", b"half", persistent=True)
            server.kill()
            server.start()
            qm.put("Q", b"other half", persistent=True)
        assert qm.get("Q") is None
        with fails(2549), qm.unit_of_work():  # the commit is the call that finds the link broken
            qm.put("Q", b"half", persistent=True)
            server.kill()
            server.start()
        assert qm.get("Q") is None


def test_a_lost_unit_of_syncpoint_is_reported_to_its_own_calls_alone(
    server: Any, fails: Callable[[int], Any]
) -> None:
    """A plain put is not in such a unit: it is made, and the unit's next call or commit says 2003."""

    async def run() -> None:
        async with await penstock.aio.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
            for end in (qm.commit, lambda: qm.put("Q", b"half", options=mq.MQPMO_SYNCPOINT)):
                await qm.put("Q", b"half", persistent=True, options=mq.MQPMO_SYNCPOINT)
                server.kill()
                server.start()
                await qm.get("Q2")  # finds the link broken, and brings it back
                await qm.put("Q", b"whole", persistent=True)
                with fails(2003):
                    await end()

    asyncio.run(run())
    with penstock.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
        for end in (qm.commit, lambda: qm.put("Q", b"half", options=mq.MQPMO_SYNCPOINT)):
            qm.put("Q", b"half", persistent=True, options=mq.MQPMO_SYNCPOINT)
            server.kill()
            server.start()
            qm.get("Q2")
            qm.put("Q", b"whole", persistent=True)
            with fails(2003):
                end()
        assert [message.body for message in qm.messages("Q", wait=0.0)] == [b"whole"] * 4


def test_waiting_get_is_made_again(server: Any) -> None:
    found: list[bytes] = []
    with penstock.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
        getter = threading.Thread(target=lambda: found.append(qm.get("Q", wait=60.0).body))
        getter.start()
        server.kill()
        server.start()
        qm.put("Q", b"at last")
        getter.join(60)
    assert found == [b"at last"]


def test_a_handle_that_could_not_be_opened_is_good_again_after_the_next_break(
    server: Any, fails: Callable[[int], Any]
) -> None:
    with penstock.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
        handle = qm.open("Q", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
        server.kill()
        server.start()
        with penstock.connect("QM1") as other, other.open("Q", mq.MQOO_INPUT_EXCLUSIVE), fails(2042):
            handle.get(quiet=True)
        server.kill()
        server.start()
        assert qm.get("Q") is None  # finds the link broken, and brings it back
        handle.put(b"now")
        assert handle.get().body == b"now"


def test_asyncio_connection_comes_back(server: Any) -> None:
    async def run() -> None:
        async with await penstock.aio.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
            handle = await qm.open("Q", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
            await qm.put("Q", b"kept", persistent=True)
            with pytest.raises(penstock.MQError) as caught:  # noqa: PT012
                async with qm.unit_of_work():
                    await qm.put("Q", b"half", persistent=True)
                    server.kill()
                    server.start()
                    await qm.put("Q", b"other half", persistent=True)
            assert caught.value.reason == 2003
            found = await qm.get("Q", wait=60.0)
            assert found is not None
            assert found.body == b"kept"
            await handle.put(b"by handle")
            assert (await handle.get()).body == b"by handle"

    asyncio.run(run())


def any_qmgr(*ports: int) -> str:
    """Return an address that names hosts and no queue manager."""
    return f"mq://{','.join(f'127.0.0.1:{port}' for port in ports)}/?channel=TEST.SVRCONN"


def test_the_next_host_is_taken_when_the_first_is_dead(server: Any) -> None:
    address = any_qmgr(free_port(), server.port)
    with penstock.connect(address) as qm:
        qm.put("Q", b"x")

    async def run() -> bytes:
        async with await penstock.aio.connect(address) as asynchronous:
            return (await asynchronous.get("Q")).body

    assert asyncio.run(run()) == b"x"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Running]:
    """QM2, not started."""
    make(tmp_path / "other", "QM2")
    running = Running(tmp_path / "other", "QM2")
    yield running
    running.stop()


def test_reconnect_goes_to_another_queue_manager_that_it_may_take(server: Any, other: Running) -> None:
    other.start()
    with penstock.connect(any_qmgr(server.port, other.port), reconnect=True, reconnect_timeout=60) as qm:
        assert qm.name == "QM1"
        server.kill()
        assert qm.get("Q") is None
        assert qm.name == "QM2"


def test_reconnect_to_the_same_queue_manager_refuses_another(
    server: Any, other: Running, fails: Callable[[int], Any]
) -> None:
    events: list[int] = []
    other.start()
    details = {"reconnect": "qmgr", "reconnect_timeout": 1.5}
    address = any_qmgr(server.port, other.port)
    qm = penstock.connect(address, on_event=lambda event: events.append(event.reason), **details)

    async def run() -> None:
        asynchronous = await penstock.aio.connect(address, **details)
        server.kill()
        with fails(2548) as caught:
            await asynchronous.get("Q")
        assert "QM2, not QM1" in caught.value.detail

    asyncio.run(run())
    with fails(2548):
        qm.get("Q")
    assert events == [2544, 2556]


def test_subscriptions_outlive_the_connection(server: Any) -> None:
    with penstock.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
        durable = qm.subscribe("news/#", durable="s1")
        other = qm.subscribe("news/#")
        qm.publish("news/a", b"before", persistent=True)
        server.kill()
        server.start()
        with penstock.connect("QM1") as publisher:
            publisher.publish("news/b", b"between")
        assert durable.get(wait=60.0).body == b"before"
        assert durable.get(wait=60.0).body == b"between"
        qm.publish("news/c", b"after")
        assert durable.get(wait=60.0).body == b"after"
        assert other.get(wait=60.0).body == b"after"  # made anew: what came meanwhile is not in it
        durable.close(remove=True)


def test_asyncio_subscriptions_outlive_the_connection(server: Any) -> None:
    async def run() -> None:
        async with await penstock.aio.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
            found: list[bytes] = []
            durable = await qm.subscribe("news/#", durable="s1")
            async with await durable.consume(lambda message: found.append(message.body)):
                await qm.publish("news/a", b"before")
                while found != [b"before"]:
                    await asyncio.sleep(0.01)
                server.kill()
                server.start()
                with penstock.connect("QM1") as publisher:
                    publisher.publish("news/b", b"after")
                async with asyncio.timeout(60):
                    while found != [b"before", b"after"]:
                        await asyncio.sleep(0.01)

    asyncio.run(run())


def test_time_is_up(server: Any, fails: Callable[[int], Any]) -> None:
    events: list[int] = []
    qm = penstock.connect(
        server.address,
        reconnect=True,
        reconnect_timeout=1.0,
        on_event=lambda event: events.append(event.reason),
    )
    server.kill()
    with fails(2548):
        qm.put("Q", b"")
    with fails(2548):
        qm.get("Q")
    assert events == [2544, 2556]


def test_without_reconnect_the_connection_stays_broken(server: Any, fails: Callable[[int], Any]) -> None:
    qm = penstock.connect(server.address)
    server.kill()
    for _ in range(2):
        with fails(2009):
            qm.get("Q", wait=60.0)


def quiescing(server: Any) -> None:
    """Have a server that somebody works at begin to stop; come back when it takes nothing new."""
    with penstock.connect(server.address, share=False) as witness:
        server.process.terminate()
        while True:
            try:
                witness.get("Q2")
            except penstock.MQError as refused:
                assert refused.reason in (2009, 2161), refused
                return


def ended(server: Any) -> None:
    server.process.wait(60)
    server.process.stdout.close()


def test_a_call_that_a_quiescing_queue_manager_refuses_is_made_when_it_is_back(server: Any) -> None:
    with (
        penstock.connect(server.address, share=False) as busy,
        penstock.connect(server.address, share=False, reconnect=True, reconnect_timeout=60) as qm,
    ):
        busy.begin()
        busy.put("Q2", b"in a unit")
        quiescing(server)
        putter = threading.Thread(target=lambda: qm.put("Q", b"later", persistent=True))
        putter.start()
        putter.join(0.5)
        assert putter.is_alive()
        busy.commit()
        ended(server)
        server.start()
        putter.join(60)
        assert not putter.is_alive()
        assert [message.body for message in qm.get_many("Q", 9)] == [b"later"]


def test_a_task_at_a_quiescing_queue_manager_waits_for_the_next(server: Any) -> None:
    async def run(busy: penstock.ClientQueueManager) -> bytes:
        async with await penstock.aio.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
            quiescing(server)
            put = asyncio.create_task(qm.put("Q", b"later", persistent=True))
            await asyncio.wait([put], timeout=0.5)
            assert not put.done()
            busy.commit()
            await asyncio.to_thread(ended, server)
            await asyncio.to_thread(server.start)
            await asyncio.wait_for(put, 60)
            return bytes((await qm.get("Q")).body)

    with penstock.connect(server.address, share=False) as busy:
        busy.begin()
        busy.put("Q2", b"in a unit")
        assert asyncio.run(run(busy)) == b"later"


@pytest.mark.parametrize("unit_of_work", [False, True])
def test_a_consumer_goes_on(server: Any, unit_of_work: bool) -> None:
    found: list[bytes] = []
    with penstock.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
        with qm.consume("Q", lambda message: found.append(message.body), unit_of_work=unit_of_work):
            for stop in (server.kill, server.stop):
                stop()
                server.start()
                with penstock.connect(server.address, share=False) as other:
                    other.put("Q", b"next", persistent=True)
                    while other.open("Q").inquire("CURDEPTH")["CURDEPTH"]:
                        threading.Event().wait(0.05)
        assert found == [b"next", b"next"]


def test_a_task_that_consumes_goes_on(server: Any) -> None:
    async def run() -> list[bytes]:
        found: list[bytes] = []
        async with await penstock.aio.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
            arrived = asyncio.Event()

            async def note(message: Any) -> None:
                found.append(message.body)
                arrived.set()

            async with await qm.consume("Q", note, unit_of_work=True):
                for stop in (server.kill, server.stop):
                    await asyncio.to_thread(stop)
                    await asyncio.to_thread(server.start)
                    await qm.put("Q", b"next", persistent=True)
                    await asyncio.wait_for(arrived.wait(), 60)
                    arrived.clear()
        return found

    assert asyncio.run(run()) == [b"next", b"next"]
