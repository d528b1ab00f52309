"""JMS nodes over our own queues: JMSTransport from MQMD and MQRFH2 and back, queues, replies, transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import Flow, Node, nodes
from penstock.flow.jms_transport import queue_of
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.tree import Path, parse_message
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow import Assembly, NodeContext

HEADER = ("JMSTransport", "Transport_Folders", "Header_Values")
APPLICATION = ("JMSTransport", "Transport_Folders", "Application_Properties")


class Look(Node):
    """Keeps what it sees, and may set fields first."""

    def __init__(self, *, changes: dict[tuple[str, ...], Any] | None = None) -> None:
        super().__init__()
        self._changes = changes or {}
        self._seen: list[Any] = []

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message.copy()
        for path, value in self._changes.items():
            message.set(Path(*path), value)
        self._seen.append(message)
        at.send("out", assembly.sending(message))

    def value(self, *path: str) -> Any:
        return self._seen[-1].get(Path(*path))


def through(look: Look, output: Node, start: Node | None = None) -> Flow:
    flow = Flow("jms")
    begin, out = flow.add(start or nodes.JMSInput("IN", domain="XMLNSC")), flow.add(output)
    begin.out >> flow.add(look).in_
    look.out >> out.in_
    out.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def user(message: Any, name: str) -> Any:
    """Return a property of a JMS message on a queue."""
    return parse_message(message, "XMLNSC").get(Path("MQRFH2", "usr", name))


def test_a_jms_message_goes_through_a_flow_with_header_and_properties(
    qm: Any, run: Callable[..., Any]
) -> None:
    qm.put(
        "IN",
        b"<a>1</a>",
        properties={"colour": "red", "size": 5},
        priority=7,
        persistent=True,
        correl_id=b"c" * 24,
        reply_to="OUT2",
    )
    look = Look()
    run(through(look, nodes.JMSOutput("OUT")))

    assert look.value(*HEADER, "JMSPriority") == 7
    assert look.value(*HEADER, "JMSDeliveryMode") == "Persistent"
    assert look.value(*HEADER, "JMSCorrelationID") == "ID:" + (b"c" * 24).hex()
    assert look.value(*HEADER, "JMSReplyTo").endswith("/OUT2")
    assert look.value(*APPLICATION, "colour") == "red"
    assert look._seen[0].reference(Path("MQMD")) is None
    got = qm.get("OUT")
    assert (got.priority, got.persistent, got.correl_id) == (7, True, b"c" * 24)
    assert got.body.endswith(b"<a>1</a>")
    assert (user(got, "colour"), user(got, "size")) == ("red", 5)
    assert got.descriptor.reply_to == "OUT2"


def test_fields_that_the_flow_sets_are_sent(qm: Any, run: Callable[..., Any]) -> None:
    look = Look(
        changes={
            (*HEADER, "JMSDeliveryMode"): "Non_Persistent",
            (*HEADER, "JMSExpiration"): 60_000,
            (*HEADER, "JMSType"): "order",
            (*APPLICATION, "shop"): "north",
        }
    )
    qm.put("IN", b"<a/>", persistent=True)
    run(through(look, nodes.JMSOutput("OUT")))
    got = qm.get("OUT")
    assert (got.persistent, user(got, "shop")) == (False, "north")
    assert 50 < got.remaining <= 60


def test_a_selector_picks_messages(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"<r/>", properties={"colour": "red"})
    qm.put("IN", b"<b/>", properties={"colour": "blue"})
    start = nodes.JMSInput("IN", domain="XMLNSC", selector="colour = 'blue'")
    run(through(Look(), nodes.JMSOutput("OUT"), start))
    assert [body[-4:] for body in bodies(qm, "OUT")] == [b"<b/>"]
    assert bodies(qm, "IN") == [b"<r/>"]


def test_a_reply_goes_to_the_queue_of_the_request(qm: Any, run: Callable[..., Any]) -> None:
    asked = qm.put("IN", b"<q/>", reply_to="OUT2")
    run(through(Look(), nodes.JMSReply()))
    assert qm.get("OUT2").correl_id == asked.msg_id


def test_a_list_is_put_to_all_its_queues_or_to_none(qm: Any, run: Callable[..., Any]) -> None:
    class Listing(Node):
        def process(self, assembly: Assembly, at: NodeContext) -> None:
            trees = assembly.copied_local_environment()
            folder = trees.create(Path("Destination", "JMSDestinationList"))
            for name in ("OUT", "queue:///OUT2"):
                folder.add_last_child("DestinationData", name)
            at.send("out", assembly.sending(local_environment=trees))

    flow = Flow("list")
    start, listing = flow.add(nodes.JMSInput("IN")), flow.add(Listing())
    start.out >> listing.in_
    listing.out >> flow.add(nodes.JMSOutput(use_list=True)).in_
    qm.put("IN", b"x")
    run(flow)
    assert [len(bodies(qm, name)) for name in ("OUT", "OUT2")] == [1, 1]


def test_a_field_of_the_wrong_type_is_the_failure_of_the_node(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"<a/>")
    run(through(Look(changes={(*HEADER, "JMSPriority"): "high"}), nodes.JMSOutput("OUT")))
    assert (bodies(qm, "OUT"), len(bodies(qm, "FAILED"))) == ([], 1)


def test_transforms_lead_there_and_back(qm: Any, run: Callable[..., Any]) -> None:
    look = Look()
    flow = Flow("there and back")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    there, back = flow.add(nodes.MQJMSTransform()), flow.add(nodes.JMSMQTransform())
    start.out >> there.in_
    there.out >> flow.add(look).in_
    look.out >> back.in_
    back.out >> flow.add(nodes.MQOutput("OUT", context="default")).in_
    qm.put("IN", b"<a/>", properties={"n": 3}, correl_id=b"k" * 24)
    run(flow)
    got = qm.get("OUT")
    assert look.value(*APPLICATION, "n") == 3
    assert (user(got, "n"), got.correl_id, got.body[-4:]) == (3, b"k" * 24, b"<a/>")


def test_receive_gets_a_jms_message_in_the_middle(qm: Any, run: Callable[..., Any]) -> None:
    look = Look()
    flow = Flow("receive")
    start, get = flow.add(nodes.MQInput("IN")), flow.add(nodes.JMSReceive("OUT2", wait=0))
    start.out >> get.in_
    get.out >> flow.add(look).in_
    get.noMessage >> flow.add(nodes.MQOutput("FAILED")).in_
    qm.put("OUT2", b"<b/>", properties={"n": 4})
    qm.put("IN", b"one")
    qm.put("IN", b"two")
    run(flow)
    assert look.value(*APPLICATION, "n") == 4
    assert bodies(qm, "FAILED") == [b"two"]


def test_the_header_node_adds_changes_and_deletes(qm: Any, run: Callable[..., Any]) -> None:
    flow = Flow("header")
    look = Look()
    start = flow.add(nodes.MQInput("IN"))
    add = flow.add(nodes.JMSHeader("add", fields={"JMSPriority": 9}, application={"a": "b"}))
    start.out >> add.in_
    add.out >> flow.add(look).in_
    look.out >> flow.add(nodes.JMSOutput("OUT")).in_
    qm.put("IN", b"x")
    run(flow)
    got = qm.get("OUT")
    assert (got.priority, user(got, "a")) == (9, "b")


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (nodes.JMSOutput(), "needs the name of its queue"),
        (nodes.JMSOutput("Q", transaction="x"), "transaction 'x' is not one of"),
        (nodes.JMSHeader("add", fields={"JMSColour": 1}), "'JMSColour' is not one of"),
        (nodes.JMSHeader(fields={"JMSPriority": 1}), "need the action add or modify"),
        (nodes.JMSInput("IN", selector="colour ="), "selector"),
    ],
    ids=["no queue", "transaction", "field", "action", "selector"],
)
def test_what_cannot_be_is_refused(node: Node, text: str) -> None:
    assert text in " ".join(node.check())


def test_only_queues_are_addresses() -> None:
    assert queue_of("queue://QM1/ORDERS?persistence=2") == ("QM1", "ORDERS")
    assert queue_of("ORDERS") == ("", "ORDERS")
    with pytest.raises(MQError) as raised:
        queue_of("topic://news")
    assert raised.value.reason == mq.PSRC_FLOW_JMS
