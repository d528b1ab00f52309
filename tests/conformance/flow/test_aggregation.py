"""AggregateControl, AggregateRequest and AggregateReply: every terminal and every property."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Flow, Node, nodes
from penstock.flow.aggregation.records import State
from penstock.model.errors import MQError
from penstock.tree import Path
from tests.aggregation_fixtures import Trips, fan_in, fan_out, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path as Folder

    from penstock.flow import Assembly, NodeContext

BATCHES = pytest.mark.parametrize("batch", [1, 100])


@pytest.fixture
def qm(tmp_path: Folder) -> Iterator[penstock.QueueManager]:
    """A queue manager without any queue of ours."""
    with penstock.embed("QM1", create=True, home=tmp_path / "home") as qm:
        yield qm


# -- out ---------------------------------------------------------------------------------------


@BATCHES
def test_all_replies_make_one_message(qm: Any, batch: int) -> None:
    trips = Trips(qm, batch=batch)
    taxi, hotel = trips.begin()
    trips.answer(hotel, "90")
    trips.collect()
    assert trips.all("OUT") == []
    trips.answer(taxi, "5")
    trips.collect()
    assert trips.all("OUT") == ["TAXI=5 HOTEL=90"]
    assert trips.kept() == {}


def test_a_reply_that_cannot_be_parsed_is_there_as_a_blob(qm: Any) -> None:
    seen: list[Any] = []
    flow = Flow("fan-in")
    start = flow.add(nodes.MQInput("REPLIES", domain="XMLNSC"), name="Replies")
    collect = flow.add(nodes.AggregateReply("TRIP"))
    look = flow.add(nodes.PythonCompute(lambda call: seen.append(call.message)))
    start.out >> collect.in_
    collect.out >> look.in_
    trips = Trips(qm, fan_out(("TAXI", "HOTEL")), flow)
    taxi, hotel = trips.begin()
    trips.answer(taxi, "<r><cost>1</cost></r>")
    trips.answer(hotel, "<bad")
    trips.collect()
    (message,) = seen
    body = "ComIbmAggregateReplyBody"
    assert message.get(Path(body, "TAXI", "XMLNSC", "r", "cost")) == "1"
    assert message.get(Path(body, "HOTEL", "BLOB", "BLOB")) == b"<bad"


def test_decision_replies_stand_in_the_order_of_requests(qm: Any) -> None:
    trips = Trips(qm, fan_out(("TAXI", "TAXI", "TAXI")))
    first, second, third = trips.begin()
    for request, text in ((third, "3"), (first, "1"), (second, "2")):
        trips.answer(request, text)
    trips.collect()
    assert trips.all("OUT") == ["TAXI=1 TAXI=2 TAXI=3"]


def test_folders_of_one_name_are_told_apart_by_their_number(qm: Any, tmp_path: Folder) -> None:
    seen: list[Any] = []
    flow = Flow("fan-in")
    start = flow.add(nodes.MQInput("REPLIES", domain="XMLNSC"), name="Replies")
    collect = flow.add(nodes.AggregateReply("TRIP"))
    look = flow.add(nodes.PythonCompute(lambda call: seen.append(call.message)))
    start.out >> collect.in_
    collect.out >> look.in_
    trips = Trips(qm, fan_out(("TAXI", "TAXI")), flow)
    for number, request in enumerate(trips.begin(), 1):
        trips.answer(request, f"<r><cost>{number}</cost></r>")
    trips.collect()
    (message,) = seen
    body = "ComIbmAggregateReplyBody"
    assert message.get(Path(body, ("TAXI", 1), "XMLNSC", "r", "cost")) == "1"
    assert message.get(Path(body, ("TAXI", 2), "XMLNSC", "r", "cost")) == "2"
    assert message.get(Path(body, ("TAXI", 2), "MQMD", "MsgType")) == 8
    assert [folder.name for folder in message] == ["Properties", "MQMD", body]


@BATCHES
def test_aggregations_do_not_mix(qm: Any, batch: int) -> None:
    trips = Trips(qm, batch=batch)
    requests = trips.begin(20)
    for number, request in enumerate(requests):
        trips.answer(request, str(number // 2))
    trips.collect()
    assert sorted(trips.all("OUT")) == sorted(f"TAXI={n} HOTEL={n}" for n in range(20))
    assert trips.kept() == {}


def test_one_flow_does_both(qm: Any) -> None:
    both = fan_in(flow=fan_out())
    trips = Trips(qm, both, both)
    for request in trips.begin():
        trips.answer(request, "1")
    trips.collect()
    assert trips.all("OUT") == ["TAXI=1 HOTEL=1"]


def test_other_aggregate_names_do_not_see_each_other(qm: Any) -> None:
    trips = Trips(qm)
    other = Flow("other")
    start, collect = other.add(nodes.MQInput("REPLIES")), other.add(nodes.AggregateReply("CRUISE"))
    away = other.add(nodes.MQOutput("UNKNOWN"))
    start.out >> collect.in_
    collect.unknown >> away.in_
    taxi, hotel = trips.begin()
    trips.answer(taxi, "5")
    run(qm, CompiledFlow(other), "MQInput")
    assert trips.all("UNKNOWN") == ["5"]
    for request in (taxi, hotel):
        trips.answer(request, "6")
    trips.collect()
    assert trips.all("OUT") == ["TAXI=6 HOTEL=6"]


def test_a_message_without_requests_begins_nothing(qm: Any) -> None:
    trips = Trips(qm, fan_out(()))
    assert trips.begin() == []
    assert trips.kept() == {}


@pytest.mark.parametrize("persistent", [True, False])
def test_state_is_persistent_as_the_messages_are(tmp_path: Folder, persistent: bool) -> None:
    with penstock.embed("QM1", create=True, home=tmp_path / "home") as qm:
        trips = Trips(qm, fan_out(timeout=1000))
        taxi, hotel = trips.begin(persistent=persistent)
        trips.answer(taxi, "5")
        trips.collect()
        for state in (State.CONTROL, State.REQUEST, State.REPLY, State.TIMEOUT):
            assert [message.persistent for message in qm.browse(state.value)] == [persistent]
    with penstock.embed("QM1", home=tmp_path / "home") as qm:
        trips = Trips(qm)
        trips.answer(hotel, "90")
        trips.collect()
        assert trips.all("OUT") == (["TAXI=5 HOTEL=90"] if persistent else [])
        assert trips.all("UNKNOWN") == ([] if persistent else ["90"])


def test_a_persistent_reply_makes_its_aggregation_persistent(tmp_path: Folder) -> None:
    """The requests were not: after a restart their replies are unknown, but the timer still ends the trip."""
    with penstock.embed("QM1", create=True, home=tmp_path / "home") as qm:
        trips = Trips(qm, fan_out(timeout=30))
        taxi, hotel = trips.begin(persistent=False)
        trips.answer(taxi, "5", persistent=True)
        trips.collect()
    with penstock.embed("QM1", home=tmp_path / "home") as qm:
        trips = Trips(qm)
        trips.answer(hotel, "90")
        trips.collect()
        assert trips.all("UNKNOWN") == ["90"]
        trips.look(seconds=31 + 60)
        message = qm.get("LATE")
        assert (message.body, message.persistent) == (b"TAXI=5", True)


def test_a_held_reply_keeps_its_life(qm: Any) -> None:
    trips = Trips(qm, back=fan_in(unknown_timeout=30))
    qm.put("REPLIES", b"who?", correl_id=b"x" * 24, expiry=1000.0)
    trips.collect()
    trips.look(seconds=31)
    message = qm.get("UNKNOWN")
    assert message is not None
    assert 900 < message.expiry <= 1000


def test_the_aggregated_message_is_persistent_when_a_reply_was(qm: Any) -> None:
    trips = Trips(qm)
    for request in trips.begin():
        trips.answer(request, "1")
    trips.collect()
    assert qm.get("OUT").persistent


# -- unknown -----------------------------------------------------------------------------------


@BATCHES
def test_a_reply_that_nobody_waits_for_goes_to_unknown(qm: Any, batch: int) -> None:
    trips = Trips(qm, batch=batch)
    qm.put("REPLIES", b"who?", correl_id=b"x" * 24)
    qm.put("REPLIES", b"me?")
    trips.collect()
    assert sorted(trips.all("UNKNOWN")) == ["me?", "who?"]


@BATCHES
def test_a_second_reply_to_one_request_is_unknown(qm: Any, batch: int) -> None:
    trips = Trips(qm, batch=batch)
    taxi, hotel = trips.begin()
    for text in ("5", "6"):
        trips.answer(taxi, text)
    trips.answer(hotel, "90")
    trips.collect()
    assert trips.all("OUT") == ["TAXI=5 HOTEL=90"]
    assert trips.all("UNKNOWN") == ["6"]


def test_an_unknown_reply_is_held_and_then_counts(qm: Any) -> None:
    """The reply overtakes the requests' commit: what transaction mode no allows."""
    trips = Trips(qm, back=fan_in(unknown_timeout=30))
    taxi, hotel = trips.begin()
    stolen = {state: qm.get_many(state.value, 10) for state in (State.CONTROL, State.REQUEST)}
    for request, text in ((taxi, "5"), (hotel, "90")):
        trips.answer(request, text, persistent=True)
    trips.collect()
    assert trips.kept() == {"UNKNOWN": 2}
    assert all(message.persistent for message in qm.browse(State.UNKNOWN.value))
    for state, messages in stolen.items():
        for each in messages:
            qm.put(state.value, each.body, msg_id=each.msg_id, correl_id=each.correl_id, persistent=True)
    assert trips.look(seconds=29).tally.messages == 0
    assert trips.look(seconds=31).tally.messages == 2
    assert trips.all("OUT") == ["TAXI=5 HOTEL=90"]
    assert trips.kept() == {}


