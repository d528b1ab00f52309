"""The inline engine: batches, failures, backouts, and what becomes of messages that fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import Flow, Node, nodes
from penstock.model.errors import MQError
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.flow import Assembly, NodeContext

ESQL = """
CREATE COMPUTE MODULE Billing
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET OutputRoot.XMLNSC.Order.Total = CAST(InputRoot.XMLNSC.Order.Total AS INTEGER) * 2;
    RETURN TRUE;
  END;
END MODULE;
"""
BATCHES = pytest.mark.parametrize("batch", [1, 100])


def order_flow(tmp_path: Path) -> Flow:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "billing.esql").write_text(ESQL)
    flow = Flow("orders")
    order = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    large = flow.add(nodes.Filter("Body.Order.Total > 1000"))
    bill = flow.add(nodes.Compute("esql/billing.esql", module="Billing"))
    out = flow.add(nodes.MQOutput("OUT"))
    rest = flow.add(nodes.MQOutput("OUT2"))
    order.out >> large.in_
    large.true >> bill.in_
    bill.out >> out.in_
    large.false >> rest.in_
    return flow


@BATCHES
def test_a_flow_filters_and_computes(qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int) -> None:
    for total in (5, 2000, 70):
        qm.put("IN", f"<Order><Total>{total}</Total></Order>".encode(), persistent=True)
    tally = run(order_flow(tmp_path), batch=batch).tally
    assert bodies(qm, "OUT") == [b"<Order><Total>4000</Total></Order>"]
    assert bodies(qm, "OUT2") == [b"<Order><Total>5</Total></Order>", b"<Order><Total>70</Total></Order>"]
    assert tally.messages == 3


class Failing(Node):
    """Fails on every message with b"bad" in it, and counts."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: list[int] = []

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        source = assembly.invocation.source
        assert source is not None
        if b"bad" in (source.body or b""):
            self._seen.append(source.backout_count)
            raise ValueError("I do not like this one")
        at.send("out", assembly)


def failing_flow() -> tuple[Flow, Failing]:
    flow = Flow("failing")
    start, bad, out = flow.add(nodes.MQInput("IN")), flow.add(Failing()), flow.add(nodes.MQOutput("OUT"))
    start.out >> bad.in_
    bad.out >> out.in_
    return flow, bad


