"""Reservations in the engine alone: what is seen before the disk has it, and what a replay makes of it.

The journal is a list, the disk a number, and there are no message files: a restart replays everything, or a
checkpoint's state and everything behind its start.
"""

from __future__ import annotations

from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.model.message import Message
from penstock.qmgr.batches.batch_state import Reservation
from penstock.qmgr.engine import Engine
from penstock.qmgr.restart import snapshot
from penstock.qmgr.restart.recovery import Recovery
from tests.unit.qmgr.list_journal import ListJournal, as_the_engine_sees_it

NOW = 1_700_000_000.0
FLOW = "orders"


@pytest.fixture
def engine() -> Engine:
    engine = Engine("QM1", as_the_engine_sees_it(ListJournal(1)), NOW)
    engine.make_system_objects(NOW)
    model = engine.objects.find("QUEUE", "SYSTEM.DEFAULT.LOCAL.QUEUE")
    for name in ("IN", "OUT"):
        engine.define("QLOCAL", name, dict(model.attributes), NOW)
    for number in range(6):
        engine.put_plain(
            engine.queues["IN"],
            b"%d" % number,
            None,
            bytes(24),
            True,
            0,
            Message(b"").descriptor,
            None,
            NOW,
        )
    engine.durable(engine.journal.end)
    return engine


@pytest.fixture
def epoch(engine: Engine) -> int:
    return engine.reservations.new_epoch(FLOW, NOW)


def reserve(engine: Engine, epoch: int, after: int = 0, rows: int = 4) -> dict[str, Any]:
    return engine.reservations.reserve(FLOW, "IN", after, rows, 0, epoch, NOW)


def prepare(engine: Engine, epoch: int, *bodies: bytes, n: int = 1, slice: int = 0, **parts: Any) -> None:
    outputs = [("OUT", Message(body, persistent=True)) for body in bodies]
    engine.reservations.prepare_outputs(FLOW, n, slice, 0, outputs, epoch, NOW, **parts)


def seen(engine: Engine, name: str) -> list[bytes | None]:
    return [message.body for message in engine.queues[name].messages() if message.state == 0]


def restart(engine: Engine, state: bytes | None = None, start: int = 1, times: int = 1) -> Engine:
    """Replay the journal into a new engine; `times` tells every record again, as a late start would."""
    again = Engine("QM1", ListJournal(engine.journal.end), NOW)
    recovery = Recovery(again)
    if state is not None:
        recovery.restore(state, start, NOW)
    for _ in range(times):
        for kind, payload in engine.journal.records[start - engine.journal.first :]:
            recovery.apply(kind, memoryview(payload))
    recovery.finish(NOW)
    return again


def test_a_commit_is_seen_when_the_disk_has_it(engine: Engine, epoch: int) -> None:
    reserve(engine, epoch)
    prepare(engine, epoch, b"a", b"b")
    engine.reservations.commit(FLOW, 1, {0: 0}, epoch, NOW)

    assert seen(engine, "OUT") == []
    assert engine.step.position == engine.journal.end
    engine.durable(engine.journal.end)

    assert seen(engine, "OUT") == [b"a", b"b"]
    assert (engine.queues["IN"].uncommitted, engine.queues["OUT"].uncommitted) == (0, 0)
    assert (engine.queues["IN"].depth, engine.queues["OUT"].depth) == (2, 2)


@pytest.mark.parametrize("verb", ["recorded", "commit", "read", "reserve"])
def test_nobody_is_told_of_a_commit_before_the_disk_has_it(engine: Engine, epoch: int, verb: str) -> None:
    reserve(engine, epoch)
    engine.reservations.commit(FLOW, 1, {}, epoch, NOW)
    position = engine.step.end()
    engine.step.begin()

    if verb == "recorded":
        assert engine.reservations.recorded(FLOW) == 1
    elif verb == "commit":
        engine.reservations.commit(FLOW, 1, {}, epoch, NOW)
    elif verb == "read":
        assert engine.reservations.read_slice(FLOW, 1, 0, 1, epoch) == []
    else:
        assert reserve(engine, epoch, after=1)["n"] == 2

    assert engine.step.end() >= position


def test_each_step_is_one_record_of_the_journal(engine: Engine, epoch: int) -> None:
    before = engine.journal.end
    reserve(engine, epoch)
    assert engine.journal.end == before + 1
    prepare(engine, epoch, b"a", b"b")
    assert engine.journal.end == before + 4  # two outputs, and the seal
    engine.reservations.commit(FLOW, 1, {0: 0}, epoch, NOW)
    assert engine.journal.end == before + 5