def test_a_held_reply_that_stays_unknown_goes_to_unknown_as_it_would_have_at_once(qm: Any) -> None:
    came = []
    for seconds in (0, 30):
        trips = Trips(qm, back=fan_in(unknown_timeout=seconds))
        properties = {"colour": "red", "raw": b"\0"}
        qm.put("REPLIES", b"who?", correl_id=b"x" * 24, properties=properties, priority=7, msg_id=b"m" * 24)
        trips.collect()
        trips.look(seconds=seconds + 1)
        message = qm.get("UNKNOWN")
        came.append((message.body, message.msg_id, message.correl_id, message.priority, message.properties))
    assert came[0] == came[1]
    assert came[0][0].endswith(b"who?")


# -- timeout -----------------------------------------------------------------------------------


def test_when_the_time_is_over_what_came_goes_to_timeout(qm: Any) -> None:
    trips = Trips(qm, fan_out(timeout=30))
    taxi, hotel = trips.begin()
    trips.answer(taxi, "5")
    trips.collect()
    trips.look(seconds=29)
    assert trips.all("LATE") == []
    trips.look(seconds=31)
    assert trips.all("LATE") == ["TAXI=5"]
    assert trips.kept() == {}
    trips.answer(hotel, "90")
    trips.collect()
    assert trips.all("UNKNOWN") == ["90"]


