"""The asyncio client does what queues say, as the blocking one does: DEFPRESP, DEFREADA, whole messages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import penstock
from penstock.model.message import Message
from tests.served import Served

pytestmark = pytest.mark.installed
QUEUES = """
DEFINE QLOCAL(APP.ASYNC) DEFPRESP(ASYNC) REPLACE
DEFINE QLOCAL(APP.AHEAD) DEFREADA(YES) MAXDEPTH(5000) REPLACE
"""


def run(served: Served, work: Callable[[Any], Awaitable[None]]) -> None:
    """Do something over a connection of asyncio, as user `app`."""
    with served.local() as admin:
        assert not any(reply.failed for reply in admin.mqsc(QUEUES))

    async def connected() -> None:
        async with await penstock.aio.connect(served.address()) as qm:
            await work(qm)

    asyncio.run(connected())


def test_puts_to_a_queue_with_defpresp_async_wait_for_no_answer(served: Served) -> None:
    async def work(qm: Any) -> None:
        receipts = [await qm.put("APP.ASYNC", b"%d" % number) for number in range(50)]
        found = await qm.get_many("APP.ASYNC", 100, wait=60.0)
        status = await qm.put_status()

        assert [message.body for message in found] == [b"%d" % number for number in range(50)]
        assert status.done == 49  # the first one learned of it
        assert receipts[0].msg_id != bytes(24)
        assert receipts[1].msg_id == bytes(24)

    run(served, work)


def test_a_queue_with_defreada_is_read_ahead_and_in_order(served: Served) -> None:
    async def work(qm: Any) -> None:
        bodies = [b"%d" % number for number in range(1000)]
        await qm.put_many("APP.AHEAD", bodies, persistent=False)
        found = [(await qm.get("APP.AHEAD")).body for _ in range(600)]
        held = len(qm.hints.ahead["APP.AHEAD"])
        while (more := await qm.get_many("APP.AHEAD", 70)) != []:
            found += [message.body for message in more]

        assert found == bodies
        assert held > 0
        assert await qm.get("APP.AHEAD") is None

    run(served, work)


def test_persistent_messages_are_not_read_ahead(served: Served) -> None:
    async def work(qm: Any) -> None:
        await qm.put_many("APP.AHEAD", [b"a", b"b", b"c"], persistent=True)
        first = await qm.get("APP.AHEAD")
        second = await qm.get("APP.AHEAD")
        with served.connect(share=False) as other:
            third = other.get("APP.AHEAD")

        assert third is not None
        assert [each.body for each in (first, second, third)] == [b"a", b"b", b"c"]

    run(served, work)


def test_whole_messages_are_put_all_or_none(served: Served) -> None:
    def message(body: bytes) -> Message:
        return Message(body, persistent=True)

    async def work(qm: Any) -> None:
        await qm.put_messages([("APP.Q", message(b"one"), "", 0), ("APP.REPLIES", message(b"two"), "", 0)])
        with pytest.raises(penstock.MQError) as caught:
            await qm.put_messages([("APP.Q", message(b"three"), "", 0), ("APP.NONE", message(b""), "", 0)])

        assert caught.value.reason == 2085
        assert caught.value.fields["index"] == 1
        assert [each.body for each in await qm.get_many("APP.Q", 10)] == [b"one"]
        assert [each.body for each in await qm.get_many("APP.REPLIES", 10)] == [b"two"]

    run(served, work)


def test_a_message_longer_than_the_channel_takes_is_refused_and_the_connection_goes_on(
    served: Served,
) -> None:
    async def work(qm: Any) -> None:
        with pytest.raises(penstock.MQError, match="2010"):
            await qm.put("APP.Q", bytes(qm.message_max + 1))
        with pytest.raises(penstock.MQError, match="2010"):
            await qm.put("APP.Q", bytes(qm.message_max + 1), priority=3)
        await qm.put("APP.Q", b"short")
        assert await qm.get("APP.Q") is not None

    run(served, work)
