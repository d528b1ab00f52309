"""`qm.peek` on shared queues: all messages in delivery order, with who holds one; none changes."""

from __future__ import annotations

import pytest

from penstock.model.errors import MQError
from penstock.model.peeked import FREE, Peeked
from penstock.tools import message_acts
from tests.shared_groups import Members


def texts(rows: list[Peeked]) -> list[str]:
    return [bytes(row.message.body or b"").decode() for row in rows]


def test_places_lead_on_in_both_directions(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    for number in range(5):
        one.put("ORDERS", f"message {number}", priority=number % 2, persistent=number % 3 == 0)
    first = two.peek("ORDERS", count=3, body_bytes=7)
    assert texts(first) == ["message"] * 3
    assert [row.length for row in first] == [9] * 3
    rest = two.peek("ORDERS", after=(first[-1].lane, first[-1].place))
    assert texts(rest) == ["message 2", "message 4"]  # priority 1 came first: 1, 3, then 0
    last = one.peek("ORDERS", count=4, backwards=True)
    assert texts(last) == ["message 4", "message 2", "message 0", "message 3"]
    assert texts(one.peek("ORDERS", after=(last[-1].lane, last[-1].place), backwards=True)) == ["message 1"]
    assert one.peek("ORDERS", after=(rest[-1].lane, rest[-1].place)) == []


def test_held_and_expired_messages_are_seen_and_stay(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"held", persistent=True)
    one.put("ORDERS", b"free", properties={"colour": "red"})
    with two.unit_of_work() as unit:
        assert two.get("ORDERS").body == b"held"
        rows = one.peek("ORDERS")
        assert texts(rows) == ["held", "free"]
        assert [row.holder for row in rows] == ["member QM2", FREE]
        assert rows[1].message.properties == {"colour": "red"}
        unit.backout()
    again = two.peek("ORDERS")
    assert [row.message.token for row in again] == [row.message.token for row in rows]
    assert [row.message.backout_count for row in again] == [1, 0]
    with one.open("ORDERS") as handle:
        assert handle.get(token=rows[1].message.token).body == b"free"


def test_bodies_outside_their_rows_are_read_as_far_as_an_answer_goes(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    data_sets = f"OFFLOAD(SMDS) DSGROUP('{pair.home}/data/*/APPL1')"
    one.mqsc(f"DEFINE CFSTRUCT(APPL1) RECOVER(YES) {data_sets}", check=True)
    for letter in b"abc":
        one.put("ORDERS", bytes([letter]) * 3_000_000, persistent=True)
    assert [row.length for row in two.peek("ORDERS", body_bytes=0)] == [3_000_000] * 3
    first = two.peek("ORDERS", body_bytes=2_500_000)
    assert texts(first) == ["a" * 2_500_000]  # two would be more than an answer holds
    rest = two.peek("ORDERS", after=(first[-1].lane, first[-1].place), body_bytes=5)
    assert texts(rest) == ["bbbbb", "ccccc"]


def test_without_the_facility_nothing_is_seen(pair: Members) -> None:
    one = pair.here["QM1"]
    one.host.sharing._lost()
    with pytest.raises(MQError, match="2345"):
        one.peek("ORDERS")


def test_acts_on_messages_reach_shared_queues(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    pair.share("OTHER")
    one.mqsc("DEFINE QLOCAL(HERE)", check=True)
    for number in range(12):
        one.put("ORDERS", f"{number}", persistent=True)
    wanted = message_acts.Wanted(text="1")
    made = message_acts.plan(two, "ORDERS", wanted)
    assert made.messages == 3  # 1, 10 and 11
    assert message_acts.carry_out(two, message_acts.MOVE, made, wanted, "OTHER").done == 3
    made = message_acts.plan(one, "ORDERS", message_acts.Wanted())
    assert message_acts.carry_out(one, message_acts.COPY, made, message_acts.Wanted(), "HERE").done == 9
    assert message_acts.carry_out(one, message_acts.PURGE, made, message_acts.Wanted()).done == 9
    assert one.peek("ORDERS") == []
    assert texts(one.peek("OTHER")) == ["1", "10", "11"]
    assert len(one.peek("HERE")) == 9
