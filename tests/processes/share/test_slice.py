"""Two members, one shared queue: units, waits, priorities, ids, and the death of a member."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from penstock import Get, Open
from penstock.model.errors import MQError
from tests.patience import until
from tests.processes.share.conftest import Distant
from tests.shared_groups import Members


def bodies(qm: Any, queue: str = "ORDERS") -> list[bytes]:
    """Get everything that is there."""
    found = []
    while (message := qm.get(queue)) is not None:
        found.append(message.body)
    return found


def test_a_message_put_at_one_member_is_got_at_the_other(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"lasting", persistent=True)
    one.put("ORDERS", b"fleeting", persistent=False)
    first, second = two.get("ORDERS"), two.get("ORDERS")
    assert (first.body, first.persistent) == (b"lasting", True)
    assert (second.body, second.persistent) == (b"fleeting", False)
    assert one.get("ORDERS") is None


def test_what_a_unit_put_is_seen_by_nobody_else_before_the_commit(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    with one.unit_of_work():
        one.put("ORDERS", b"1", persistent=True)
        assert two.get("ORDERS") is None
        one.put("ORDERS", b"2", persistent=False)
        one.put("ORDERS", b"3", persistent=True)
    assert bodies(two) == [b"1", b"2", b"3"]


def test_a_unit_gets_what_it_has_put_itself(pair: Members) -> None:
    one = pair.here["QM1"]
    with one.unit_of_work():
        one.put("ORDERS", b"mine", persistent=True)
        assert one.get("ORDERS").body == b"mine"
    assert bodies(pair.here["QM2"]) == []


def test_a_backout_returns_messages_to_their_places_with_a_higher_count(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    with one.unit_of_work():
        for body in (b"1", b"2", b"3"):
            one.put("ORDERS", body, persistent=True)
    with two.unit_of_work() as unit:
        assert two.get("ORDERS").body == b"1"
        assert one.get("ORDERS").body == b"2"
        unit.backout()
    again = one.get("ORDERS")
    assert (again.body, again.backout_count) == (b"1", 1)
    assert bodies(one) == [b"3"]


def test_messages_come_by_priority_then_by_age(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    for number, priority in enumerate((4, 9, 0, 9, 4)):
        one.put("ORDERS", b"%d of %d" % (number, priority), priority=priority)
    assert bodies(two) == [b"1 of 9", b"3 of 9", b"0 of 4", b"4 of 4", b"2 of 0"]


@pytest.mark.parametrize("indexed", ["NONE", "MSGID", "CORRELID"])
def test_messages_are_got_by_id_with_and_without_an_index(pair: Members, indexed: str) -> None:
    pair.share("REPLIES", INDXTYPE=indexed)
    one, two = pair.here["QM1"], pair.here["QM2"]
    receipts = [one.put("REPLIES", b"%d" % i, correl_id=b"c%d" % i) for i in range(5)]
    assert two.get("REPLIES", correl_id=b"c3").body == b"3"
    assert two.get("REPLIES", msg_id=receipts[1].msg_id).body == b"1"
    assert two.get("REPLIES", correl_id=b"c9") is None
    assert bodies(two, "REPLIES") == [b"0", b"2", b"4"]


def test_a_message_is_got_by_the_token_that_another_member_has_seen(pair: Members) -> None:
    """Before, the token changed when the message was claimed, and nothing was found."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    for number in range(3):
        one.put("ORDERS", b"%d" % number, priority=number)
    with two.open("ORDERS", options=Open.BROWSE | Open.INPUT_SHARED) as handle:
        tokens = [handle.get(options=Get.BROWSE_NEXT).token for _ in range(3)]
        with one.open("ORDERS") as getter:
            assert getter.get(token=tokens[1]).body == b"1"
            assert getter.get(token=tokens[1], quiet=True) is None
        assert handle.get(token=tokens[2]).body == b"0"
    assert bodies(one) == [b"2"]


