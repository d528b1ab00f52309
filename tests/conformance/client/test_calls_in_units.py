"""Clause 7: which calls are in a unit of work, by every way to a queue manager.

Inside `with qm.unit_of_work()` and after `qm.begin()` every call without NO_SYNCPOINT is in the unit.
Otherwise only calls with SYNCPOINT are in it. A call that fails begins no unit.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

import penstock
from penstock import Get, Open, Put
from tests.conformance.client.conftest import RECONNECTING, WAYS, Blocking, Running

pytestmark = [
    pytest.mark.installed,
    pytest.mark.parametrize("qm", [*WAYS, *RECONNECTING], indirect=True),
]
ID = b"c" * 24


# -- the situations a call is made in ---------------------------------------------------------


@contextmanager
def outside(qm: Any) -> Iterator[None]:
    """No unit is open."""
    yield


@contextmanager
def in_with_block(qm: Any) -> Iterator[None]:
    with qm.unit_of_work():
        yield


@contextmanager
def after_begin(qm: Any) -> Iterator[None]:
    qm.begin()
    yield


@contextmanager
def after_syncpoint(qm: Any) -> Iterator[None]:
    """A unit is open because an earlier call had SYNCPOINT."""
    qm.put("Q2", b"began", options=Put.SYNCPOINT)
    yield


IN_ALL_CALLS = (in_with_block, after_begin)
SITUATIONS = (outside, *IN_ALL_CALLS, after_syncpoint)
OPTIONS = (0, Put.SYNCPOINT, Put.NO_SYNCPOINT)  # the same numbers for gets


# -- the calls ----------------------------------------------------------------------------------


def put(qm: Any, options: int) -> None:
    qm.put("Q", b"x", options=options)


def put_text(qm: Any, options: int) -> None:
    qm.put("Q", "x", options=options)


def put_by_handle(qm: Any, options: int) -> None:
    with qm.open("Q", Open.OUTPUT) as handle:
        handle.put(b"x", options=options)


def put_with_priority_by_handle(qm: Any, options: int) -> None:
    with qm.open("Q", Open.OUTPUT) as handle:
        handle.put(b"x", options=options, priority=3)


def put_many(qm: Any, options: int) -> None:
    qm.put_many("Q", [b"x"], options=options)


def publish(qm: Any, options: int) -> None:
    qm.publish("units/of/work", b"x", options=options)


def get_by_handle(qm: Any, options: int) -> None:
    with qm.open("Q", Open.INPUT_SHARED) as handle:
        assert handle.get(options=options, wait=60.0).body == b"x"


def get_by_id_by_handle(qm: Any, options: int) -> None:
    with qm.open("Q", Open.INPUT_SHARED) as handle:
        assert handle.get(options=options, correl_id=ID).body == b"x"


def get_of_subscription(qm: Any, options: int) -> None:
    with qm.subscribe("units/#", durable="units", queue="Q") as subscription:
        assert subscription.get(options=options, wait=60.0).body == b"x"


PUTS = (put, put_text, put_by_handle, put_with_priority_by_handle, put_many, publish)
GETS = (get_by_handle, get_by_id_by_handle, get_of_subscription)


# Calls that take no options.


def plain_put(qm: Any) -> None:
    qm.put("Q", b"x", persistent=True)


def plain_put_many(qm: Any) -> None:
    qm.put_many("Q", [b"x"])


def plain_put_many_of_text(qm: Any) -> None:
    qm.put_many("Q", ["x"])


def plain_put_messages(qm: Any) -> None:
    qm.put_messages([("Q", penstock.Message(b"x"), "", 0)])


def plain_publish(qm: Any) -> None:
    qm.publish("units/of/work", b"x")


def plain_get(qm: Any) -> None:
    assert qm.get("Q", wait=60.0).body == b"x"


def plain_get_selected(qm: Any) -> None:
    assert qm.get("Q", selector="size = 1").body == b"x"


def plain_get_many(qm: Any) -> None:
    assert [message.body for message in qm.get_many("Q", 10, wait=60.0)] == [b"x"]


def plain_get_many_by_id(qm: Any) -> None:
    assert [message.body for message in qm.get_many("Q", 10, correl_id=ID)] == [b"x"]


def plain_get_many_selected(qm: Any) -> None:
    assert [message.body for message in qm.get_many("Q", 10, selector="size = 1")] == [b"x"]


PLAIN_PUTS = (plain_put, plain_put_many, plain_put_many_of_text, plain_put_messages, plain_publish)
PLAIN_GETS = (plain_get, plain_get_selected, plain_get_many, plain_get_many_by_id, plain_get_many_selected)


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    name: str
    call: Callable[[Any], None]
    takes: bool  # a get
    in_unit: bool
    situation: Callable[[Any], Any]


def _cases() -> Iterator[Case]:
    for situation in SITUATIONS:
        where = situation.__name__
        for call in (*PUTS, *GETS):
            for options in OPTIONS:
                in_unit = options == Put.SYNCPOINT or (not options and situation in IN_ALL_CALLS)
                made = _with_options(call, options)
                yield Case(f"{call.__name__}-{options:d}-{where}", made, call in GETS, in_unit, situation)
        for plain in (*PLAIN_PUTS, *PLAIN_GETS):
            in_unit = situation in IN_ALL_CALLS
            yield Case(f"{plain.__name__}-{where}", plain, plain in PLAIN_GETS, in_unit, situation)


def _with_options(call: Callable[[Any, int], None], options: int) -> Callable[[Any], None]:
    return lambda qm: call(qm, options)


CASES = tuple(_cases())


@pytest.fixture
def subscribed(qm: Any) -> Iterator[Any]:
    """The connection, with a subscription whose publications go to Q."""
    with qm.subscribe("units/#", durable="units", queue="Q"):
        pass
    yield qm
    qm.unsubscribe("units")


def fresh(qm: Any) -> None:
    """Empty the queues, end the unit that a case has left."""
    qm.backout()
    for queue in ("Q", "Q2"):
        while qm.get(queue) is not None:
            pass


def test_a_call_is_in_the_unit_or_outside(subscribed: Any) -> None:
    """One test for the table: a queue manager for each line would take minutes."""
    qm = subscribed
    wrong = []
    for case in CASES:
        fresh(qm)
        if case.takes:
            qm.put("Q", b"x", correl_id=ID, properties={"size": 1})
        with case.situation(qm):
            case.call(qm)
            qm.backout()
        left = qm.get("Q")
        was_in_unit = (left is not None) if case.takes else (left is None)
        if was_in_unit is not case.in_unit or qm.get("Q2") is not None:
            wrong.append(f"{case.name}: in the unit: {was_in_unit}")
        if left is not None and left.backout_count != int(case.takes):
            wrong.append(f"{case.name}: backed out {left.backout_count} times")
    fresh(qm)
    assert wrong == []


def test_what_syncpoint_put_is_there_after_the_commit_alone(qm: Any) -> None:
    qm.put("Q", b"in", persistent=True, options=Put.SYNCPOINT)
    qm.put("Q", b"outside", persistent=True)
    assert [message.body for message in qm.browse("Q")] == [b"outside"]
    qm.commit()
    assert [message.body for message in qm.browse("Q")] == [b"outside", b"in"]


def test_put_many_outside_an_open_unit_is_still_all_or_none(qm: Any, fails: Callable[[int], Any]) -> None:
    qm.put("Q2", b"in", options=Put.SYNCPOINT)
    with fails(2004):
        qm.put_many("Q", ["one", 2])
    qm.put_many("Q", ["one", "two"])
    with pytest.raises(penstock.MQError):
        qm.put_messages([("Q", penstock.Message(b"x"), "", 0), ("NOWHERE", penstock.Message(b"x"), "", 0)])
    assert [message.body for message in qm.browse("Q")] == [b"one", b"two"]
    qm.commit()
    assert qm.get("Q2").body == b"in"


def test_a_unit_by_syncpoint_keeps_begin_out(qm: Any, fails: Callable[[int], Any]) -> None:
    qm.put("Q", b"in", options=Put.SYNCPOINT)
    with fails(2128):
        qm.begin()
    with fails(2128), qm.unit_of_work():
        pass
    qm.backout()
    assert qm.get("Q") is None


# -- calls that fail ------------------------------------------------------------------------------


def no_message(qm: Any) -> None:
    with qm.open("Q2", Open.INPUT_SHARED) as handle:
        handle.get(options=Get.SYNCPOINT)


def no_message_after_a_wait(qm: Any) -> None:
    with qm.open("Q2", Open.INPUT_SHARED) as handle:
        handle.get(options=Get.SYNCPOINT_IF_PERSISTENT, wait=0.01)


def options_that_exclude_each_other(qm: Any) -> None:
    with qm.open("Q2", Open.INPUT_SHARED | Open.OUTPUT) as handle:
        handle.get(options=Get.SYNCPOINT | Get.SYNCPOINT_IF_PERSISTENT)


def options_of_a_put(qm: Any) -> None:
    qm.put("Q2", b"", options=Put.SYNCPOINT | (1 << 30))


def argument_that_cannot_be_sent(qm: Any) -> None:
    qm.put("Q2", b"", options=Put.SYNCPOINT, properties={"size": object()})


def put_inhibited(qm: Any) -> None:
    qm.put("CLOSED", b"", options=Put.SYNCPOINT)


def put_inhibited_by_handle(qm: Any) -> None:
    with qm.open("CLOSED", Open.OUTPUT) as handle:
        handle.put(b"", options=Put.SYNCPOINT)


def put_many_inhibited(qm: Any) -> None:
    qm.put_many("CLOSED", [b""], options=Put.SYNCPOINT)


def put_many_of_which_one_is_wrong(qm: Any) -> None:
    qm.put_many("Q2", [b"", 5], options=Put.SYNCPOINT)


def get_inhibited(qm: Any) -> None:
    with qm.open("CLOSED", Open.INPUT_SHARED) as handle:
        handle.get(options=Get.SYNCPOINT)


def publish_with_a_wrong_level(qm: Any) -> None:
    qm.publish("units", b"", options=Put.SYNCPOINT, level="high")


def publish_with_wrong_options(qm: Any) -> None:
    qm.publish("units", b"", options=Put.SYNCPOINT | (1 << 30))


FAILING = (
    (no_message, 2033),
    (no_message_after_a_wait, 2033),
    (options_that_exclude_each_other, 2046),
    (options_of_a_put, 2046),
    (argument_that_cannot_be_sent, 2473),
    (put_inhibited, 2051),
    (put_inhibited_by_handle, 2051),
    (put_many_inhibited, 2051),
    (put_many_of_which_one_is_wrong, 2004),
    (get_inhibited, 2016),
    (publish_with_a_wrong_level, 2046),
    (publish_with_wrong_options, 2046),
)


def test_a_call_that_fails_begins_no_unit(qm: Any, fails: Callable[[int], Any]) -> None:
    qm.mqsc("DEFINE QLOCAL(CLOSED) PUT(DISABLED) GET(DISABLED) REPLACE")
    for call, reason in FAILING:
        with fails(reason):
            call(qm)
        qm.begin()  # 2128 when a unit is open
        qm.backout()
        qm.put("Q", call.__name__)
        qm.backout()
        assert qm.get("Q").body.decode() == call.__name__


def test_a_get_that_takes_nothing_begins_no_unit(qm: Any) -> None:
    qm.put("Q", b"too long", persistent=False)
    with qm.open("Q", Open.INPUT_SHARED | Open.BROWSE) as handle:
        assert handle.get(options=Get.SYNCPOINT, max_length=3).warning == 2080
        qm.begin()
        qm.backout()
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        handle.get(options=Get.UNLOCK, quiet=True)
        qm.begin()
        qm.backout()
        assert handle.get(options=Get.SYNCPOINT_IF_PERSISTENT).body == b"too long"
        qm.begin()
        qm.backout()
        assert handle.get(options=Get.SYNCPOINT, quiet=True) is None


def test_syncpoint_if_persistent_is_in_a_unit_for_persistent_messages(qm: Any) -> None:
    qm.put("Q", b"kept", persistent=True)
    qm.put("Q", b"gone", persistent=False)
    with qm.open("Q", Open.INPUT_SHARED) as handle:
        for _ in range(2):
            handle.get(options=Get.SYNCPOINT_IF_PERSISTENT)
    qm.backout()
    assert [message.body for message in qm.messages("Q", wait=0.0)] == [b"kept"]


def test_a_failed_call_in_an_open_unit_leaves_it_open(qm: Any, fails: Callable[[int], Any]) -> None:
    qm.put("Q", b"in", options=Put.SYNCPOINT)
    for call in (no_message, options_of_a_put):
        with pytest.raises(penstock.MQError):
            call(qm)
    assert qm.get("Q") is None
    qm.commit()
    assert qm.get("Q").body == b"in"
    with qm.unit_of_work():
        qm.put("Q", b"in")
        with fails(2033):
            no_message(qm)
    assert qm.get("Q").body == b"in"


# -- a program that dies --------------------------------------------------------------------------

DYING = {
    "local": """
        qm = penstock.connect("QM1", home=sys.argv[1])
        h = qm.open("Q2", Open.INPUT_SHARED)
        try:
            h.get(options=Get.SYNCPOINT)
        except penstock.NoMessage:
            qm.put("Q", b"is there", persistent=True)
            os._exit(0)
    """,
    "aio": """
        async def main():
            qm = await penstock.aio.connect(sys.argv[2])
            h = await qm.open("Q2", Open.INPUT_SHARED)
            try:
                await h.get(options=Get.SYNCPOINT)
            except penstock.NoMessage:
                await qm.put("Q", b"is there", persistent=True)
                os._exit(0)
        asyncio.run(main())
    """,
}


def test_a_put_after_a_failed_get_outlives_its_program(
    qm: Any, shared: Running, request: pytest.FixtureRequest
) -> None:
    way = request.node.callspec.params["qm"]
    if way not in DYING:
        pytest.skip("one program for each client is enough")
    imports = "import asyncio, os, sys, penstock\nfrom penstock import Get, Open\n"
    program = imports + textwrap.dedent(DYING[way])
    done = subprocess.run([sys.executable, "-c", program, str(shared.home), shared.address], timeout=60)
    assert done.returncode == 0
    assert qm.get("Q", wait=60.0).body == b"is there"


def test_two_tasks_or_threads_have_units_of_their_own(qm: Any) -> None:
    """A unit that SYNCPOINT began belongs to its context, as one of `begin` does."""
    qm.put("Q", b"in", options=Put.SYNCPOINT)
    if isinstance(qm, Blocking):
        return  # one context stands for the program there
    import threading

    thread = threading.Thread(target=qm.commit)
    thread.start()
    thread.join()
    assert qm.get("Q") is None
    qm.commit()
    assert qm.get("Q").body == b"in"