@pytest.mark.parametrize("times", [1, 2])
def test_a_replay_leads_to_the_same_flows_and_queues(engine: Engine, epoch: int, times: int) -> None:
    reserve(engine, epoch)
    prepare(engine, epoch, b"lost", slice=1)
    prepare(engine, epoch, b"a", b"b")
    engine.reservations.commit(FLOW, 1, {0: 0}, epoch, NOW)
    engine.durable(engine.journal.end)
    reserve(engine, epoch, after=1, rows=1)
    prepare(engine, epoch, b"c", n=2)

    again = restart(engine, times=times)

    assert again.reservations.listing() == engine.reservations.listing()
    assert seen(again, "IN") == seen(engine, "IN") == [b"5"]
    assert seen(again, "OUT") == seen(engine, "OUT") == [b"a", b"b"]
    assert again.queues["IN"].uncommitted == 1
    again.reservations.commit(FLOW, 2, {0: 0}, epoch, NOW)
    again.durable(again.journal.end)
    assert seen(again, "OUT") == [b"a", b"b", b"c"]


def test_a_checkpoint_during_a_commit_leaves_it_to_the_journal(engine: Engine, epoch: int) -> None:
    """The commit record is not on disk yet: the state is that of before, and replay begins before it."""
    reserve(engine, epoch)
    prepare(engine, epoch, b"a")
    engine.reservations.commit(FLOW, 1, {0: 0}, epoch, NOW)
    reserve(engine, epoch, after=1)

    state = engine.reservations.state()["flows"][0]
    assert (state["recorded"], state["outstanding"]["n"]) == (0, 1)

    taken = snapshot.take(engine)
    again = restart(engine, taken.pack(lambda: None), taken.start)
    assert again.reservations.recorded(FLOW) == 1
    assert again.reservations.listing()[0].n == 2
    assert seen(again, "OUT") == [b"a"]


def test_outputs_that_were_not_sealed_are_gone_after_a_restart(engine: Engine, epoch: int) -> None:
    reserve(engine, epoch)
    prepare(engine, epoch, b"sealed")
    prepare(engine, epoch, b"half", more=True)

    again = restart(engine)

    again.reservations.commit(FLOW, 1, {0: 0}, epoch, NOW)
    again.durable(again.journal.end)
    assert seen(again, "OUT") == [b"sealed"]


def test_parts_must_follow_one_another(engine: Engine, epoch: int) -> None:
    reserve(engine, epoch)
    prepare(engine, epoch, b"a", more=True)
    with pytest.raises(MQError) as caught:
        prepare(engine, epoch, b"c", start=2)
    assert caught.value.reason == 8032

    prepare(engine, epoch, b"b", start=1)
    engine.reservations.commit(FLOW, 1, {0: 0}, epoch, NOW)
    engine.durable(engine.journal.end)
    assert seen(engine, "OUT") == [b"a", b"b"]


def test_a_part_that_is_not_the_last_cannot_win(engine: Engine, epoch: int) -> None:
    reserve(engine, epoch)
    prepare(engine, epoch, b"a", more=True)
    with pytest.raises(MQError) as caught:
        engine.reservations.commit(FLOW, 1, {0: 0}, epoch, NOW)
    assert caught.value.reason == 8030


def test_the_log_is_pinned_until_prepared_outputs_are_in_message_files(engine: Engine, epoch: int) -> None:
    reserve(engine, epoch)
    before = engine.journal.end
    prepare(engine, epoch, b"a")
    assert engine.reservations.starts() == [before]
    ((message, queue_id, unit),) = engine.reservations.unsaved()
    assert (message.body, queue_id) == (b"a", engine.queues["OUT"].id)
    assert unit < 0

    message.location = 1

    assert engine.reservations.starts() == engine.reservations.unsaved() == []


def test_a_loser_in_a_message_file_is_discarded(engine: Engine, epoch: int) -> None:
    reserve(engine, epoch)
    prepare(engine, epoch, b"loser", slice=1)
    prepare(engine, epoch, b"winner")
    engine.reservations.unsaved()[0][0].location = 77

    engine.reservations.commit(FLOW, 1, {0: 0}, epoch, NOW)

    assert engine.wishes.discards == [77]


def test_a_slice_is_cut_between_groups_and_by_original_positions() -> None:
    messages: list[Message | None] = [Message(b"%d" % place) for place in range(6)]
    held = Reservation(1, 1, "IN", [1] * 6, [1, 2], NOW, messages)
    held.entries[4] = None  # lost with the process

    cut = [[message.body for message in held.slice(number, 2)] for number in range(2)]

    assert cut == [[b"0", b"1", b"2", b"3"], [b"5"]]
