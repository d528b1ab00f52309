"""Selectors that cost more than a step: evaluated before the publication, and not by the engine.

Without that a publication of megabytes, or one with hundreds of selectors, stops all clients of a server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock.host.selectors.selector_evaluator import Evaluator
from penstock.model import constants as mq
from penstock.model.message import NO_ID, Message
from penstock.model.onward import Onward
from penstock.model.rfh2 import Rfh2
from penstock.qmgr.channels import delivery
from penstock.qmgr.pubsub import queued_pubsub
from penstock.qmgr.pubsub.relation import PUBS
from penstock.qmgr.pubsub.republishing import RETAIN
from penstock.qmgr.selectors.evaluations import STEP_COST, Evaluations, cost_of
from tests.patience import SECONDS, until

if TYPE_CHECKING:
    from penstock import QueueManager

LINES = b"<Line><Sku>A-17</Sku><Qty>3</Qty></Line>" * 10_000
NUMBERS = range(98, 103)


class Watched:
    """A queue manager whose engine, and the evaluator beside it, count the selectors they are asked about."""

    def __init__(self, qm: QueueManager, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        engine = qm.session.engine
        evaluator = Evaluator(models)
        self.by_engine = 0
        self.beside: list[list[str]] = []
        look_at = engine.content_filters._look_at

        def counted(message: Message) -> object:
            self.by_engine += 1
            return look_at(message)

        def run(message: Message, texts: list[str]) -> dict[str, bool]:
            self.beside.append(texts)
            return dict(zip(texts, evaluator.results(message, texts), strict=True))

        monkeypatch.setattr(engine.content_filters, "_look_at", counted)
        engine.pubsub.publisher.evaluations = Evaluations(run)


@pytest.fixture
def watched(qm: QueueManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(qm, tmp_path, monkeypatch)


def body(price: int, lines: bytes = LINES) -> bytes:
    return b"<Quote>%s<Price>%d</Price></Quote>" % (lines, price)


def selectors(numbers: Iterable[int]) -> list[str]:
    return [f"Body.Quote.Price > {number}" for number in numbers]


def test_the_engine_looks_into_no_large_body(qm: QueueManager, watched: Watched) -> None:
    made = [qm.subscribe("quotes", selector=text) for text in selectors(NUMBERS)]
    qm.publish("quotes", body(100), persistent=False)
    assert [each.get() is not None for each in made] == [True, True, False, False, False]
    assert (watched.by_engine, watched.beside) == (0, [selectors(NUMBERS)])


def test_a_small_body_is_looked_into_at_once(qm: QueueManager, watched: Watched) -> None:
    with qm.subscribe("quotes", selector="Body.Quote.Price > 99") as made:
        qm.publish("quotes", body(100, b""), persistent=False)
        assert made.get() is not None
    assert watched.by_engine > 0
    assert watched.beside == []


def test_many_selectors_on_properties_are_too_much_for_a_step_too(qm: QueueManager, watched: Watched) -> None:
    text = " OR ".join(f"weight = {number}" for number in range(400))
    made = [qm.subscribe("heavy", selector=f"{text} OR height = {number}") for number in range(60)]
    qm.publish("heavy", b"", properties={"height": 7}, persistent=False)
    assert [number for number, each in enumerate(made) if each.get() is not None] == [7]
    assert [len(texts) for texts in watched.beside] == [60]


def test_retained_publications_are_asked_about_one_by_one(qm: QueueManager, watched: Watched) -> None:
    for number in NUMBERS:
        qm.publish(f"kept/{number}", body(number), retain=True, persistent=False)
    with qm.subscribe("kept/#", selector="Body.Quote.Price > 99") as made:
        assert len(list(made.messages())) == 3
    assert (watched.by_engine, len(watched.beside)) == (0, len(NUMBERS))


def test_a_result_is_for_an_equal_publication_only(qm: QueueManager, watched: Watched) -> None:
    qm.session.engine.pubsub.publisher.evaluations._known = set()  # as if all callers still waited
    with qm.subscribe("quotes", selector="Body.Quote.Price > 99 AND marked = TRUE") as made:
        for marked in (True, 1, False):
            for price in (99, 100):
                qm.publish("quotes", body(price), properties={"marked": marked}, persistent=False)
        assert [message.body for message in made.messages()] == [body(100)]
    assert len(watched.beside) == 6


def test_the_cost_of_a_step_is_that_of_some_bytes_and_terms() -> None:
    assert cost_of(STEP_COST, 0, 1 << 30) == STEP_COST  # no body is read
    assert cost_of(0, 1, 4096) < STEP_COST < cost_of(0, 1, 1 << 20)
    assert cost_of(0, 10, 80_000) < STEP_COST < cost_of(0, 100, 80_000)


def streamed(qm: QueueManager) -> None:
    """Have what is put to Q published on quotes."""
    for text in (
        "DEFINE TOPIC(T) TOPICSTR('quotes')",
        "DEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)",
        "DEFINE QLOCAL(Q) STREAMQ(A) STRMQOS(MUSTDUP)",
    ):
        assert qm.mqsc(text)[0].ok


def put(qm: QueueManager, data: bytes, persistent: bool) -> None:
    qm.put("Q", data, persistent=persistent)


def report(qm: QueueManager, data: bytes, persistent: bool) -> None:
    """Have a report that carries the data put to the queue."""
    options = mq.MQRO_COA_WITH_FULL_DATA
    qm.mqsc("DEFINE QLOCAL(IN) REPLACE")
    qm.put("IN", data, persistent=persistent, report=options, reply_to="Q")


def arrive_at(queue: str) -> Callable[[QueueManager, bytes, bool], None]:
    def arrive(qm: QueueManager, data: bytes, persistent: bool) -> None:
        """Have a channel deliver a message in a unit of its own."""
        message = Message(data, qm.engine.ids.next(), NO_ID, persistent, 4, time.time())
        if queue == PUBS:
            message.properties = {"MQTopicString": "quotes"}
        with qm.session.step():
            now, engine = time.time(), qm.engine
            unit = engine.new_unit(None, now)
            onward = Onward(queue, "", message.descriptor)
            delivery.put(engine, delivery.Destinations(engine), onward, message, unit, now)
            engine.commit(unit, now)

    return arrive


def commit_batch(qm: QueueManager, data: bytes, persistent: bool) -> None:
    """Have a batch of Spark publish."""
    number = qm.batches.recorded("flow") + 1
    epoch = qm.batches.begin("flow", number)["epoch"]
    outputs = [("topic:quotes", data, {"persistent": persistent})]
    qm.batches.prepare_outputs("flow", number, 0, 0, outputs, epoch=epoch)
    qm.batches.commit("flow", number, {0: 0}, epoch=epoch)


WAYS = {
    "stream": put,
    "report": report,
    "channel to an alias": arrive_at("A"),
    "channel of another queue manager's publications": arrive_at(PUBS),
    "batch": commit_batch,
}


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_what_the_queue_manager_publishes_itself_waits_for_its_selectors(
    qm: QueueManager, watched: Watched, way: str, persistent: bool
) -> None:
    streamed(qm)
    made = qm.subscribe("quotes", durable="S", selector="Body.Quote.Price > 99")
    for number in (100, 98):
        WAYS[way](qm, body(number), persistent)
    assert watched.by_engine == 0
    got = made.get(wait=SECONDS)
    assert got is not None
    assert (got.body, got.persistent) == (body(100), persistent)
    until(lambda: len(watched.beside) >= 2)
    assert len(watched.beside) == 2
    assert watched.by_engine == 0
    assert made.get() is None


def test_small_publications_do_not_overtake_a_large_one_that_waits(
    qm: QueueManager, watched: Watched
) -> None:
    streamed(qm)
    made = qm.subscribe("quotes", selector="Body.Quote.Price > 99")
    for number in range(100, 110):
        put(qm, body(number, LINES if number % 4 == 0 else b""), persistent=number % 2 == 0)
    got = [made.get(wait=SECONDS) for _ in range(10)]
    assert [message.body[-19:-16] for message in got if message is not None] == [
        b"%d" % number for number in range(100, 110)
    ]


def test_a_copy_that_waited_is_not_streamed_again(qm: QueueManager, watched: Watched) -> None:
    streamed(qm)
    assert qm.mqsc("DEFINE SUB(S) TOPICSTR('quotes') DEST(Q) SELECTOR('Body.Quote.Price > 99')")[0].ok
    put(qm, body(100), persistent=True)
    assert [qm.get("Q", wait=SECONDS).body for _ in range(2)] == [body(100)] * 2
    assert qm.get("Q", wait=0.9) is None


def test_a_copy_in_a_unit_is_published_with_it(qm: QueueManager, watched: Watched) -> None:
    streamed(qm)
    made = qm.subscribe("quotes", selector="Body.Quote.Price > 99")
    for end in (qm.backout, qm.commit):
        qm.begin()
        put(qm, body(100), persistent=True)
        assert made.get(wait=0.7, options=mq.MQGMO_NO_SYNCPOINT) is None
        end()
    assert made.get(wait=SECONDS) is not None
    assert made.get() is None


def test_a_programs_properties_do_not_steer_a_publication_that_waits(
    qm: QueueManager, watched: Watched
) -> None:
    streamed(qm)
    made = qm.subscribe("quotes", selector="Body.Quote.Price > 99")
    forged = {RETAIN: 1, "PSKPath": "x", "MQPubLevel": 3, "colour": "red"}
    qm.put("Q", body(100), properties=forged)
    got = made.get(wait=SECONDS)
    assert got is not None
    assert got.properties["colour"] == "red"
    with qm.subscribe("quotes") as late:
        assert late.get() is None  # it was not retained


def test_like_in_a_long_property_is_too_much_for_a_step(qm: QueueManager, watched: Watched) -> None:
    text = "a" * 100_000
    made = qm.subscribe("notes", selector=f"note LIKE '%_{'a' * 90}b%'")
    qm.publish("notes", b"", properties={"note": "a" * 90}, persistent=False)
    assert watched.beside == []
    qm.publish("notes", b"", properties={"note": text}, persistent=False)
    assert len(watched.beside) == 1
    assert made.get() is None


@pytest.mark.parametrize("seconds", [60.0, -1.0])
def test_a_registration_whose_selector_takes_too_long_leaves_nothing(
    qm: QueueManager, watched: Watched, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(queued_pubsub, "LONG_SECONDS", seconds)
    for name in ("OWN", "REPLIES"):
        assert qm.mqsc(f"DEFINE QLOCAL({name})")[0].ok
    for number in NUMBERS:
        qm.publish(f"kept/{number}", body(number), retain=True, persistent=False)
    command = "<psc><Command>RegSub</Command><Topic>kept/#</Topic><QName>OWN</QName>"
    filtered = f"{command}<Filter>Body.Quote.Price &gt; 99</Filter></psc>"
    header = Rfh2((filtered,)).pack()
    qm.put(queued_pubsub.QUEUES[0], header, format="MQHRF2", reply_to="REPLIES", msg_type=mq.MQMT_REQUEST)
    reply = qm.get("REPLIES", wait=SECONDS)
    registered = any(name.startswith("RFH2:") for name in qm.engine.pubsub.subscriptions)
    found = (b"<Reason>3150<" in reply.body, registered, qm.engine.queues["OWN"].depth)
    assert found == ((False, True, 3) if seconds > 0 else (True, False, 0))
    assert watched.by_engine == 0
