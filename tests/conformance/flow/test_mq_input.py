"""MQInput: conversion, validation, topic, order, groups; what is wrong with it is found before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.engines import ties, why_not_spark
from penstock.flow.running.inline import InlineRun
from penstock.flow.running.queue_listener import QueueListener
from penstock.model import constants as mq
from penstock.tree import Path as NodeContext
from tests.flow_files import FlowFile
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.flow import Assembly
    from penstock.flow import NodeContext as NodePlace

BATCHES = pytest.mark.parametrize("batch", [1, 100])


def straight(**properties: Any) -> Flow:
    """IN -> OUT, what fails in the input to FAILED."""
    flow = Flow("straight")
    source = flow.add(nodes.MQInput("IN", **properties))
    source.out >> flow.add(nodes.MQOutput("OUT")).in_
    source.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


@BATCHES
def test_convert_brings_the_message_in_utf_8(
    qm: penstock.QueueManager, run: Callable[..., Any], batch: int
) -> None:
    qm.put("IN", "<a>Käse</a>".encode("cp500"), format="MQSTR", ccsid=500)

    run(straight(convert=True, domain="XMLNSC"), batch=batch)

    message = qm.get("OUT")
    assert message.body == "<a>Käse</a>".encode()
    assert message.descriptor.ccsid == 1208


@BATCHES
@pytest.mark.parametrize(("properties", "queue"), [({}, "FAILED"), ({"allow_doctype": True}, "OUT")])
def test_a_document_type_is_accepted_only_if_asked_for(
    qm: penstock.QueueManager, run: Callable[..., Any], batch: int, properties: dict[str, Any], queue: str
) -> None:
    body = b"<!DOCTYPE a SYSTEM 'a.dtd'><a>1</a>"
    qm.put("IN", body, format="MQSTR")

    run(straight(domain="XMLNSC", validate="content", **properties), batch=batch)

    assert qm.get(queue).body == body


@BATCHES
def test_convert_takes_another_character_set(
    qm: penstock.QueueManager, run: Callable[..., Any], batch: int
) -> None:
    qm.put("IN", "Käse".encode(), format="MQSTR")

    run(straight(convert=True, convert_ccsid=500), batch=batch)

    assert qm.get("OUT").body == "Käse".encode("cp500")


@BATCHES
def test_what_cannot_be_converted_fails_in_the_input(
    qm: penstock.QueueManager, run: Callable[..., Any], batch: int
) -> None:
    qm.put("IN", b"\x01\x02", format="OWN", ccsid=500)

    run(straight(convert=True), batch=batch)

    assert bodies(qm, "OUT") == []
    assert bodies(qm, "FAILED") == [b"\x01\x02"]


@BATCHES
def test_validate_reads_the_whole_body(
    qm: penstock.QueueManager, run: Callable[..., Any], batch: int
) -> None:
    for body in (b"<a><b>1</b></a>", b"<a><b>1</a>"):
        qm.put("IN", body)

    run(straight(domain="XMLNSC", validate="content"), batch=batch)

    assert bodies(qm, "OUT") == [b"<a><b>1</b></a>"]
    assert bodies(qm, "FAILED") == [b"<a><b>1</a>"]


class Seeing(Node):
    """Keeps the topic of messages."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: list[Any] = []

    def process(self, assembly: Assembly, at: NodePlace) -> None:
        self._seen.append(assembly.message.get(NodeContext("Properties", "Topic")))
        at.send("out", assembly)


def test_topic_is_where_a_publication_goes(qm: penstock.QueueManager, run: Callable[..., Any]) -> None:
    subscription = qm.subscribe("price/fruit")
    flow = Flow("topic")
    seeing = flow.add(Seeing())
    flow.add(nodes.MQInput("IN", topic="price/fruit")).out >> seeing.in_
    seeing.out >> flow.add(nodes.Publication()).in_
    qm.put("IN", b"3")

    run(flow)

    assert seeing._seen == ["price/fruit"]
    assert subscription.get().body == b"3"


def put_group(qm: penstock.QueueManager, *numbers: int, last: int, group: bytes = b"g" * 24) -> None:
    """Put messages of a group, in the order given."""
    for number in numbers:
        flags = mq.MQMF_LAST_MSG_IN_GROUP if number == last else mq.MQMF_MSG_IN_GROUP
        qm.put("IN", b"%d" % number, group_id=group, seq_number=number, flags=flags)


