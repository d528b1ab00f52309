"""A queue deeper than its buffer: messages on disk have no object in memory, and every verb finds them.

Somebody else spills after each read, before the call that it was for has looked: what it needs stays until
it has.
"""

from __future__ import annotations

import threading

import pytest

import penstock
from penstock import Get, MQError
from penstock.host import checkpointing
from penstock.qmgr.deep.window import SAME_ID_MAX, WINDOW_MESSAGES
from tests.conformance.mqi.reservation_steps import FLOW, read_all

COUNT = 1500  # several windows
BODIES = [b"%06d" % number * 5 for number in range(COUNT)]
SAME = b"s" * 24


@pytest.fixture
def deep(embed, monkeypatch):
    """A queue manager with tiny buffers, whose queue Q nearly all lies on disk, and with an eager spiller."""
    qm = embed(default_q_buffer_size=4096, default_pq_buffer_size=4096)
    qm.mqsc("DEFINE QLOCAL(Q) MSGDLVSQ(PRIORITY)\nDEFINE QLOCAL(R)", check=True)
    bring_in = checkpointing.bring_in

    def bring_in_and_spill(host, window):
        bring_in(host, window)
        checkpointing.spill(host)

    monkeypatch.setattr(checkpointing, "bring_in", bring_in_and_spill)
    return qm


def fill(qm, persistent: bool = False, **details) -> list[bytes]:
    """Put the messages; return their ids."""
    with qm.unit_of_work():
        found = [
            qm.put("Q", body, persistent=persistent, correl_id=b"%024d" % number, **details).msg_id
            for number, body in enumerate(BODIES)
        ]
    pack(qm)
    return found


def pack(qm) -> None:
    checkpointing.spill(qm.host)
    assert in_memory(qm) < 400


def in_memory(qm) -> int:
    queue = qm.engine.queues["Q"]
    assert queue.spilled >= queue.packed
    return int(queue.depth - queue.packed)


def bodies(messages) -> list[bytes]:
    return [message.body for message in messages]


@pytest.mark.parametrize("persistent", [False, True])
def test_they_come_in_order_and_leave_nothing(deep, persistent) -> None:
    fill(deep, persistent)

    assert bodies(deep.get_many("Q", COUNT)) == BODIES
    queue = deep.engine.queues["Q"]
    assert (queue.depth, queue.packed, queue.spilled, queue.spilled_bytes, queue.memory_bytes) == (
        0,
        0,
        0,
        0,
        0,
    )
    assert all(lane.oldest is None and not lane.blocks for lane in queue.lanes)


def test_what_was_put_later_comes_later(deep) -> None:
    fill(deep)
    deep.put("Q", b"last")
    got = [deep.get("Q").body for _ in range(COUNT + 1)]

    assert got == [*BODIES, b"last"]


def test_a_get_reads_a_window_only(deep) -> None:
    fill(deep)
    before = in_memory(deep)
    deep.get("Q", correl_id=b"%024d" % 1000)

    assert in_memory(deep) <= before + WINDOW_MESSAGES


@pytest.mark.parametrize("number", [700, 0, COUNT - 1])
def test_by_each_id(deep, number) -> None:
    ids = fill(deep)

    assert deep.get("Q", msg_id=ids[number]).body == BODIES[number]
    assert deep.get("Q", msg_id=ids[number]) is None
    assert (
        deep.get("Q", correl_id=b"%024d" % (number - 1 if number else 1)).body
        == BODIES[number - 1 if number else 1]
    )
    assert deep.get("Q", correl_id=b"%024d" % COUNT) is None


def test_the_first_of_many_with_one_id(deep) -> None:
    ids = []
    for number, body in enumerate(BODIES):
        ids.append(deep.put("Q", body, correl_id=SAME if number % 2 else None).msg_id)
    pack(deep)
    odd = BODIES[1::2]

    assert [deep.get("Q", correl_id=SAME).body for _ in range(100)] == odd[:100]
    assert deep.get("Q", correl_id=SAME, msg_id=ids[1401]).body == BODIES[1401]


