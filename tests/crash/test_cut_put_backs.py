"""The link is cut while a client puts back the message of a get that was given up: it is not lost.

To put it back is to open the queue, put and close. The relay ends the link instead of passing on one of these
calls, or the answer to it. Only where the answer to the put is cut off the message comes twice.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import penstock
from tests.patience import until
from tests.relay import Relay
from tests.served import Served

pytestmark = [pytest.mark.installed, pytest.mark.crash]

QUEUE = "APP.Q"
BODY = b"seen by nobody"
CALLS = {"open": b"open", "put": BODY, "close": b"close"}


class Cutting(Relay):
    """Holds back what the server answers, and cuts its link in the place of a call or an answer."""

    def __init__(self, target: int) -> None:
        self.answers = threading.Event()
        self.answers.set()
        self.mark, self.way = b"", ""
        self.come = self.marked = self.is_cut = False
        super().__init__(target)

    def passes(self, data: bytes, way: str) -> bool:
        """Hold answers, and cut the link where the test has said: once, when the message has come."""
        if way == "back":
            self.answers.wait()
        if self.is_cut:  # this is the next link
            return True
        self.marked |= self.come and way == "forth" and self.mark in data
        if self.marked and way == self.way:
            self.is_cut = True
            self.cut()
            return False
        self.come |= way == "back" and BODY in data
        return True


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = Served(tmp_path_factory.mktemp("cut"))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def relay(served: Served) -> Iterator[Cutting]:
    found = Cutting(served.port)
    yield found
    found.answers.set()
    found.close()


@pytest.fixture
def address(served: Served, relay: Cutting) -> str:
    return served.address().replace(f":{served.port}/", f":{relay.port}/")


def give(served: Served) -> None:
    """Put a message and wait until the server has given it to the client, whose answers are held."""
    with served.local() as helper:
        helper.put(QUEUE, BODY, persistent=True)
        until(lambda: not list(helper.browse(QUEUE)))


def by_asyncio(served: Served, relay: Cutting, address: str) -> list[Any]:
    """Have a get cancelled; return what the client finds afterwards."""

    async def run() -> list[Any]:
        async with await penstock.aio.connect(address, reconnect=True) as qm:
            relay.answers.clear()
            getting = asyncio.create_task(qm.get(QUEUE, wait=60.0))
            await asyncio.to_thread(give, served)
            getting.cancel()
            await asyncio.sleep(0)
            relay.answers.set()
            await asyncio.wait([getting])
            assert getting.cancelled()
            return [found async for found in qm.messages(QUEUE, wait=0.0)]

    return asyncio.run(run())


def by_signal(served: Served, relay: Cutting, address: str) -> list[Any]:
    """Have a get interrupted; return what the client finds afterwards."""

    def interrupted(*_: object) -> None:
        relay.answers.set()
        raise KeyboardInterrupt

    def interrupt() -> None:
        give(served)
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, interrupted)
    finger = threading.Thread(target=interrupt)
    try:
        with penstock.connect(address, reconnect=True, share=False) as qm:
            relay.answers.clear()
            finger.start()
            with pytest.raises(KeyboardInterrupt):
                qm.get(QUEUE, wait=60.0)
            return list(iter(lambda: qm.get(QUEUE), None))
    finally:
        finger.join()
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("client", [by_asyncio, by_signal])
@pytest.mark.parametrize("way", ["forth", "back"])
@pytest.mark.parametrize("call", CALLS)
def test_a_message_that_is_put_back_over_a_cut_link_is_not_lost(
    served: Served, relay: Cutting, address: str, client: Any, way: str, call: str
) -> None:
    relay.mark, relay.way = CALLS[call], way
    found = client(served, relay, address)
    assert relay.is_cut
    twice = (call, way) == ("put", "back")
    assert [message.body for message in found] == [BODY] * (1 + twice)
