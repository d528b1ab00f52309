"""Browses, cursors, selectors, and what shared queues refuse by name."""

from __future__ import annotations

import pytest

from penstock import Get, Open
from penstock.model.errors import MQError
from tests.shared_groups import Members


def test_a_browse_shows_messages_in_order_and_the_cursor_gets_one(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    for i, priority in enumerate((1, 5, 5)):
        one.put("ORDERS", b"%d" % i, priority=priority, persistent=True)
    with two.open("ORDERS", options=Open.BROWSE | Open.INPUT_SHARED) as handle:
        assert handle.get(options=Get.BROWSE_FIRST).body == b"1"
        assert handle.get(options=Get.BROWSE_NEXT).body == b"2"
        assert handle.get(options=Get.BROWSE_UNDER_CURSOR).body == b"2"
        assert handle.get(options=Get.UNDER_CURSOR).body == b"2"
        with pytest.raises(MQError, match="2034"):
            handle.get(options=Get.UNDER_CURSOR)
        assert handle.get(options=Get.BROWSE_NEXT).body == b"0"
        with pytest.raises(MQError, match="2033"):
            handle.get(options=Get.BROWSE_NEXT)
    assert one.get("ORDERS").body == b"1"


def test_a_browse_does_not_show_what_another_members_unit_holds(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"held", persistent=True)
    one.put("ORDERS", b"free", persistent=True)
    with one.unit_of_work() as unit, two.open("ORDERS", options=Open.BROWSE) as handle:
        assert one.get("ORDERS").body == b"held"
        assert handle.get(options=Get.BROWSE_FIRST).body == b"free"
        unit.backout()
        assert handle.get(options=Get.BROWSE_FIRST).body == b"held"


def test_a_selector_finds_its_message_behind_many_others(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    with one.unit_of_work():
        for i in range(120):
            one.put("ORDERS", b"%d" % i, properties={"number": i})
    assert two.get("ORDERS", selector="number = 117").body == b"117"
    assert two.get("ORDERS", selector="number = 117") is None
    assert two.get("ORDERS").body == b"0"


def test_a_locked_message_is_its_handles_until_it_browses_on(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    for i in range(3):
        one.put("ORDERS", b"%d" % i, persistent=True)
    with two.open("ORDERS", options=Open.BROWSE | Open.INPUT_SHARED) as handle:
        assert handle.get(options=Get.BROWSE_FIRST | Get.LOCK).body == b"0"
        assert handle.get(options=Get.BROWSE_UNDER_CURSOR | Get.LOCK).body == b"0"
        with one.open("ORDERS", options=Open.BROWSE) as other, two.open("ORDERS", options=Open.BROWSE) as own:
            assert other.get(options=Get.BROWSE_FIRST).body == b"1"
            assert own.get(options=Get.BROWSE_FIRST | Get.LOCK).body == b"1"
            assert other.get(options=Get.BROWSE_FIRST | Get.LOCK).body == b"2"
            assert one.get("ORDERS") is None
            assert two.get("ORDERS") is None
        assert handle.get(options=Get.BROWSE_FIRST | Get.LOCK).body == b"0"  # it sees its own
        assert handle.get(options=Get.BROWSE_NEXT | Get.LOCK).body == b"1"
        unlocked = [one.get("ORDERS", wait=60) for _ in range(2)]  # one by its close, one by the browse
        assert sorted((each.body, each.backout_count) for each in unlocked) == [(b"0", 0), (b"2", 0)]
        assert one.get("ORDERS") is None
        assert handle.get(options=Get.UNLOCK) is None
        with pytest.raises(MQError, match="2209"):
            handle.get(options=Get.UNLOCK)
        assert one.get("ORDERS", wait=60).body == b"1"


def test_the_message_that_a_browse_locked_is_got_in_a_unit(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"0", persistent=True)
    one.put("ORDERS", b"1", persistent=True)
    with two.open("ORDERS", options=Open.BROWSE | Open.INPUT_SHARED) as handle:
        assert handle.get(options=Get.BROWSE_FIRST | Get.LOCK).body == b"0"
        assert handle.get(options=Get.UNDER_CURSOR | Get.NO_SYNCPOINT, max_length=0).warning == 2080
        assert one.get("ORDERS").body == b"1"  # what was too long stays locked
        with two.unit_of_work() as unit:
            assert handle.get(options=Get.UNDER_CURSOR | Get.SYNCPOINT).body == b"0"
            unit.backout()
    assert one.get("ORDERS", wait=60).body == b"0"
    assert pair.rows("select count(*) from claim") == [(0,)]


def test_a_lock_goes_with_its_handle_and_with_its_member(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"0", persistent=True)
    with two.open("ORDERS", options=Open.BROWSE) as handle:
        assert handle.get(options=Get.BROWSE_FIRST | Get.LOCK).body == b"0"
    assert one.get("ORDERS", wait=60).body == b"0"
    one.put("ORDERS", b"1", persistent=True)
    handle = two.open("ORDERS", options=Open.BROWSE)
    assert handle.get(options=Get.BROWSE_FIRST | Get.LOCK).body == b"1"
    two.host.abandon()
    del pair.here["QM2"]
    assert one.get("ORDERS", wait=60).body == b"1"


def test_a_reservation_for_spark_is_refused_with_advice(pair: Members) -> None:
    one = pair.here["QM1"]
    with one.host.gate:
        engine = one.host.engine
        epoch = engine.reservations.new_epoch("FLOW", 0.0)
        with pytest.raises(MQError, match=r"2012.*private queues only"):
            engine.reservations.reserve("FLOW", "ORDERS", 0, 10, 0, epoch, 0.0)