def test_an_id_and_more_that_few_of_many_have(deep) -> None:
    for number, body in enumerate(BODIES):
        deep.put("Q", body, correl_id=SAME, properties={"n": number})
    pack(deep)

    assert SAME_ID_MAX < 1400
    assert deep.get("Q", correl_id=SAME, selector="n = 1400").body == BODIES[1400]
    assert deep.get("Q", selector="n = 1400") is None
    assert deep.get("Q", selector="n = 1401").body == BODIES[1401]


def test_a_higher_priority_overtakes(deep) -> None:
    fill(deep, priority=3)
    for number in range(COUNT):
        deep.put("Q", b"%05d" % number * 20, priority=7, correl_id=SAME)
    pack(deep)

    assert deep.get("Q", correl_id=SAME).body == b"00000" * 20
    assert deep.get("Q").body == b"00001" * 20
    assert deep.get("Q", correl_id=b"%024d" % 5).body == BODIES[5]


@pytest.mark.parametrize("mode", [{}, {"selector": "n > 3"}])
def test_a_browse_sees_all_and_fills_no_memory(deep, mode) -> None:
    for number, body in enumerate(BODIES):
        deep.put("Q", body, properties={"n": number})
    pack(deep)

    assert bodies(deep.browse("Q", **mode)) == BODIES[4 if mode else 0 :]
    checkpointing.spill(deep.host)
    assert in_memory(deep) <= 2 * WINDOW_MESSAGES


def test_the_message_under_the_cursor_is_found_again(deep) -> None:
    fill(deep)
    with deep.open("Q") as handle:
        for _ in range(700):
            handle.get(options=Get.BROWSE_NEXT)
        handle_cursor = next(iter(deep.connection.handles.values())).cursor
        handle_cursor.window = None
        assert bodies(deep.browse("Q")) == BODIES  # others read past it
        pack(deep)
        assert handle_cursor.message.queue is None  # its object is not on the queue any more
        assert handle.get(options=Get.BROWSE_UNDER_CURSOR).body == BODIES[699]
        assert handle.get(options=Get.UNDER_CURSOR).body == BODIES[699]
        assert handle.get(options=Get.BROWSE_NEXT).body == BODIES[700]


def test_a_cursor_goes_on_where_its_message_was_got(deep) -> None:
    fill(deep)
    with deep.open("Q") as handle:
        for _ in range(700):
            handle.get(options=Get.BROWSE_NEXT)
        for number in (698, 699, 700):
            deep.get("Q", correl_id=b"%024d" % number)
        pack(deep)
        with pytest.raises(MQError) as refused:
            handle.get(options=Get.BROWSE_UNDER_CURSOR)
        assert refused.value.reason == 2034
        assert handle.get(options=Get.BROWSE_NEXT).body == BODIES[701]


def test_peek_both_ways(deep) -> None:
    fill(deep)
    rows = deep.peek("Q", count=COUNT)
    assert [row.message.body for row in rows] == BODIES
    middle = rows[800]
    backwards = deep.peek("Q", after=(middle.lane, middle.place), count=300, backwards=True)

    assert [row.message.body for row in backwards] == BODIES[799:499:-1]
    assert deep.engine.queues["Q"].depth == COUNT


def test_a_unit_holds_and_returns_them(deep) -> None:
    fill(deep, persistent=True)
    deep.begin()
    assert bodies([deep.get("Q") for _ in range(300)]) == BODIES[:300]
    assert deep.get("Q", correl_id=b"%024d" % 900).body == BODIES[900]
    checkpointing.spill(deep.host)
    deep.backout()
    checkpointing.spill(deep.host)

    got = deep.get_many("Q", COUNT)
    assert bodies(got) == BODIES
    assert [m.backout_count for m in got] == [1 if n < 300 or n == 900 else 0 for n in range(COUNT)]


