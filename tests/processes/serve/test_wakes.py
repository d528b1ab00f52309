"""Whoever puts a message, a get that waits has it at once: nobody needs a clock to notice.

The server of these tests has no sweep, and gets that wait for ever have no deadline. A wake-up that nobody
follows up would never be answered.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

import penstock
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.installed

WITHOUT_CLOCKS = """
from penstock.serve import server
server.SWEEP_SECONDS = 100_000.0
from penstock.cli.main import main
main()
"""
TOPICS = SCRIPT + "SET AUTHREC PROFILE('SYSTEM.BASE.TOPIC') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(ALLMQI)"
ROUNDS = 5


class Clockless(Served):
    program = (sys.executable, "-c", WITHOUT_CLOCKS)


@pytest.fixture(scope="module")
def clockless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = Clockless(tmp_path_factory.mktemp("clockless"), script=TOPICS)
    running.start()
    yield running
    running.stop()


def put(served: Served, qm: penstock.ClientQueueManager) -> None:
    qm.put("APP.Q", b"x")


def put_without_answer(served: Served, qm: penstock.ClientQueueManager) -> None:
    qm.put("APP.Q", b"x", options=penstock.Put.ASYNC_RESPONSE)


def put_durably(served: Served, qm: penstock.ClientQueueManager) -> None:
    qm.put("APP.Q", b"x", persistent=True)


def put_many(served: Served, qm: penstock.ClientQueueManager) -> None:
    qm.put_many("APP.Q", [b"x"] * 3)
    qm.get_many("APP.Q", 2)  # the first goes to the get that waits


def commit(served: Served, qm: penstock.ClientQueueManager) -> None:
    with qm.unit_of_work():
        qm.put("APP.Q", b"x")


def publish(served: Served, qm: penstock.ClientQueueManager) -> None:
    with qm.subscribe("wakes", queue="APP.Q"):
        qm.publish("wakes", b"x")


def in_thread(call: Callable[[], object]) -> Callable[[], object]:
    """Make a call in a thread; what is returned waits for its result."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(call()), daemon=True)
    thread.start()

    def result() -> object:
        thread.join(60)
        assert found, "the get was not answered"
        return found[0]

    return result


@pytest.mark.parametrize("wake", [put, put_without_answer, put_durably, put_many, commit, publish])
def test_a_get_that_waits_for_ever_is_answered(
    clockless: Served, wake: Callable[[Served, penstock.ClientQueueManager], None]
) -> None:
    with clockless.connect() as waiter, clockless.connect(share=False) as other:
        for _ in range(ROUNDS):
            waiting = in_thread(lambda: waiter.get("APP.Q", wait=None))
            time.sleep(0.02)
            wake(clockless, other)
            message = waiting()
            assert isinstance(message, penstock.Message)
            assert message.body == b"x"


def test_a_message_that_a_lost_client_held_goes_to_who_waits(clockless: Served) -> None:
    broken = contextlib.suppress(penstock.MQError)  # what is left of `other` cannot be closed
    with clockless.connect() as waiter, broken, clockless.connect(share=False) as other:
        other.put("APP.Q", b"held")
        other.unit_of_work().__enter__()
        assert other.get("APP.Q") is not None
        waiting = in_thread(lambda: waiter.get("APP.Q", wait=None))
        time.sleep(0.02)
        other.link.stream.shutdown()
        assert waiting() is not None


def test_a_get_that_waits_is_told_that_its_queue_is_closed_to_gets(clockless: Served) -> None:
    def refused() -> int:
        with pytest.raises(penstock.MQError) as failure:
            waiter.get("APP.Q", wait=None)
        return failure.value.reason

    with clockless.connect() as waiter, clockless.local() as administrator:
        waiting = in_thread(refused)
        time.sleep(0.02)
        administrator.mqsc("ALTER QLOCAL(APP.Q) GET(DISABLED)")
        try:
            assert waiting() == 2016
        finally:
            administrator.mqsc("ALTER QLOCAL(APP.Q) GET(ENABLED)")


def test_gets_that_wait_for_the_puts_of_others_are_answered_without_them(clockless: Served) -> None:
    producers = 8
    with contextlib.ExitStack() as connections:
        connect = lambda: connections.enter_context(clockless.connect(share=False))  # noqa: E731
        consumer, others = connect(), [connect() for _ in range(producers)]
        for _ in range(ROUNDS):
            together = threading.Barrier(producers)

            def put_once(qm: penstock.ClientQueueManager, together: threading.Barrier = together) -> None:
                together.wait()
                qm.put("APP.Q", b"x", persistent=True)

            done = [in_thread(lambda qm=qm: put_once(qm)) for qm in others]  # type: ignore[misc]
            assert in_thread(lambda: len(got_by(consumer, producers)))() == producers
            for each in done:
                each()


def got_by(qm: penstock.ClientQueueManager, count: int) -> list[penstock.Message]:
    found: list[penstock.Message] = []
    while len(found) < count:
        found += qm.get_many("APP.Q", 100, wait=None)
    return found