@BATCHES
def test_a_message_that_fails_is_tried_up_to_the_threshold_then_backed_out(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(3) BOQNAME(BACKOUT)")
    for body in (b"one", b"bad", b"two"):
        qm.put("IN", body, correl_id=b"c" * 24, persistent=True)
    flow, bad = failing_flow()
    tally = run(flow, batch=batch).tally
    assert bad._seen == [0, 1, 2]
    assert sorted(bodies(qm, "OUT")) == [b"one", b"two"]
    given_up = qm.get("BACKOUT")
    assert (given_up.body, given_up.correl_id) == (b"bad", b"c" * 24)
    assert (tally.failed, tally.given_up, tally.messages) == (3, 1, 3)


@BATCHES
def test_without_a_backout_queue_it_becomes_a_dead_letter(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    qm.put("IN", b"bad", persistent=True)
    flow, bad = failing_flow()
    run(flow, batch=batch)
    letter = qm.get("DEAD")
    assert letter.format == "MQDEAD"
    assert letter.body.endswith(b"bad")
    assert bad._seen == [0]  # BOTHRESH 0 counts as 1


@BATCHES
def test_outputs_of_a_failed_attempt_are_dropped(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(2) BOQNAME(BACKOUT)")
    flow, bad = failing_flow()
    flow.wires.clear()
    start, out = flow.nodes[0], flow.nodes[2]
    start.out >> out.in_
    out.out >> bad.in_
    qm.put("IN", b"bad", persistent=True)
    qm.put("IN", b"good", persistent=True)
    run(flow, batch=batch)
    assert bodies(qm, "OUT") == [b"good"]
    assert bodies(qm, "BACKOUT") == [b"bad"]


@BATCHES
def test_catch_gets_the_message_with_an_exception_list(qm: Any, run: Callable[..., Any], batch: int) -> None:
    flow, _ = failing_flow()
    caught: list[str] = []

    class Note(Node):
        def process(self, assembly: Assembly, at: NodeContext) -> None:
            place = next(iter(assembly.exception_list))
            caught.append(place.name)
            while place.to_last_child() and place.name.endswith("Exception"):
                caught.append(place.name)
            at.send("out", assembly)

    note, away = flow.add(Note()), flow.add(nodes.MQOutput("CAUGHT"))
    flow.nodes[0].catch >> note.in_
    note.out >> away.in_
    qm.put("IN", b"bad", persistent=True)
    run(flow, batch=batch)
    assert bodies(qm, "CAUGHT") == [b"bad"]
    assert caught == ["RecoverableException"] * 3


@BATCHES
def test_an_unknown_output_queue_reaches_the_failure_terminal(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    flow = Flow("elsewhere")
    start, out, instead = (
        flow.add(nodes.MQInput("IN")),
        flow.add(nodes.MQOutput("NOWHERE")),
        flow.add(nodes.MQOutput("FAILED")),
    )
    start.out >> out.in_
    out.failure >> instead.in_
    for _ in range(3):
        qm.put("IN", b"x", persistent=True)
    assert run(flow, batch=batch).tally.messages == 3
    assert bodies(qm, "FAILED") == [b"x"] * 3


def backed_out(qm: Any, times: int) -> None:
    qm.mqsc("DEFINE QLOCAL(IN) HARDENBO REPLACE")
    for _ in range(times):
        qm.begin()
        qm.get_many("IN", 100)
        qm.backout()


@pytest.mark.parametrize("times", [1, 4, 6, 19])
def test_a_batch_does_not_hold_it_against_messages_that_a_process_died_with_them(
    qm: Any, run: Callable[..., Any], times: int
) -> None:
    for _ in range(3):
        qm.put("IN", b"fine", persistent=True)
    backed_out(qm, times)
    flow, _ = failing_flow()
    tally = run(flow).tally
    assert bodies(qm, "OUT") == [b"fine"] * 3
    assert (tally.messages, tally.given_up) == (3, 0)


def test_a_message_that_every_process_died_with_is_led_away(qm: Any, run: Callable[..., Any]) -> None:
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    qm.put("IN", b"deadly", persistent=True)
    backed_out(qm, 21)
    flow, _ = failing_flow()
    assert run(flow).tally.given_up == 1
    assert len(bodies(qm, "DEAD")) == 1


def test_after_a_death_a_message_that_fails_is_still_led_away(qm: Any, run: Callable[..., Any]) -> None:
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    qm.put_many("IN", [b"fine", b"bad", b"fine"], persistent=True)
    backed_out(qm, 6)
    flow, _ = failing_flow()
    assert run(flow).tally.given_up == 1
    assert bodies(qm, "OUT") == [b"fine", b"fine"]
    assert len(bodies(qm, "DEAD")) == 1


class Interrupted(Node):
    """Is interrupted in the middle, as by Ctrl-C."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        raise KeyboardInterrupt


@BATCHES
def test_an_interrupt_in_the_middle_leaves_no_unit_open(qm: Any, run: Callable[..., Any], batch: int) -> None:
    flow = Flow("interrupted")
    start, out, node = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQOutput("OUT")), flow.add(Interrupted())
    start.out >> out.in_
    out.out >> node.in_
    qm.put("IN", b"x", persistent=True)
    with pytest.raises(KeyboardInterrupt):
        run(flow, batch=batch)
    qm.commit()
    assert bodies(qm, "IN") == [b"x"]
    assert bodies(qm, "OUT") == []


@BATCHES
def test_a_selector_leaves_the_other_messages(qm: Any, run: Callable[..., Any], batch: int) -> None:
    flow = Flow("reds")
    start, out = flow.add(nodes.MQInput("IN", selector="colour = 'red'")), flow.add(nodes.MQOutput("OUT"))
    start.out >> out.in_
    for colour in ("red", "blue", "red"):
        qm.put("IN", colour.encode(), properties={"colour": colour}, persistent=True)
    run(flow, batch=batch)
    assert len(bodies(qm, "OUT")) == 2
    assert bodies(qm, "IN") == [b"blue"]


@BATCHES
def test_with_automatic_a_message_that_is_not_persistent_is_not_tried_again(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    flow, bad = failing_flow()
    flow.nodes[0].transaction = "automatic"  # type: ignore[attr-defined]
    for body in (b"one", b"bad", b"two"):
        qm.put("IN", body, persistent=False)
    tally = run(flow, batch=batch).tally
    assert bad._seen == [0]
    assert bodies(qm, "OUT") == [b"one", b"two"]
    assert (tally.lost, tally.messages) == (1, 3)


@BATCHES
@pytest.mark.parametrize("place", ["FULL", "MISSING"])
def test_a_backout_queue_that_takes_nothing_leaves_the_message_to_the_dead_letter_queue(
    qm: Any, run: Callable[..., Any], place: str, batch: int
) -> None:
    qm.mqsc("DEFINE QLOCAL(FULL) PUT(DISABLED)")
    qm.mqsc(f"ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME({place})")
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    flow, _ = failing_flow()
    qm.put_many("IN", [b"bad", b"good"])
    assert run(flow, batch=batch).tally.given_up >= 1
    assert bodies(qm, "OUT") == [b"good"]
    assert [body[-3:] for body in bodies(qm, "DEAD")] == [b"bad"]


def test_a_message_that_no_place_takes_stays_and_says_why(qm: Any, run: Callable[..., Any]) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(MISSING)")
    flow, _ = failing_flow()
    qm.put("IN", b"bad")
    with pytest.raises(MQError, match="MISSING does not take it") as raised:
        run(flow)
    assert raised.value.reason == 8303
    assert bodies(qm, "IN") == [b"bad"]


@BATCHES
def test_a_message_that_no_place_takes_runs_when_its_flow_can(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    """An output queue was full for longer than the threshold lasts, and there is no dead-letter queue."""
    qm.mqsc("ALTER QLOCAL(OUT) MAXDEPTH(1)")
    flow, _ = failing_flow()
    qm.put_many("IN", [b"one", b"two", b"three"], persistent=True)
    for _ in range(3):
        with pytest.raises(MQError, match="holds 1 messages") as raised:
            run(flow, batch=batch)
        assert raised.value.reason == 8303
    assert bodies(qm, "OUT") == [b"one"]

    qm.mqsc("ALTER QLOCAL(OUT) MAXDEPTH(5)")
    tally = run(flow, batch=batch).tally

    assert bodies(qm, "OUT") == [b"two", b"three"]
    assert (tally.messages, tally.given_up) == (2, 0)


@BATCHES
def test_outputs_are_counted_one_by_one_as_in_batches(qm: Any, run: Callable[..., Any], batch: int) -> None:
    flow, _ = failing_flow()
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    qm.put_many("IN", [b"one", b"bad", b"two"], persistent=True)

    tally = run(flow, batch=batch).tally

    assert (tally.messages, tally.outputs) == (3, 3)  # the dead letter is one
