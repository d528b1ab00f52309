"""Clause 8: `qm.messages` and `qm.consume` use units of work unless they are switched off.

Without them a message is lost that was got and not worked on when the program or the server ends.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

import penstock
from tests.conformance.client.conftest import RECONNECTING, WAYS, Running, until

pytestmark = [
    pytest.mark.installed,
    pytest.mark.parametrize("qm", [*WAYS, *RECONNECTING], indirect=True),
]


def left(qm: Any, queue: str = "Q") -> list[tuple[bytes, int]]:
    """What is on a queue: bodies and backout counts."""
    return [(message.body, message.backout_count) for message in qm.browse(queue)]


def closing(messages: Iterator[Any]) -> None:
    """Leave a loop for good; asyncio closes its generators later than a `for` does."""
    getattr(messages, "close", lambda: None)()


def test_a_message_is_committed_when_the_next_one_is_asked_for(qm: Any) -> None:
    qm.put_many("Q", [b"1", b"2", b"3"], persistent=True)
    seen = []
    for message in qm.messages("Q", wait=0.1):
        seen.append((message.body, [body for body, _ in left(qm)]))
    assert seen == [(b"1", [b"2", b"3"]), (b"2", [b"3"]), (b"3", [])]
    assert left(qm) == []
    qm.begin()  # 2128 when a unit is open
    qm.backout()


def test_puts_of_the_body_are_not_in_the_unit(qm: Any) -> None:
    """They are there at once: a loop that is left must not take them back."""
    qm.put("Q", b"1", persistent=True)
    messages = qm.messages("Q", wait=0.1)
    next(messages)
    qm.put("Q2", b"out", persistent=True)
    assert left(qm, "Q2") == [(b"out", 0)]
    with qm.unit_of_work():  # the body may have a unit of its own
        qm.put("Q2", b"in a unit")
    assert [body for body, _ in left(qm, "Q2")] == [b"out", b"in a unit"]
    assert list(messages) == []
    assert left(qm) == []


def test_without_a_unit_a_message_is_taken_for_good(qm: Any) -> None:
    qm.put_many("Q", [b"1", b"2"])
    messages = qm.messages("Q", wait=0.1, unit_of_work=False)
    next(messages)
    closing(messages)
    assert left(qm) == [(b"2", 0)]


def test_inside_a_unit_the_messages_are_in_that_unit(qm: Any) -> None:
    qm.put_many("Q", [b"1", b"2"])
    qm.begin()
    assert len(list(qm.messages("Q", wait=0.0))) == 2
    qm.backout()
    assert left(qm) == [(b"1", 1), (b"2", 1)]


def test_publications_are_in_units_too(qm: Any) -> None:
    with qm.subscribe("loop/#") as subscription:
        for body in (b"1", b"2"):
            qm.publish("loop/x", body)
        assert [message.body for message in subscription.messages(wait=0.1)] == [b"1", b"2"]
        assert subscription.get() is None
    qm.begin()
    qm.backout()


def test_a_callback_that_raises_backs_its_message_and_puts_out(qm: Any) -> None:
    inner = getattr(qm, "_subject", qm)

    def callback(message: Any) -> Any:
        if message.backout_count:
            return None
        raise ValueError("not now")

    qm.put("Q", b"x", persistent=True)
    consumer = qm.consume("Q", callback)  # a unit is the default
    until(qm, lambda: not consumer.running)
    with pytest.raises(ValueError, match="not now"):
        consumer.stop()
    assert left(qm) == [(b"x", 1)]
    with qm.consume("Q", callback) as consumer:
        until(qm, lambda: consumer.consumed == 1)
    assert left(qm) == []
    assert not inner.closed


def test_a_callback_without_a_unit_has_lost_its_message(qm: Any) -> None:
    def callback(message: Any) -> None:
        raise ValueError("no")

    qm.put("Q", b"x")
    consumer = qm.consume("Q", callback, unit_of_work=False)
    until(qm, lambda: not consumer.running)
    with pytest.raises(ValueError, match="no"):
        consumer.stop()
    assert left(qm) == []


# -- a loop that is left -----------------------------------------------------------------------------


def test_a_loop_that_is_left_puts_its_last_message_back(qm: Any, request: pytest.FixtureRequest) -> None:
    if "aio" in request.node.callspec.params["qm"]:
        pytest.skip("asyncio closes its generators itself: the program below shows it")
    for leave in ("break", "raise"):
        qm.put_many("Q", [b"1", b"2"], persistent=True)
        with pytest.raises(StopIteration) if leave == "raise" else nullcontext():
            for _ in qm.messages("Q", wait=0.1):
                if leave == "raise":
                    raise StopIteration
                break
        assert left(qm) == [(b"1", 1), (b"2", 0)]
        assert len(qm.get_many("Q", 5)) == 2


PROGRAMS = {
    "local": """
        qm = penstock.connect("QM1", home=sys.argv[1])
        for message in qm.messages("Q", wait=5.0):
            os._exit(0)
    """,
    "aio": """
        async def main():
            qm = await penstock.aio.connect(sys.argv[2])
            async for message in qm.messages("Q", wait=5.0):
                break
            await qm.put("Q2", b"after the loop", persistent=True)
            await qm.close()
        asyncio.run(main())
    """,
}


def test_a_program_that_ends_in_its_loop_loses_no_message(
    qm: Any, shared: Running, request: pytest.FixtureRequest
) -> None:
    way = request.node.callspec.params["qm"]
    if way not in PROGRAMS:
        pytest.skip("one program for each client is enough")
    qm.put("Q", b"kept", persistent=True)
    program = "import asyncio, os, sys, penstock\n" + textwrap.dedent(PROGRAMS[way])
    done = subprocess.run([sys.executable, "-c", program, str(shared.home), shared.address], timeout=60)
    assert done.returncode == 0
    until(qm, lambda: left(qm) == [(b"kept", 1)])
    assert qm.get("Q2") is None if way == "local" else qm.get("Q2").body == b"after the loop"


# -- puts and publications without an answer ---------------------------------------------------------


def test_a_publication_without_an_answer_arrives(qm: Any) -> None:
    options = penstock.Put.ASYNC_RESPONSE
    with qm.subscribe("quiet/#") as subscription, qm.open("Q", penstock.Open.OUTPUT) as handle:
        receipt = qm.publish("quiet/x", b"1", persistent=True, options=options)
        assert subscription.get(wait=60.0).body == b"1"
        handle.put(b"2", options=options, priority=3)
        qm.put("Q", "3", options=options, properties={"a": 1})
        assert [qm.get("Q", wait=60.0).body for _ in range(2)] == [b"2", b"3"]
    if not isinstance(getattr(qm, "_subject", qm), penstock.QueueManager):
        assert receipt.msg_id == bytes(24)  # the queue manager was not waited for
        assert (qm.put_status().done, qm.put_status().failed) == (3, 0)


def test_a_publication_without_an_answer_that_fails_is_told_later(qm: Any) -> None:
    if isinstance(qm, penstock.QueueManager):
        pytest.skip("an embedded queue manager answers at once")
    options = penstock.Put.ASYNC_RESPONSE
    qm.publish("quiet", b"x", options=options | (1 << 30))
    status = qm.put_status()
    assert (status.done, status.failed, status.failure.reason) == (0, 1, 2046)
    with pytest.raises(penstock.BackedOut), qm.unit_of_work():  # noqa: PT012
        qm.put("Q", b"goes with it")
        qm.publish("quiet", b"x", options=options | (1 << 30))
    assert qm.get("Q") is None