def test_several_messages_are_got_as_far_as_there_are_some(pair: Members) -> None:
    """Before, an embedded program asked for ever for what was not there, and so did flows."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    for number in range(5):
        one.put("ORDERS", b"%d" % number, correl_id=b"odd" if number % 2 else b"even")
    with two.unit_of_work():
        assert [each.body for each in two.get_many("ORDERS", 9, correl_id=b"odd")] == [b"1", b"3"]
        assert [each.body for each in two.get_many("ORDERS", 2)] == [b"0", b"2"]
        assert [each.body for each in two.get_many("ORDERS", 9)] == [b"4"]
    assert two.get_many("ORDERS", 9) == []


def test_a_put_at_one_member_wakes_a_get_that_waits_at_the_other(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    got: list[Any] = []
    getter = threading.Thread(target=lambda: got.append(two.get("ORDERS", wait=60)))
    getter.start()
    until(lambda: two.host.engine.queues["ORDERS"].waiting is not None)
    one.put("ORDERS", b"at last", persistent=True)
    getter.join(60)
    assert got[0].body == b"at last"


def test_a_queue_is_full_for_all_members(pair: Members) -> None:
    pair.share("SMALL", MAXDEPTH=2)
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("SMALL", b"1")
    one.put("SMALL", b"2")
    with pytest.raises(MQError, match="2053"):
        one.put("SMALL", b"3")
    until(lambda: two.host.engine.queues["SMALL"].depth == 2)
    with pytest.raises(MQError, match="2053"):
        two.put("SMALL", b"3")


def test_an_expired_message_is_not_got_and_goes(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"short", expiry=1, persistent=True)
    one.put("ORDERS", b"long", persistent=True)
    until(lambda: pair.rows("select count(*) from p") == [(1,)])
    assert bodies(two) == [b"long"]


def test_exclusive_input_at_one_member_keeps_the_other_out(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    with one.open("ORDERS", options=Open.INPUT_EXCLUSIVE):
        with pytest.raises(MQError, match="2042"):
            two.open("ORDERS", options=Open.INPUT_SHARED)
    until(lambda: opens(two))  # when the group has heard of the close


def test_a_member_that_was_cut_off_loses_what_another_has_exclusively(
    pair: Members, distant: Distant
) -> None:
    """Before, both had exclusive input when it came back, and got messages past each other."""
    two, far = pair.here["QM2"], distant.start("QM3")
    handle = far.open("ORDERS", options=Open.INPUT_EXCLUSIVE)
    kept = far.open("ORDERS", options=Open.OUTPUT)
    assert not opens(two)
    distant.relay.refuses = True
    distant.relay.cut()
    until(lambda: opens(two))
    with two.open("ORDERS", options=Open.INPUT_EXCLUSIVE) as now:
        distant.relay.refuses = False
        until(lambda: far.host.sharing.connected)
        kept.put(b"work")
        with pytest.raises(MQError, match="2019"):
            handle.get()
        assert now.get().body == b"work"


def opens(qm: Any) -> bool:
    """Return whether a member can open the queue for input."""
    try:
        qm.open("ORDERS", options=Open.INPUT_SHARED).close()
    except MQError as failure:
        assert failure.reason == 2042
        return False
    return True


def test_a_dead_members_claims_are_free_for_its_peers(pair: Members) -> None:
    one = pair.here["QM1"]
    with one.unit_of_work():
        for i in range(5):
            one.put("ORDERS", b"%d" % i, persistent=True)
    worker = pair.run("QM3", "shared_member.py")
    assert worker.stdin is not None
    assert worker.stdout is not None
    assert worker.stdout.readline() == "ready\n"
    for command in ("hold 3", "put-open 2"):
        worker.stdin.write(command + "\n")
        worker.stdin.flush()
        assert worker.stdout.readline().startswith("done")
    assert one.get("ORDERS").body == b"3"
    pair.kill("QM3")
    pair.until_recovered("QM3")
    found = one.get("ORDERS")
    assert (found.body, found.backout_count) == (b"0", 1)
    assert bodies(pair.here["QM2"]) == [b"1", b"2", b"4"]


def test_a_large_unit_is_one_commit(pair: Members) -> None:
    """More than a socket takes at once; it would stall in the pipeline of a round."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    with one.unit_of_work():
        for _ in range(600):
            one.put("ORDERS", bytes(4096), persistent=True)
    assert pair.rows("select count(*) from p") == [(600,)]
    assert len(two.get("ORDERS").body) == 4096
