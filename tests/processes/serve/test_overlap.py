"""Units that follow one another on a connection: order, refusals, what is left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.client import calls
from penstock.client.pipelining import Overlap, overlap_on
from penstock.model.errors import MQError
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.served import Served

pytestmark = pytest.mark.installed
SCRIPT = """
DEFINE QLOCAL(APP.IN) REPLACE
DEFINE QLOCAL(APP.OUT) REPLACE
DEFINE QLOCAL(APP.SMALL) MAXDEPTH(2) REPLACE
"""


@pytest.fixture
def qm(served: Served) -> Iterator[penstock.ClientQueueManager]:
    with penstock.connect("QM1", home=served.home, share=False) as client:
        client.mqsc(SCRIPT)
        for queue in ("APP.IN", "APP.OUT", "APP.SMALL"):
            client.get_many(queue, 1000)
        yield client


def overlap(qm: Any, count: int = 3) -> Overlap:
    found = overlap_on(qm, "APP.IN", count)
    assert found is not None
    return found


def outputs(messages: list[penstock.Message], queue: str = "APP.OUT") -> list[Any]:
    return [(queue, each, "", 0) for each in messages]


def bodies(messages: list[penstock.Message]) -> list[bytes]:
    return [each.body for each in messages]


def waiting(qm: Any, queue: str) -> int:
    with qm.open(queue) as handle:
        return int(handle.inquire("CURDEPTH")["CURDEPTH"])


def open_units(qm: Any) -> int:
    return sum(int(reply.attributes["UOWSTATE"] == "ACTIVE") for reply in qm.mqsc("DISPLAY CONN(*) ALL"))


def test_batches_are_put_in_order_while_the_next_are_got(qm: Any) -> None:
    qm.put_many("APP.IN", [b"%d" % n for n in range(8)], persistent=True)
    units = overlap(qm)
    units.ask()
    messages = units.take()
    units.ask()
    while messages:
        units.settle()
        following = units.take()
        units.commit(outputs(messages))
        if following:
            units.ask()
        messages = following
    units.settle()
    assert bodies(qm.get_many("APP.OUT", 100)) == [b"%d" % n for n in range(8)]
    assert waiting(qm, "APP.IN") == 0
    assert open_units(qm) == 0


def test_nothing_is_there_before_the_commit(qm: Any, served: Served) -> None:
    qm.put_many("APP.IN", [b"1", b"2"])
    units = overlap(qm)
    units.ask()
    messages = units.take()
    with served.local() as other:
        assert other.get("APP.IN") is None
        assert other.get("APP.OUT") is None
        units.commit(outputs(messages))
        units.settle()
        assert bodies(other.get_many("APP.OUT", 10)) == [b"1", b"2"]


def test_a_unit_whose_put_failed_is_not_committed(qm: Any) -> None:
    qm.put_many("APP.IN", [b"1", b"2", b"3"])
    units = overlap(qm)
    units.ask()
    messages = units.take()
    units.commit([*outputs(messages, "APP.OUT"), *outputs(messages, "APP.SMALL")])
    with pytest.raises(MQError) as raised:
        units.settle()
    assert (raised.value.reason, raised.value.fields["cause"]) == (2003, 2053)
    assert waiting(qm, "APP.OUT") == waiting(qm, "APP.SMALL") == 0
    back = qm.get_many("APP.IN", 10)
    assert bodies(back) == [b"1", b"2", b"3"]
    assert {each.backout_count for each in back} == {1}


def test_what_cannot_be_sent_leaves_the_unit_to_be_dropped(qm: Any) -> None:
    qm.put_many("APP.IN", [b"1", b"2"])
    units = overlap(qm)
    units.ask()
    messages = units.take()
    with pytest.raises(MQError) as raised:
        units.commit([*outputs(messages), ("APP.OUT", penstock.Message(b"x" * (qm.message_max + 1)), "", 0)])
    assert raised.value.reason == 2010
    assert units.drop() == []
    assert bodies(qm.get_many("APP.IN", 10)) == [b"1", b"2"]
    assert waiting(qm, "APP.OUT") == 0


def test_what_is_dropped_comes_back_in_its_order(qm: Any) -> None:
    qm.put_many("APP.IN", [b"%d" % n for n in range(8)])
    units = overlap(qm)
    units.ask()
    assert bodies(units.take()) == [b"0", b"1", b"2"]
    units.ask()
    assert bodies(units.take()) == [b"3", b"4", b"5"]
    units.ask()
    assert bodies(units.drop()) == [b"6", b"7"]
    assert bodies(qm.get_many("APP.IN", 100)) == [b"%d" % n for n in range(8)]
    assert open_units(qm) == 0


def test_an_empty_queue_leaves_no_unit(qm: Any) -> None:
    units = overlap(qm)
    for _ in range(protocol.UNITS_MAX + 10):
        units.ask()
        assert units.take() == []
    assert units.take() == []
    assert open_units(qm) == 0


def test_a_get_that_is_refused_is_like_an_empty_queue(qm: Any) -> None:
    qm.put("APP.IN", b"1")
    qm.mqsc("ALTER QLOCAL(APP.IN) GET(DISABLED)")
    units = overlap(qm)
    units.ask()
    assert units.take() == []
    qm.mqsc("ALTER QLOCAL(APP.IN) GET(ENABLED)")
    assert bodies(qm.get_many("APP.IN", 10)) == [b"1"]


def test_long_batches_pass(qm: Any) -> None:
    body = b"x" * 60_000
    qm.put_many("APP.IN", [body] * 90)
    units = overlap(qm, 30)
    units.ask()
    messages = units.take()
    units.ask()
    done = 0
    while messages:
        units.settle()
        following = units.take()
        units.commit(outputs(messages))
        units.ask()
        done += len(messages)
        messages = following or units.take()
    units.settle()
    assert done == 90
    assert waiting(qm, "APP.OUT") == 90
    while qm.get_many("APP.OUT", 100):
        pass


def test_a_shared_socket_and_one_that_comes_back_do_not_overlap(served: Served) -> None:
    with penstock.connect("QM1", home=served.home) as shared:
        assert overlap_on(shared, "APP.Q", 10) is None
    with penstock.connect("QM1", home=served.home, share=False, reconnect=True) as lasting:
        assert overlap_on(lasting, "APP.Q", 10) is None


def test_an_embedded_queue_manager_has_nothing_to_overlap(tmp_path: Any) -> None:
    with penstock.embed("QM1", create=True, home=tmp_path) as embedded:
        assert overlap_on(embedded, "APP.Q", 10) is None


def test_other_calls_without_an_answer_are_refused(qm: Any) -> None:
    qm.put("APP.IN", b"1")
    units = overlap(qm)
    units.ask()
    units.take()
    payload = calls.pack_call("open", {"name": "APP.Q", "options": 0, "details": {}})
    qm.link.release(qm.link.say(protocol.CALL, protocol.NO_REPLY, qm.conversation, 1, payload))
    units.commit([])
    with pytest.raises(MQError) as raised:
        units.settle()
    assert (raised.value.reason, raised.value.fields["cause"]) == (2003, 2046)
    assert qm.get("APP.IN").body == b"1"


@pytest.mark.parametrize("verb", ["put_messages", "open"])
def test_a_quiet_call_that_fails_before_its_unit_began_is_told_by_the_commit(qm: Any, verb: str) -> None:
    payload = calls.pack_call(verb, {"targets": 1, "descriptors": 2, "rows": 3})
    qm.link.release(qm.link.say(protocol.CALL, protocol.NO_REPLY, qm.conversation, 77, payload))
    with pytest.raises(MQError) as raised:
        calls.bare(qm, protocol.COMMIT, 77)
    assert (raised.value.reason, raised.value.fields["cause"]) == (2003, 2046)
    calls.bare(qm, protocol.COMMIT, 77)  # it is forgotten


def test_units_whose_puts_failed_are_remembered_within_bounds(own: Served) -> None:
    payload = calls.pack_call("open", {})
    with penstock.connect("QM1", home=own.home, share=False) as client:
        for unit in range(1, protocol.UNITS_MAX + 2):
            client.link.say(protocol.CALL, protocol.NO_REPLY, client.conversation, unit, payload)
        with pytest.raises(MQError) as raised:
            client.put("APP.Q", b"1")
    assert raised.value.reason == 2009
    with own.local() as other:
        assert other.get("APP.Q") is None


def test_calls_within_a_unit_go_with_it(qm: Any, served: Served) -> None:
    qm.put("APP.IN", b"1")
    units = overlap(qm)
    units.ask()
    assert bodies(units.take()) == [b"1"]
    units.within(lambda: qm.put("APP.OUT", b"2") and None)
    assert len(qm.open_units) == 0
    with served.local() as other:
        assert other.get("APP.OUT") is None
        units.commit([])
        units.settle()
        assert other.get("APP.OUT").body == b"2"


def test_an_answer_that_nobody_could_read_is_backed_out(qm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    qm.put_many("APP.IN", [b"1", b"2"])
    units = overlap(qm)
    units.ask()
    with monkeypatch.context() as patched:
        patched.setattr(calls, "messages_in", interrupted)
        with pytest.raises(KeyboardInterrupt):
            units.take()
    assert units.drop() == []
    assert bodies(qm.get_many("APP.IN", 10)) == [b"1", b"2"]
    assert open_units(qm) == 0


def interrupted(frame: Any) -> None:
    raise KeyboardInterrupt