@pytest.mark.parametrize(
    ("transaction", "persistent", "stays"),
    [("yes", False, False), ("no", True, True), ("automatic", True, False), ("automatic", False, True)],
)
def test_what_a_timer_sends_is_in_its_unit_as_the_node_says(
    qm: Any, transaction: str, persistent: bool, stays: bool
) -> None:
    """The way fails behind the output: what was put in the unit is gone, what was put outside is not."""
    flow = fan_in(transaction=transaction)
    flow.wires[:] = [wire for wire in flow.wires if wire.output != "catch"]
    failing = flow.add(nodes.Throw())
    flow.node("LATE").out >> failing.in_
    trips = Trips(qm, fan_out(timeout=30), flow)
    trips.begin(persistent=persistent)
    trips.look(seconds=31)
    assert trips.all("LATE") == ([""] if stays else [])
    assert trips.kept() == {"CONTROL": 1, "REQUEST": 2, "TIMEOUT": 1}


def test_an_aggregation_without_any_reply_times_out_too(qm: Any) -> None:
    trips = Trips(qm, fan_out(timeout=30))
    trips.begin()
    trips.look(seconds=31)
    message = qm.get("LATE")
    assert (message.body, message.persistent) == (b"", True)


def test_no_timeout_waits_for_ever(qm: Any) -> None:
    trips = Trips(qm)
    trips.begin()
    trips.look(seconds=10**9)
    assert trips.kept() == {"CONTROL": 1, "REQUEST": 2}


