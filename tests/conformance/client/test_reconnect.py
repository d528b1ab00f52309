"""Clause 2: a connection with `reconnect` outlives its server; units are reported as backed out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq

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
        assert qm.get("Q", wait=5.0).body == b"kept"
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


def test_waiting_get_is_made_again(server: Any) -> None:
    found: list[bytes] = []
    with penstock.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
        getter = threading.Thread(target=lambda: found.append(qm.get("Q", wait=60.0).body))
        getter.start()
        server.kill()
        server.start()
        qm.put("Q", b"at last")
        getter.join(30)
    assert found == [b"at last"]


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
            found = await qm.get("Q", wait=5.0)
            assert found is not None
            assert found.body == b"kept"
            await handle.put(b"by handle")
            assert (await handle.get()).body == b"by handle"

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
            qm.get("Q", wait=1.0)