@pytest.mark.parametrize("clean", [True, False])
def test_a_restart_finds_them_without_objects(deep, clean) -> None:
    fill(deep, persistent=True)
    deep.checkpoint()
    for number in (3, 700):
        deep.get("Q", correl_id=b"%024d" % number)
    deep.begin()
    assert deep.get("Q", correl_id=b"%024d" % 800).body == BODIES[800]
    deep.backout()
    deep.begin()
    deep.get("Q", correl_id=b"%024d" % 801)
    deep.prepare("x1")
    left = [n for n in range(COUNT) if n not in (3, 700, 801)]
    if clean:
        deep.close()
    else:
        deep.host.abandon()

    with penstock.embed("QM1") as again:
        assert in_memory(again) < 10
        assert again.engine.queues["Q"].depth == len(left)
        again.backout_prepared("x1")
        got = again.get_many("Q", COUNT)
        assert bodies(got) == [body for n, body in enumerate(BODIES) if n not in (3, 700)]
        assert [n for n, m in enumerate(got) if m.backout_count] == [798, 799]


def test_clear_reads_nothing(deep, monkeypatch) -> None:
    fill(deep, persistent=True)
    monkeypatch.setattr(checkpointing, "bring_in", None)
    deep.mqsc("CLEAR QLOCAL(Q)", check=True)

    queue = deep.engine.queues["Q"]
    assert (queue.depth, queue.packed, queue.spilled, queue.spilled_bytes) == (0, 0, 0, 0)
    deep.put("Q", b"next")
    assert deep.get("Q").body == b"next"
    assert deep.get("Q") is None


def test_messages_in_mostly_dead_files_move(deep) -> None:
    deep.host.files.file_bytes = 20_000
    fill(deep, persistent=True)
    deep.checkpoint()
    for number in range(COUNT):
        if number % 10:
            deep.get("Q", correl_id=b"%024d" % number)
    for _ in range(12):
        deep.checkpoint()

    assert bodies(deep.browse("Q")) == BODIES[::10]
    assert len(list(deep.host.folder.queues.glob("*.DAT"))) < 12


def test_a_batch_reserves_across_windows(deep) -> None:
    fill(deep, persistent=True)
    epoch = deep.batches.new_epoch(FLOW)
    made = deep.batches.reserve(FLOW, "Q", after=0, epoch=epoch)

    assert made["rows"] == COUNT
    assert read_all(deep, 1, epoch, slices=1) == BODIES
    deep.batches.release(FLOW, epoch=epoch)
    assert bodies(deep.get_many("Q", COUNT)) == BODIES


def test_a_batch_takes_by_id_what_lies_on_disk(deep) -> None:
    deep.put("R", b"input", persistent=True)
    for body in BODIES:
        deep.put("Q", body, correl_id=SAME, persistent=True)
    pack(deep)
    epoch = deep.batches.new_epoch(FLOW)
    deep.batches.reserve(FLOW, "R", after=0, epoch=epoch)
    found = deep.batches.look(FLOW, 1, "Q", epoch=epoch, correl_id=SAME)

    assert [message.body for _, message in found] == BODIES


def test_readers_of_an_extent_see_all(deep) -> None:
    fill(deep, persistent=True)
    extent = deep.batches.extent("Q")
    found, after = [], (9, 0)
    places = {name: extent[name] for name in ("started", "first", "last")}
    while piece := deep.batches.read_extent("Q", **places, after=after):
        found += [message.body for _, _, message, *_ in piece]
        after = piece[-1][:2]

    assert found == BODIES


def test_getters_in_several_threads_get_each_once(deep) -> None:
    fill(deep)
    got: list[bytes] = []

    def work() -> None:
        while (message := deep.get("Q")) is not None:
            got.append(message.body)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(got) == BODIES


@pytest.mark.parametrize("persistent", [False, True])
def test_messages_without_a_body_go_to_disk_too(deep, persistent) -> None:
    with deep.unit_of_work():
        for number in range(COUNT):
            deep.put("Q", b"", persistent=persistent, correl_id=b"%024d" % number)
    pack(deep)

    assert deep.get("Q", correl_id=b"%024d" % (COUNT - 1)).body == b""
    assert bodies(deep.get_many("Q", COUNT)) == [b""] * (COUNT - 1)
