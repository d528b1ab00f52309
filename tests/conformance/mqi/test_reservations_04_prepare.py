"""Clause: outputs are prepared under (slice, attempt), durable and invisible, and cost a queue nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import penstock
from tests.conformance.mqi.reservation_steps import FLOW, bodies, define_queues, depth, put_numbers, work


@pytest.fixture
def epoch(qm: penstock.QueueManager) -> int:
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 4)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)
    return epoch


def prepare(qm: penstock.QueueManager, epoch: int, *outputs: Any, slice: int = 0, attempt: Any = 0) -> None:
    qm.batches.prepare_outputs(FLOW, 1, slice, attempt, outputs, epoch=epoch)


def test_prepared_outputs_are_invisible_and_count_in_no_depth(qm: penstock.QueueManager, epoch: int) -> None:
    prepare(qm, epoch, ("OUT", b"a"), ("OUT", b"b"))

    assert bodies(qm, "OUT") == []
    assert qm.get("OUT") is None
    assert depth(qm, "OUT") == 0
    assert qm.batches.listing()[0].prepared == 1


def test_the_same_attempt_replaces_what_it_prepared(qm: penstock.QueueManager, epoch: int) -> None:
    prepare(qm, epoch, ("OUT", b"first try"), ("OUT", b"first try too"))
    prepare(qm, epoch, ("OUT", b"second try"))

    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)

    assert bodies(qm, "OUT") == [b"second try"]


def test_outputs_do_not_count_against_maxumsgs(
    qm: penstock.QueueManager, epoch: int, run: Callable[[str], None]
) -> None:
    run("ALTER QMGR MAXUMSGS(2)")
    prepare(qm, epoch, *[("OUT", b"%d" % number) for number in range(10)])

    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)

    assert depth(qm, "OUT") == 10


def test_an_output_has_what_a_put_gives_a_message(qm: penstock.QueueManager, epoch: int) -> None:
    prepare(qm, epoch, qm.batches.output("OUT", "text", correl_id=b"c", priority=7, properties={"size": 3}))
    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)

    message = qm.get("OUT")

    assert message.persistent
    assert (message.body, message.format, message.priority) == (b"text", "MQSTR", 7)
    assert message.correl_id == b"c".ljust(24, b"\0")
    assert message.msg_id != bytes(24)
    assert message.properties == {"size": 3}


def test_a_message_that_was_read_can_be_passed_on_as_it_is(qm: penstock.QueueManager, epoch: int) -> None:
    messages = qm.batches.read_slice(FLOW, 1, 0, 1, epoch=epoch)
    prepare(qm, epoch, *[("OUT", message) for message in messages])
    prepare(qm, epoch, *[("OUT", message) for message in messages])

    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)

    assert [message.msg_id for message in qm.browse("OUT")] == [message.msg_id for message in messages]
    assert bodies(qm, "IN") == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("ALTER QLOCAL(OUT) PUT(DISABLED)", 2051),
        ("ALTER QLOCAL(OUT) MAXMSGL(3)", 2030),
        ("DELETE QLOCAL(OUT)", 2085),
    ],
)
def test_what_a_put_would_refuse_is_refused_and_leaves_what_was_there(
    qm: penstock.QueueManager,
    epoch: int,
    run: Callable[[str], None],
    fails: Callable[[int], Any],
    change: str,
    reason: int,
) -> None:
    define_queues(qm, "KEPT")
    prepare(qm, epoch, ("KEPT", b"kept"))
    run(change)

    with fails(reason):
        prepare(qm, epoch, ("KEPT", b"new"), ("OUT", b"too long"))

    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)
    assert bodies(qm, "KEPT") == [b"kept"]


def test_a_full_queue_is_no_matter_before_the_commit(
    qm: penstock.QueueManager, epoch: int, run: Callable[[str], None]
) -> None:
    run("ALTER QLOCAL(OUT) MAXDEPTH(1)")
    qm.put("OUT", b"there")
    prepare(qm, epoch, ("OUT", b"a"))

    assert (bodies(qm, "OUT"), qm.batches.listing()[0].prepared) == ([b"there"], 1)
    assert qm.get("OUT").body == b"there"
    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)
    assert bodies(qm, "OUT") == [b"a"]


def test_a_queue_with_prepared_outputs_can_neither_be_cleared_nor_deleted(
    qm: penstock.QueueManager, epoch: int
) -> None:
    prepare(qm, epoch, ("OUT", b"a"))
    for command in ("DELETE QLOCAL(OUT)", "CLEAR QLOCAL(OUT)"):
        (reply,) = qm.mqsc(command)
        assert reply.reason == 2042, reply.text


def test_a_late_attempt_at_a_recorded_batch_is_ignored(qm: penstock.QueueManager, epoch: int) -> None:
    qm.batches.commit(FLOW, 1, work(qm, 1, epoch), epoch=epoch)
    before = bodies(qm, "OUT")

    prepare(qm, epoch, ("OUT", b"speculation"), attempt=9)
    qm.batches.commit(FLOW, 1, {0: 9}, epoch=epoch)

    assert bodies(qm, "OUT") == before
    assert qm.batches.listing()[0].prepared == 0


def test_outputs_may_come_in_parts(
    qm: penstock.QueueManager, epoch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.host.batches.PART_MESSAGES", 3)
    sent = [b"%d" % number for number in range(10)]
    prepare(qm, epoch, *[("OUT", body) for body in sent])

    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)

    assert bodies(qm, "OUT") == sent


def test_outputs_may_be_larger_than_the_log(qm: penstock.QueueManager, epoch: int) -> None:
    sent = [b"%d" % number * 1024 for number in range(1000, 2000)]
    prepare(qm, epoch, *[("OUT", body) for body in sent])

    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)

    assert bodies(qm, "OUT") == sent


def test_an_alias_leads_an_output_to_its_queue(
    qm: penstock.QueueManager, epoch: int, run: Callable[[str], None]
) -> None:
    run("DEFINE QALIAS(OUT.ALIAS) TARGET(OUT)")
    prepare(qm, epoch, ("OUT.ALIAS", b"a"))
    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)
    assert bodies(qm, "OUT") == [b"a"]


def test_an_output_for_another_queue_manager_gets_its_transmission_header(
    qm: penstock.QueueManager, epoch: int, run: Callable[[str], None]
) -> None:
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    run("DEFINE QREMOTE(AWAY) RNAME(THERE) RQMNAME(QM2)")
    prepare(qm, epoch, ("AWAY", b"abroad"))
    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)

    message = qm.get("QM2")

    assert message.format == "MQXMIT"
    assert message.body.startswith(b"XQH ")
    assert message.body.endswith(b"abroad")