@BATCHES
def test_logical_order_is_the_order_of_the_group(
    qm: penstock.QueueManager, run: Callable[..., Any], batch: int
) -> None:
    put_group(qm, 3, 1, 2, last=3)

    run(straight(logical_order=True), batch=batch)

    assert bodies(qm, "OUT") == [b"1", b"2", b"3"]


@BATCHES
def test_all_available_waits_for_the_whole_group(
    qm: penstock.QueueManager, run: Callable[..., Any], batch: int
) -> None:
    flow = straight(logical_order=True, all_available=True)
    put_group(qm, 1, 3, last=3)
    run(flow, batch=batch)
    assert bodies(qm, "OUT") == []

    put_group(qm, 2, last=3)
    run(flow, batch=batch)

    assert bodies(qm, "OUT") == [b"1", b"2", b"3"]


@BATCHES
def test_a_group_goes_on_after_one_of_its_messages_failed(
    qm: penstock.QueueManager, run: Callable[..., Any], batch: int
) -> None:
    put_group(qm, 2, 1, 3, last=3)

    class Refusing(Node):
        def process(self, assembly: Assembly, at: NodePlace) -> None:
            if assembly.message.get(NodeContext("BLOB", "BLOB")) == b"2":
                raise ValueError
            at.send("out", assembly)

    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(2) BOQNAME(BACKOUT)")
    flow = Flow("refusing")
    refusing = flow.add(Refusing())
    flow.add(nodes.MQInput("IN", logical_order=True)).out >> refusing.in_
    refusing.out >> flow.add(nodes.MQOutput("OUT")).in_

    run(flow, batch=batch)

    assert bodies(qm, "OUT") == [b"1", b"3"]
    assert bodies(qm, "BACKOUT") == [b"2"]


def failing(**properties: Any) -> Flow:
    """IN -> OUT outside any unit, then an error."""
    flow = Flow("failing")
    output = flow.add(nodes.MQOutput("OUT", transaction="no"))
    flow.add(nodes.MQInput("IN", transaction="automatic", **properties)).out >> output.in_
    output.out >> flow.add(nodes.Throw("no")).in_
    return flow


@pytest.mark.parametrize("properties", [{}, {"all_available": True}])
def test_a_message_that_is_lost_takes_no_other_with_it(
    qm: penstock.QueueManager, run: Callable[..., Any], properties: dict[str, Any]
) -> None:
    qm.put("IN", b"blue", persistent=True, properties={"colour": "blue"})
    qm.put("IN", b"red", persistent=False, properties={"colour": "red"})

    listener = run(failing(selector="colour = 'red'", **properties))

    assert [body[-3:] for body in bodies(qm, "OUT")] == [b"red"]
    assert bodies(qm, "IN") == [b"blue"]
    assert listener.tally.lost == 1


class Arriving(Node):
    """Puts a message of a higher priority to the queue that is read, once, and fails."""

    def __init__(self, qm: penstock.QueueManager) -> None:
        super().__init__()
        self.bodies = [b"urgent"]
        self._qm = qm

    def process(self, assembly: Assembly, at: NodePlace) -> None:
        while self.bodies:
            body = self.bodies.pop()
            self._qm.put("IN", body, priority=9, persistent=True, options=mq.MQPMO_NO_SYNCPOINT)
        raise ValueError