@BATCHES
def test_a_reply_put_too_late_does_not_count_however_soon_it_is_seen(qm: Any, batch: int) -> None:
    """The timer has not come by yet: the put time decides, not who is quicker."""
    trips = Trips(qm, fan_out(timeout=30), batch=batch)
    taxi, hotel = trips.begin(clock=lambda: time.time() - 31)
    trips.answer(hotel, "90")
    trips.collect()
    assert trips.all("LATE") == [""]
    assert trips.all("UNKNOWN") == ["90"]
    trips.answer(taxi, "5")
    trips.collect()
    assert trips.all("UNKNOWN") == ["5"]
    assert trips.kept() == {}


def test_a_reply_put_in_time_counts_however_late_it_is_seen(qm: Any) -> None:
    """Replies wait on their queue when the time is over: the timer lets them be worked on first."""
    trips = Trips(qm, fan_out(timeout=30))
    for request in trips.begin():
        trips.answer(request, "1")
    trips.look(seconds=31)
    assert trips.all("LATE") == []
    trips.collect()
    assert trips.all("OUT") == ["TAXI=1 HOTEL=1"]


def test_the_timer_does_not_wait_for_ever_for_replies_that_nobody_works_on(qm: Any) -> None:
    trips = Trips(qm, fan_out(timeout=30))
    for request in trips.begin():
        trips.answer(request, "1")
    trips.look(seconds=31 + 60)
    assert trips.all("LATE") == [""]


# -- catch and failure -------------------------------------------------------------------------


@BATCHES
@pytest.mark.parametrize("terminal", ["timeout", "unknown"])
def test_what_fails_behind_timeout_and_unknown_goes_to_catch(qm: Any, terminal: str, batch: int) -> None:
    trips = Trips(qm, fan_out(timeout=30), fan_in(failing=[terminal]), batch=batch)
    if terminal == "timeout":
        trips.begin()
        trips.look(seconds=31)
    else:
        qm.put("REPLIES", b"who?", correl_id=b"x" * 24)
        trips.collect()
    assert trips.kept() == {}
    assert len(trips.all("CAUGHT")) == 1


def test_what_fails_behind_out_goes_to_the_input(qm: Any) -> None:
    trips = Trips(qm, back=fan_in(failing=["out"]))
    taxi, hotel = trips.begin()
    trips.answer(taxi, "5")
    trips.collect()
    trips.answer(hotel, "90")
    trips.collect()
    assert trips.all("CAUGHT") == []
    assert trips.all("BACKOUT") == ["90"]  # the reply that would have completed it
    assert trips.kept() == {"CONTROL": 1, "REQUEST": 1, "REPLY": 1}  # and the aggregation waits for it


def test_what_a_timer_cannot_end_stays(qm: Any) -> None:
    flow = fan_in(failing=["timeout"])
    flow.wires[:] = [wire for wire in flow.wires if wire.output != "catch"]
    trips = Trips(qm, fan_out(timeout=30), flow)
    taxi, _ = trips.begin()
    trips.answer(taxi, "5")
    trips.collect()
    before = trips.kept()
    assert trips.look(seconds=31).tally.failed == 1
    assert trips.kept() == before == {"CONTROL": 1, "REQUEST": 1, "REPLY": 1, "TIMEOUT": 1}


