"""MQOutput: fixed, reply and list destinations, ids, persistence, transaction, context, what it notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Flow, Kind, Node, nodes
from penstock.flow.ports import DirectPorts
from penstock.flow.running.unit_runner import AGAIN_MAX
from penstock.model import constants as mq
from penstock.model.message import Message as QueueMessage
from penstock.testing import Rig
from penstock.tree import Path
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow import Assembly, NodeContext

BATCHES = pytest.mark.parametrize("batch", [1, 100])
MESSAGE, CORRELATION = b"m" * 24, b"c" * 24


class Listing(Node):
    """Writes a destination list: entries, and Defaults."""

    def __init__(
        self, *entries: dict[str, Any], defaults: dict[str, Any] | None = None, **where: str
    ) -> None:
        super().__init__()
        self._entries, self._defaults = entries, defaults
        self._folder = where.get("folder", "MQ")

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        trees = assembly.copied_local_environment()
        folder = trees.create(Path("Destination", self._folder))
        if self._defaults is not None:
            fill(folder.add_last_child("Defaults"), self._defaults)
        for entry in self._entries:
            fill(folder.add_last_child("DestinationData"), entry)
        at.send("out", assembly.sending(local_environment=trees))


def fill(folder: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        folder.add_last_child(name, value)


class Looking(Node):
    """Keeps WrittenDestination."""

    def __init__(self) -> None:
        super().__init__()
        self._written: list[dict[str, Any]] = []

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        root = assembly.local_environment.reference()
        for each in root.each(Path("WrittenDestination", "MQ", "DestinationData")):
            self._written.append({field.name: field.value for field in each})


def one(output: nodes.MQOutput, *between: Node, **reading: Any) -> tuple[Flow, Looking]:
    flow = Flow("one")
    place, looking = flow.add(nodes.MQInput("IN", **reading)).out, Looking()
    for each in (*between, output, looking):
        flow.add(each)
        place >> each.in_
        place = each.out
    output.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow, looking


@BATCHES
def test_a_message_keeps_its_descriptor(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put(
        "IN",
        b"x",
        msg_id=MESSAGE,
        correl_id=CORRELATION,
        priority=3,
        persistent=True,
        expiry=6000.0,
        format="MQSTR",
    )
    flow, looking = one(nodes.MQOutput("OUT"))
    run(flow, batch=batch)
    got = qm.get("OUT")
    assert (got.msg_id, got.correl_id, got.priority, got.persistent) == (MESSAGE, CORRELATION, 3, True)
    assert got.format == "MQSTR"
    assert 5000 < got.expiry <= 6000
    assert looking._written == [
        {
            "queueName": "OUT",
            "queueManagerName": "QM1",
            "replyIdentifier": MESSAGE,
            "msgId": MESSAGE,
            "correlId": CORRELATION,
            "GroupId": bytes(24),
        }
    ]


@BATCHES
def test_new_ids(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"x", msg_id=MESSAGE, correl_id=CORRELATION)
    flow, looking = one(nodes.MQOutput("OUT", new_msg_id=True, new_correl_id=True))
    run(flow, batch=batch)
    got = qm.get("OUT")
    assert got.msg_id not in (MESSAGE, bytes(24))
    assert got.correl_id not in (CORRELATION, bytes(24))
    assert looking._written[0]["msgId"] == got.msg_id
    assert looking._written[0]["correlId"] == got.correl_id


@BATCHES
@pytest.mark.parametrize(
    ("persistence", "came", "queue", "goes"),
    [
        ("automatic", True, "NO", True),
        ("automatic", False, "YES", False),
        ("yes", False, "NO", True),
        ("no", True, "YES", False),
        ("asQdef", False, "YES", True),
        ("asQdef", True, "NO", False),
    ],
)
def test_persistence(
    qm: Any, run: Callable[..., Any], batch: int, persistence: str, came: bool, queue: str, goes: bool
) -> None:
    qm.mqsc(f"ALTER QLOCAL(OUT) DEFPSIST({queue})")
    qm.put("IN", b"x", persistent=came)
    run(one(nodes.MQOutput("OUT", persistence=persistence))[0], batch=batch)
    assert qm.get("OUT").persistent is goes


@BATCHES
def test_reply(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"x", reply_to="OUT2", msg_type=mq.MQMT_REQUEST)
    run(one(nodes.MQOutput(destination="reply"))[0], batch=batch)
    got = qm.get("OUT2")
    assert (got.body, got.msg_type) == (b"x", mq.MQMT_REQUEST)  # MQReply makes replies


@BATCHES
def test_reply_without_a_reply_queue_fails(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"x")
    run(one(nodes.MQOutput(destination="reply"))[0], batch=batch)
    assert bodies(qm, "FAILED") == [b"x"]


@BATCHES
def test_request_names_a_reply_queue(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"x", reply_to="OLD")
    run(one(nodes.MQOutput("OUT", request=True, reply_to="OUT2", reply_to_qmgr="QM1"))[0], batch=batch)
    got = qm.get("OUT")
    assert (got.msg_type, got.reply_to, got.reply_to_qmgr) == (mq.MQMT_REQUEST, "OUT2", "QM1")


# -- lists ---------------------------------------------------------------------------------


@BATCHES
@pytest.mark.parametrize("folder", ["MQ", "MQDestinationList"])
def test_a_list_of_queues(qm: Any, run: Callable[..., Any], batch: int, folder: str) -> None:
    qm.put("IN", b"x", persistent=True)
    entries = ({"queueName": "OUT"}, {"queueName": "OUT2", "queueManagerName": "QM1"})
    flow, looking = one(nodes.MQOutput(destination="list"), Listing(*entries, folder=folder))
    run(flow, batch=batch)
    assert bodies(qm, "OUT") == bodies(qm, "OUT2") == [b"x"]
    assert [each["queueName"] for each in looking._written] == ["OUT", "OUT2"]


@BATCHES
def test_entries_override_defaults_and_defaults_the_node(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    qm.put("IN", b"x", msg_id=MESSAGE, correl_id=CORRELATION, persistent=True)
    listing = Listing(
        {"queueName": "OUT"},
        {"queueName": "OUT2", "persistenceMode": "yes", "newMsgId": "no"},
        {"queueName": "OUT3", "newCorrelId": True, "replyToQ": "ANSWERS", "replyToQMgr": "QM9"},
        defaults={"persistenceMode": "no", "newMsgId": "yes"},
    )
    run(one(nodes.MQOutput(destination="list", new_correl_id=False), listing)[0], batch=batch)
    plain, own, asked = qm.get("OUT"), qm.get("OUT2"), qm.get("OUT3")
    assert (plain.persistent, plain.msg_id == MESSAGE, plain.correl_id == CORRELATION) == (False, False, True)
    assert (own.persistent, own.msg_id == MESSAGE) == (True, True)
    assert (asked.correl_id == CORRELATION, asked.msg_type) == (False, mq.MQMT_REQUEST)
    assert (asked.reply_to, asked.reply_to_qmgr) == ("ANSWERS", "QM9")


@BATCHES
def test_an_empty_list_puts_nothing(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"x")
    flow, looking = one(nodes.MQOutput(destination="list"))
    assert run(flow, batch=batch).tally.messages == 1
    assert (bodies(qm, "OUT"), looking._written) == ([], [])


@BATCHES
def test_a_value_that_no_mode_has_fails(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"x")
    listing = Listing({"queueName": "OUT", "persistenceMode": "perhaps"})
    run(one(nodes.MQOutput(destination="list"), listing)[0], batch=batch)
    assert bodies(qm, "FAILED") == [b"x"]


@BATCHES
def test_one_unknown_queue_of_a_list_fails_the_whole_list(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    qm.put("IN", b"x", persistent=True)
    flow, _ = one(nodes.MQOutput(destination="list"), Listing({"queueName": "OUT"}, {"queueName": "NOWHERE"}))
    flow.wires = [wire for wire in flow.wires if wire.output != "failure"]
    run(flow, batch=batch)
    assert bodies(qm, "OUT") == []
    assert bodies(qm, "BACKOUT") == [b"x"]


# -- transaction ---------------------------------------------------------------------------


def failing_after(output: nodes.MQOutput, **reading: Any) -> Flow:
    flow, looking = one(output, **reading)
    looking.out >> flow.add(nodes.Throw("no")).in_
    looking.process = lambda assembly, at: at.send("out", assembly)  # type: ignore[method-assign, assignment]
    return flow


@pytest.mark.parametrize(
    ("transaction", "reading", "stays"),
    [
        ("automatic", "yes", False),
        ("yes", "yes", False),
        ("no", "yes", True),
        ("automatic", "no", True),
        ("yes", "no", False),
        ("no", "no", True),
    ],
)
def test_what_a_failing_message_has_put(
    qm: Any, run: Callable[..., Any], transaction: str, reading: str, stays: bool
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    qm.put("IN", b"x", persistent=True)
    run(failing_after(nodes.MQOutput("OUT", transaction=transaction), transaction=reading))
    assert bodies(qm, "OUT") == ([b"x"] if stays else [])
    assert bodies(qm, "BACKOUT") == ([b"x"] if reading == "yes" else [])


def test_a_put_in_a_unit_is_committed_when_the_input_was_outside(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"x", persistent=True)
    run(one(nodes.MQOutput("OUT", transaction="yes"), transaction="no")[0])
    assert bodies(qm, "OUT") == [b"x"]


def test_a_put_outside_the_unit_is_an_effect() -> None:
    assert CompiledFlow(one(nodes.MQOutput("OUT", transaction="no"))[0]).kind is Kind.EFFECT
    assert CompiledFlow(one(nodes.MQOutput("OUT"))[0]).kind is Kind.QUEUE


# -- context -------------------------------------------------------------------------------


class Renaming(Node):
    """Says that somebody else put the message."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message.copy()
        message.set(Path("MQMD", "UserIdentifier"), "eve")
        message.set(Path("MQMD", "PutApplName"), "forged")
        at.send("out", assembly.sending(message))