@pytest.mark.parametrize("properties", [{"all_available": True}, {"logical_order": True}])
def test_a_message_that_arrives_is_not_lost_for_the_one_that_failed(
    qm: penstock.QueueManager, run: Callable[..., Any], properties: dict[str, Any]
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    qm.put("IN", b"failing", persistent=False, priority=0)
    flow = Flow("arriving")
    flow.add(nodes.MQInput("IN", transaction="automatic", **properties)).out >> flow.add(Arriving(qm)).in_

    run(flow, batch=1)

    kept = bodies(qm, "BACKOUT")
    assert b"urgent" in kept
    assert bodies(qm, "IN") == []


def test_a_message_that_another_instance_has_taken_is_not_lost_here(
    qm: penstock.QueueManager, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    qm.put("IN", b"x", persistent=False)
    taken = []
    undo = QueueListener.undo

    def undo_and_take(listener: QueueListener) -> None:
        undo(listener)
        taken.extend(bodies(qm, "IN"))

    monkeypatch.setattr(QueueListener, "undo", undo_and_take)

    listener = run(failing())

    assert taken == [b"x"]
    assert listener.tally.lost == 0


class Shared:
    """A queue manager that others use after this user has closed it; counts those who came."""

    def __init__(self, qm: penstock.QueueManager) -> None:
        self._qm = qm
        self.users = 0

    def __call__(self) -> Shared:
        self.users += 1
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._qm, name)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("order", ["byArrival", "byUserId", "byQueueOrder"])
def test_an_order_is_kept_by_one_instance(qm: penstock.QueueManager, order: str) -> None:
    for number in range(50):
        qm.put("IN", b"%d" % number)
    flow = CompiledFlow(straight(order=order))

    connect = Shared(qm)

    inline = InlineRun(flow, connect, instances=4, until_empty=True)
    inline.start()
    assert inline.join_for(20)

    assert connect.users == 1
    assert bodies(qm, "OUT") == [b"%d" % number for number in range(50)]
    assert ties(flow) == ["MQInput keeps the order of its queue"]


def test_groups_are_no_reason_against_spark() -> None:
    """A batch takes whole groups, in their order."""
    assert why_not_spark(CompiledFlow(straight(logical_order=True, all_available=True))) == []


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"order": "byChance"}, "order 'byChance' is not one of none, byArrival, byUserId, byQueueOrder"),
        ({"validate": "a little"}, "validate 'a little' is not one of none, content, contentAndValue"),
        ({"convert_ccsid": 99}, "convert_ccsid 99 is not a known character set"),
        ({"transaction": "perhaps"}, "transaction 'perhaps' is not one of yes, no, automatic"),
        ({"selector": "a = = 2"}, "selector"),
    ],
)
def test_wrong_properties_are_found_before_it_runs(properties: dict[str, Any], text: str) -> None:
    with pytest.raises(penstock.MQError, match="cannot run") as raised:
        CompiledFlow(straight(**properties))
    assert text in str(raised.value)


def test_a_flow_file_says_how_to_convert_validate_and_order(tmp_path: Path) -> None:
    said = {"orderMode": "byUserId", "convert": "true", "convertCodedCharSetId": "500", "convertEncoding": ""}
    FlowFile().node("ComIbmMQInput", "in", queueName="Q", validateMaster="inherit", **said).write(
        tmp_path / "F.msgflow"
    )

    node = Project(tmp_path).flow("F").node("in")

    assert isinstance(node, nodes.MQInput)
    assert (node.order, node.validate, node.convert) == ("byUserId", "none", True)
    assert (node.convert_ccsid, node.convert_encoding) == (500, mq.MQENC_NATIVE)


def test_an_input_that_browses_leaves_messages_where_they_are(qm: Any, run: Callable[..., Any]) -> None:
    flow = Flow("browse")
    start = flow.add(nodes.MQInput("IN", browse=True))
    start.out >> flow.add(nodes.MQOutput("OUT")).in_
    for body in (b"1", b"2"):
        qm.put("IN", body)
    assert run(flow).tally.messages == 2
    assert bodies(qm, "OUT") == [b"1", b"2"]
    assert bodies(qm, "IN") == [b"1", b"2"]


def test_a_browsed_message_that_fails_goes_to_failure_and_the_next_runs(
    qm: Any, run: Callable[..., Any]
) -> None:
    flow = Flow("browse")
    start = flow.add(nodes.MQInput("IN", browse=True, domain="XMLNSC"))
    route = flow.add(nodes.Route([("$Body/bad", "bad")]))
    start.out >> route.in_
    route.bad >> flow.add(nodes.Throw("no")).in_
    route.default >> flow.add(nodes.MQOutput("OUT")).in_
    start.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    for body in (b"<bad/>", b"<good/>"):
        qm.put("IN", body)
    run(flow)
    assert (bodies(qm, "FAILED"), bodies(qm, "OUT")) == ([b"<bad/>"], [b"<good/>"])
    assert len(bodies(qm, "IN")) == 2