def test_a_record_that_cannot_be_kept_reaches_the_failure_terminal(qm: Any) -> None:
    trips = Trips(qm)
    taxi, _ = trips.begin()
    qm.mqsc(f"ALTER QLOCAL({State.REPLY.value}) MAXMSGL(10)")
    trips.answer(taxi, "5")
    trips.collect()
    assert trips.all("FAILED") == ["5"]


class Picky(Node):
    """Fails on aggregated messages with a bad reply."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        if b"bad" in assembly.message.get(Path("BLOB", "BLOB")):
            raise ValueError("bad")
        at.send("out", assembly)


@BATCHES
def test_a_reply_that_fails_leaves_the_others_and_its_records_as_they_were(qm: Any, batch: int) -> None:
    flow = fan_in()
    picky, end = flow.add(Picky()), flow.node("OUT")
    line = next(wire.source for wire in flow.wires if wire.target is end)
    flow.wires[:] = [wire for wire in flow.wires if wire.target is not end]
    line.out >> picky.in_
    picky.out >> end.in_
    trips = Trips(qm, back=flow, batch=batch)
    texts = ["1", "2", "3", "bad", "5", "6"]
    for request, text in zip(trips.begin(3), texts, strict=True):
        trips.answer(request, text)
    trips.collect()
    assert trips.all("OUT") == ["TAXI=1 HOTEL=2", "TAXI=5 HOTEL=6"]
    assert trips.all("BACKOUT") == ["bad"]
    assert trips.kept() == {"CONTROL": 1, "REQUEST": 1, "REPLY": 1}


# -- AggregateRequest --------------------------------------------------------------------------


def test_a_request_without_control_fails(qm: Any) -> None:
    trips = Trips(qm)
    flow = Flow("alone")
    start, send = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQOutput("REQUESTS"))
    note = flow.add(nodes.AggregateRequest("TAXI"))
    failed = flow.add(nodes.MQOutput("FAILED"))
    start.out >> send.in_
    send.out >> note.in_
    note.failure >> failed.in_
    qm.put("IN", b"trip", persistent=True)
    run(qm, CompiledFlow(flow), "MQInput")
    assert trips.all("FAILED") == ["trip"]


def test_requests_in_a_row_are_counted_once_each(qm: Any) -> None:
    flow = Flow("row")
    start, begin = flow.add(nodes.MQInput("IN")), flow.add(nodes.AggregateControl("TRIP"))
    start.out >> begin.in_
    last = begin.out
    for folder in ("TAXI", "HOTEL"):
        send = flow.add(nodes.MQOutput("REQUESTS", request=True, reply_to="REPLIES", new_msg_id=True))
        note = flow.add(nodes.AggregateRequest(folder))
        last >> send.in_
        send.out >> note.in_
        last = note.out
    trips = Trips(qm, flow)
    for request in trips.begin():
        trips.answer(request, "1")
    trips.collect()
    assert trips.all("OUT") == ["TAXI=1 HOTEL=1"]


# -- the control terminal ----------------------------------------------------------------------


def with_control(**control: Any) -> tuple[Flow, Flow]:
    out, back = fan_out(timeout=30, **control), fan_in()
    away = out.add(nodes.MQOutput("CONTROL"))
    out.node("AggregateControl").control >> away.in_
    start = back.add(nodes.MQInput("CONTROL"), name="Control")
    start.out >> back.node("AggregateReply").control
    return out, back


def test_control_messages_are_not_sent_by_default(qm: Any) -> None:
    qm.mqsc("DEFINE QLOCAL(CONTROL)")
    trips = Trips(qm, *with_control())
    for request in trips.begin():
        trips.answer(request, "1")
    assert trips.all("CONTROL") == []
    trips.collect()
    assert trips.all("OUT") == ["TAXI=1 HOTEL=1"]


@pytest.mark.parametrize("by_environment", [True, False])
def test_compatibility_mode_brings_them_back(
    qm: Any, monkeypatch: pytest.MonkeyPatch, by_environment: bool
) -> None:
    qm.mqsc("DEFINE QLOCAL(CONTROL)")
    if by_environment:
        monkeypatch.setenv("MQSI_AGGR_COMPAT_MODE", "1")
    trips = Trips(qm, *with_control(control_messages=None if by_environment else True))
    requests = trips.begin()
    assert trips.kept() == {}
    trips.answer(requests[0], "0")
    trips.collect()
    assert trips.all("UNKNOWN") == ["0"]  # the race: the reply came before the control message
    run(qm, trips.back, "Control")
    assert trips.kept() == {"CONTROL": 1, "REQUEST": 2, "TIMEOUT": 1}
    for request in requests:
        trips.answer(request, "1")
    trips.collect()
    assert trips.all("OUT") == ["TAXI=1 HOTEL=1"]


def test_compatibility_mode_without_a_wire_is_as_usual(qm: Any) -> None:
    trips = Trips(qm, fan_out(control_messages=True))
    trips.begin()
    assert trips.kept() == {"CONTROL": 1, "REQUEST": 2}


# -- transactions and queues -------------------------------------------------------------------


def test_with_a_transaction_no_request_is_seen_before_its_record(qm: Any) -> None:
    """Nothing of the unit is there before its commit, everything after it."""
    trips = Trips(qm)
    seen: list[tuple[int, int]] = []
    commit = qm.commit

    class Watching:
        def __getattr__(self, name: str) -> Any:
            return getattr(qm, name)

        def commit(self) -> None:
            seen.append((depth(qm, "REQUESTS"), depth(qm, State.REQUEST.value)))
            commit()
            seen.append((depth(qm, "REQUESTS"), depth(qm, State.REQUEST.value)))

    qm.put("IN", b"trip", persistent=True)
    run(Watching(), trips.out, "MQInput")
    assert seen[:2] == [(0, 0), (2, 2)]


def depth(qm: Any, queue: str) -> int:
    return sum(1 for _ in qm.browse(queue))


@BATCHES
def test_without_a_transaction_it_works_too(qm: Any, batch: int) -> None:
    back = fan_in()
    back.node("Replies").set_property("transaction", "no")
    trips = Trips(qm, fan_out(transaction="no"), back, batch=batch)
    for request in trips.begin():
        trips.answer(request, "1")
    trips.collect()
    assert trips.all("OUT") == ["TAXI=1 HOTEL=1"]
    assert trips.kept() == {}


def test_missing_queues_are_defined(qm: Any) -> None:
    trips = Trips(qm)
    with pytest.raises(MQError):
        qm.get(State.CONTROL.value)
    trips.begin()
    assert qm.get(State.CONTROL.value) is not None


def test_who_may_not_define_them_is_told_the_command(qm: Any) -> None:
    trips = Trips(qm)

    class Refusing:
        def __getattr__(self, name: str) -> Any:
            return getattr(qm, name)

        def mqsc(self, text: str) -> Any:
            raise MQError(2035, "not you")

    with pytest.raises(MQError) as raised:
        run(Refusing(), trips.out, "MQInput")
    assert raised.value.reason == 8322
    assert "DEFINE QLOCAL(SYSTEM.BROKER.AGGR." in str(raised.value)


@pytest.mark.parametrize(
    "node",
    [
        nodes.AggregateControl(""),
        nodes.AggregateControl("TRIP", timeout=-1),
        nodes.AggregateRequest(""),
        nodes.AggregateReply(""),
        nodes.AggregateReply("TRIP", unknown_timeout=-1),
        nodes.AggregateReply("TRIP", transaction="maybe"),
    ],
)
def test_properties_that_cannot_be_are_found(node: Any) -> None:
    assert list(node.check())