@BATCHES
@pytest.mark.parametrize(
    ("context", "user", "program"),
    [
        ("passAll", "ann", "payroll"),
        ("passIdentity", "ann", None),
        ("setAll", "eve", "forged"),
        ("setIdentity", "eve", None),
        ("default", None, None),
        ("none", "", ""),
    ],
)
def test_context(
    qm: Any, run: Callable[..., Any], batch: int, context: str, user: str | None, program: str | None
) -> None:
    given = {"user_id": "ann", "put_appl_name": "payroll", "put_appl_type": 6}
    qm.put("IN", b"x", options=mq.MQPMO_SET_ALL_CONTEXT, **given)
    run(one(nodes.MQOutput("OUT", context=context), Renaming())[0], batch=batch)
    qm.put("OUT2", b"y")
    got, own = qm.get("OUT").descriptor, qm.get("OUT2").descriptor
    assert got.user_id == (own.user_id if user is None else user)
    assert got.put_appl_name == (own.put_appl_name if program is None else program)


def test_decision_the_put_time_is_that_of_the_put(qm: Any, run: Callable[..., Any]) -> None:
    with qm.open("IN", mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as handle:
        handle.put(b"x", options=mq.MQPMO_SET_ALL_CONTEXT, put_time=1_000_000_000.0)
    run(one(nodes.MQOutput("OUT"))[0])
    assert qm.get("OUT").put_time > 1_000_000_000.0


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({}, "MQOutput: a fixed destination needs the name of a queue"),
        ({"queue": "OUT", "destination": "far"}, "destination 'far' is not one of fixed, reply, list"),
        ({"queue": "OUT", "context": "all"}, "context 'all' is not one of"),
        ({"queue": "OUT", "persistence": "maybe"}, "persistence 'maybe' is not one of"),
        ({"queue": "OUT", "transaction": "maybe"}, "transaction 'maybe' is not one of"),
    ],
)
def test_properties_are_checked_when_the_flow_is_built(properties: dict[str, Any], problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        CompiledFlow(one(nodes.MQOutput(**properties))[0])


# -- all or none ---------------------------------------------------------------------------


@BATCHES
@pytest.mark.parametrize("reading", ["yes", "no", "automatic"])
@pytest.mark.parametrize("handled", ["failure", "catch"])
def test_a_list_that_fails_after_its_first_queue_has_put_to_none(
    qm: Any, run: Callable[..., Any], batch: int, reading: str, handled: str
) -> None:
    qm.put("IN", b"x", persistent=True)
    listing = Listing({"queueName": "OUT"}, {"queueName": "OUT2"}, {"queueName": "NOWHERE"})
    mode = "yes" if reading == "no" else "automatic"
    flow, _ = one(nodes.MQOutput(destination="list", transaction=mode), listing, transaction=reading)
    if handled == "catch":
        flow.wires = [wire for wire in flow.wires if wire.output != "failure"]
        flow.node("MQInput").catch >> flow.node("MQOutput1").in_

    listener = run(flow, batch=batch)

    assert bodies(qm, "FAILED") == [b"x"]
    assert bodies(qm, "OUT") == bodies(qm, "OUT2") == []
    assert listener.tally.messages == 1


def test_a_list_of_a_flow_with_effects_reaches_its_failure_terminal_once(
    qm: Any, run: Callable[..., Any]
) -> None:
    qm.mqsc("ALTER QLOCAL(OUT2) MAXDEPTH(1)")
    qm.put("OUT2", b"full")
    for number in range(3):
        qm.put("IN", b"%d" % number, persistent=True)
    listing = Listing({"queueName": "OUT"}, {"queueName": "OUT2"})
    flow, _ = one(nodes.MQOutput(destination="list"), listing)
    flow.node("Looking").out >> flow.add(nodes.MQOutput("OUT3", transaction="no")).in_  # an effect

    run(flow)

    assert bodies(qm, "FAILED") == [b"0", b"1", b"2"]
    assert bodies(qm, "OUT") == bodies(qm, "OUT3") == []


class Splitting(Node):
    """Sends a message three times."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        for _ in range(3):
            at.send("out", assembly)


@BATCHES
def test_a_list_that_is_refused_at_the_third_turn_was_put_at_the_first_two(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    qm.mqsc("ALTER QLOCAL(OUT2) MAXDEPTH(2)")
    qm.put("IN", b"x", persistent=True)
    listing = Listing({"queueName": "OUT"}, {"queueName": "OUT2"})
    flow, _ = one(nodes.MQOutput(destination="list", new_msg_id=True), Splitting(), listing)

    run(flow, batch=batch)

    assert bodies(qm, "OUT") == bodies(qm, "OUT2") == [b"x", b"x"]
    assert bodies(qm, "FAILED") == [b"x"]


class Wandering(Node):
    """Names another queue that is not there each time."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        self.turns += 1
        assert self.turns < 1000, "for ever"
        Listing({"queueName": "OUT"}, {"queueName": f"NONE.{self.turns}"}).process(assembly, at)


@pytest.mark.parametrize("reading", ["yes", "no", "automatic"])
def test_a_list_with_other_names_each_time_does_not_run_for_ever(
    qm: Any, run: Callable[..., Any], reading: str
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    qm.put("IN", b"x", persistent=True)
    wandering = Wandering()
    flow, _ = one(nodes.MQOutput(destination="list", transaction="yes"), wandering, transaction=reading)

    listener = run(flow, batch=1)

    assert wandering.turns == AGAIN_MAX + 1
    assert bodies(qm, "OUT") == []
    assert (bodies(qm, "BACKOUT"), listener.tally.lost) == (([], 1) if reading == "no" else ([b"x"], 0))


def put_half(ports: DirectPorts, msg_id: bytes) -> None:
    with ports.all_or_none((msg_id, "out")):
        ports.put("OUT", QueueMessage(b"x"))
        ports.put("NOWHERE", QueueMessage(b"x"))


def test_a_message_that_is_done_does_not_forget_the_list_of_another(qm: Any) -> None:
    ports = DirectPorts(qm)
    for msg_id in (MESSAGE, CORRELATION):
        with pytest.raises(penstock.MQError) as raised:
            put_half(ports, msg_id)
        assert raised.value.reason == 8311

    ports.message_done(CORRELATION)

    with pytest.raises(penstock.MQError) as raised, ports.all_or_none((MESSAGE, "out")):
        pass
    assert raised.value.reason == mq.MQRC_UNKNOWN_OBJECT_NAME
    with ports.all_or_none((CORRELATION, "out")):
        pass


@BATCHES
def test_what_a_message_outside_the_unit_has_put_into_it_goes_with_its_failure(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    qm.put("IN", b"x", persistent=False)
    flow = failing_after(nodes.MQOutput("OUT", transaction="yes"), transaction="automatic")

    listener = run(flow, batch=batch)

    assert bodies(qm, "OUT") == bodies(qm, "IN") == []
    assert listener.tally.lost == 1


# -- descriptors that MQ refuses -----------------------------------------------------------


class Setting(Node):
    """Sets a field of MQMD."""

    def __init__(self, field: str, value: Any) -> None:
        super().__init__()
        self._field, self._value = Path("MQMD", field), value

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message.copy()
        message.set(self._field, self._value)
        at.send("out", assembly.sending(message))


@BATCHES
@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("Persistence", 7, 2047),
        ("Persistence", -1, 2047),
        ("Expiry", 0, 2013),
        ("Expiry", -5, 2013),
        ("Priority", -5, 2050),
        ("MsgType", 77, 2029),
        ("MsgType", mq.MQMT_REQUEST, 2027),
        ("Report", -1, 2061),
        ("MsgFlags", 999_999, 2249),
    ],
)
def test_a_descriptor_that_mq_refuses_fails_with_mqs_reason(
    qm: Any, run: Callable[..., Any], caplog: Any, batch: int, field: str, value: int, reason: int
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    qm.put("IN", b"x", persistent=True)
    flow, _ = one(nodes.MQOutput("OUT"), Setting(field, value))
    flow.wires = [wire for wire in flow.wires if wire.output != "failure"]

    run(flow, batch=batch)

    assert bodies(qm, "OUT") == []
    assert bodies(qm, "BACKOUT") == [b"x"]
    assert f"reason={reason} " in caplog.text


@BATCHES
@pytest.mark.parametrize("onward", [True, False])
def test_persistence_may_be_left_to_the_queue(
    qm: Any, run: Callable[..., Any], batch: int, onward: bool
) -> None:
    qm.mqsc("ALTER QLOCAL(OUT) DEFPSIST(YES)")
    qm.put("IN", b"x", persistent=False)
    flow, _ = one(nodes.MQOutput("OUT"), Setting("Persistence", 2))
    if not onward:
        flow.wires = [wire for wire in flow.wires if wire.target.name != "Looking"]

    run(flow, batch=batch)

    assert qm.get("OUT").persistent


@pytest.mark.parametrize("default", ["YES", "NO"])
def test_what_came_from_no_queue_has_the_default_of_the_queue(default: str) -> None:
    flow = Flow("web")
    start = flow.add(nodes.HTTPInput("/", port=17081))
    start.out >> flow.add(nodes.MQOutput("OUT")).in_
    with Rig(flow) as rig:
        rig.qm.mqsc(f"ALTER QLOCAL(OUT) DEFPSIST({default})", check=True)
        rig.request(b"x")
        rig.run()
        (message,) = rig.messages("OUT")
        assert bool(message.persistent) is (default == "YES")
