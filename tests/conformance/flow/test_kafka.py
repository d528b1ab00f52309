"""Kafka nodes on the mock cluster of the client library: sent once confirmed, read in order, nothing lost."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import confluent_kafka
import pytest

import penstock
from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.running.inline import InlineRun
from penstock.flow.running.kafka_listener import KafkaListener
from penstock.tree import Path
from tests.flow_fixtures import bodies
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path as FilePath


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a mock cluster, which lives as long as its producer."""
    owner = confluent_kafka.Producer(
        {"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "log_level": 0}
    )
    brokers = owner.list_topics(timeout=120).brokers.values()
    yield ",".join(f"{each.host}:{each.port}" for each in brokers)
    owner.flush(0.5)


@pytest.fixture
def serve(qm: Any, tmp_path: FilePath) -> Iterator[Callable[[Flow], InlineRun]]:
    running: list[InlineRun] = []

    def begin(flow: Flow) -> InlineRun:
        compiled = CompiledFlow(flow, Project(tmp_path))
        job = InlineRun(compiled, lambda: penstock.embed("QM1", home=tmp_path / "home"))
        job.start()
        running.append(job)
        until(lambda: job.ready)
        return job

    yield begin
    for job in running:
        job.stop()
        assert job.join_for(60)


def sending(node: Node, key: str = "") -> Flow:
    flow = Flow("send")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    if key:
        place = Path("Destination", "Kafka", "Output", "key")
        name = flow.add(nodes.PythonCompute(lambda call: call.local_environment.set(place, key)))
        start.out >> name.in_
        start = name
    start.out >> flow.add(node).in_
    node.out >> flow.add(nodes.MQOutput("OUT")).in_
    node.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def reading(cluster: str, topic: str, **properties: Any) -> Flow:
    flow = Flow("read")
    given = {"servers": cluster, "group": f"g-{topic}", "offset": "earliest", "domain": "XMLNSC"}
    start = flow.add(nodes.KafkaConsumer(topic, **{**given, **properties}))
    route = flow.add(nodes.Route([("$Body/bad", "bad")]))
    start.out >> route.in_
    route.bad >> flow.add(nodes.Throw("no")).in_
    route.default >> flow.add(nodes.MQOutput("OUT2")).in_
    start.failure >> flow.add(nodes.MQOutput("CAUGHT")).in_
    return flow


def test_messages_of_one_key_come_out_in_order(
    qm: Any, run: Callable[..., Any], serve: Callable[[Flow], InlineRun], cluster: str
) -> None:
    for body in (b"<a/>", b"<bad/>", b"<b/>"):
        qm.put("IN", body)
    run(sending(nodes.KafkaProducer("orders", servers=cluster, timeout=120), key="k"))
    assert bodies(qm, "OUT") == [b"<a/>", b"<bad/>", b"<b/>"]
    serve(reading(cluster, "orders"))
    assert [qm.get("OUT2", wait=60).body for _ in range(2)] == [b"<a/>", b"<b/>"]
    assert qm.get("CAUGHT", wait=60).body == b"<bad/>"


def test_the_position_stays_before_a_message_that_is_not_done_with(
    qm: Any, run: Callable[..., Any], cluster: str, tmp_path: FilePath
) -> None:
    producer = confluent_kafka.Producer({"bootstrap.servers": cluster, "log_level": 0})
    producer.produce("again", b"<a/>", partition=0)
    producer.flush(120)
    for queue in ("OUT2", "CAUGHT"):
        qm.mqsc(f"ALTER QLOCAL({queue}) PUT(DISABLED)")
    compiled = CompiledFlow(reading(cluster, "again"), Project(tmp_path))
    node, stop = compiled.inputs["KafkaConsumer"], threading.Event()
    first = KafkaListener(node, compiled, "KafkaConsumer", qm)  # type: ignore[arg-type]
    thread = threading.Thread(target=first.run, args=(stop,))
    thread.start()
    until(lambda: first.tally.failed)
    stop.set()
    thread.join(60)
    asking = confluent_kafka.Consumer({"bootstrap.servers": cluster, "group.id": "g-again", "log_level": 0})
    (place,) = asking.committed([confluent_kafka.TopicPartition("again", 0)], timeout=120)
    asking.close()
    assert place.offset < 0  # nothing was committed: it comes again


def test_one_message_is_read_by_its_offset(qm: Any, run: Callable[..., Any], cluster: str) -> None:
    producer = confluent_kafka.Producer({"bootstrap.servers": cluster, "log_level": 0})
    for body in (b"<x/>", b"<y/>"):
        producer.produce("single", body, partition=0)
    producer.flush(120)
    flow = Flow("one")
    start = flow.add(nodes.MQInput("IN"))
    read = flow.add(nodes.KafkaRead("single", servers=cluster, partition=0, offset=1, timeout=60))
    start.out >> read.in_
    read.out >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b"go")
    run(flow)
    assert bodies(qm, "OUT") == [b"<y/>"]


def test_a_cluster_that_is_gone_is_the_failure(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"<a/>")
    run(sending(nodes.KafkaProducer("orders", servers="127.0.0.1:1", timeout=0.5)))
    assert bodies(qm, "FAILED") == [b"<a/>"]


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (nodes.KafkaProducer("t"), "servers is host:port"),
        (nodes.KafkaProducer("t", servers="h:1", acks="2"), "acks '2' is not one of"),
        (nodes.KafkaConsumer("", servers="h:1", group="g"), "needs the name of its topic"),
        (nodes.KafkaConsumer("t", servers="h:1"), "needs the id of its group"),
        (
            nodes.KafkaConsumer("t", servers="h:1", group="g", offset="middle"),
            "offset 'middle' is not one of",
        ),
        (nodes.KafkaRead("t", servers="h:1", offset=-1), "cannot be negative"),
        (nodes.KafkaRead("t", servers="h:1", security="none"), "security 'none' is not one of"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_cannot_be_is_refused(node: Node, text: str) -> None:
    assert text in " ".join(node.check())
