"""Both ends of a message channel, frame by frame, on real engines with a journal in memory."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.channel import frames
from penstock.channel.counts import Counts
from penstock.channel.line import Frame
from penstock.channel.memory import Memory
from penstock.channel.receiver import Receiver, Receiving
from penstock.channel.running_links import LINKS_REMEMBERED_MAX, Running
from penstock.channel.sender import Sender, Sending
from penstock.channel.terms import Terms
from penstock.model.errors import error
from penstock.model.message import Message
from penstock.protocol import numbers as protocol
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.delivery import Delivery
from penstock.qmgr.channels.sync_book import RECEIVER, SENDER, SyncRecord
from penstock.qmgr.clusters.cluster_names import key_of
from penstock.qmgr.engine import Engine
from penstock.qmgr.names.name_resolution import Route
from penstock.qmgr.waiters import Match
from tests.simulation.channels import SimJournal

NOW = 1_800_000_000.0
CHANNEL = "QMA.QMB"


class Wire:
    """Keeps what an end sends, until the test hands it on."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.ended = False
        self.failure: Any = None
        self.unread: list[Message] = []

    def send(self, frame: Frame) -> None:
        self.frames.append(frame)

    def load(self, messages: list[Message]) -> None:
        self.unread = messages

    def full(self) -> bool:
        return False

    def end(self, failure: Any) -> None:
        self.ended, self.failure = True, failure

    def take(self) -> list[Frame]:
        taken, self.frames = self.frames, []
        return taken


def engine_of(name: str) -> Engine:
    engine = Engine(name, SimJournal(), NOW)
    engine.make_system_objects(NOW)
    engine.incarnation = f"{name}-1"
    for queue, usage in (("T", "NORMAL"), ("DLQ", "NORMAL"), ("QMB", "XMITQ")):
        engine.define("QLOCAL", queue, {**defaults("QLOCAL"), "USAGE": usage}, NOW)
    remote = {"RNAME": "T", "RQMNAME": "QMB", "XMITQ": "QMB"}
    engine.define("QREMOTE", "R", {**defaults("QREMOTE"), **remote}, NOW)
    engine.alter(engine.definition, {"DEADQ": "DLQ"}, NOW)
    sync(engine)
    return engine


def sync(engine: Engine) -> None:
    engine.journal.durable = engine.journal.end
    engine.durable(engine.journal.end)


class Pair:
    """A sending and a receiving queue manager, and the link of the moment."""

    def __init__(self, **offer: Any) -> None:
        self.terms = Terms(**{"fast": False, **offer})
        self.source, self.target = engine_of("QMA"), engine_of("QMB")
        self.memory, self.running, self.counts = Memory(), Running(1), Counts()
        self.options: dict[str, Any] = {}
        self.link()

    def link(self, **options: Any) -> None:
        self.forth, self.back = Wire(), Wire()
        sending = Sending(CHANNEL, "QMB", self.terms, **options)
        self.sender = Sender(self.source, sending, self.forth, self.memory, self.counts)
        receiving = Receiving(CHANNEL, self.terms, **self.options)
        self.receiver = Receiver(self.target, receiving, self.back, self.running)
        self.sender.start()

    def put(self, *bodies: bytes, persistent: bool = True, **fields: Any) -> None:
        for body in bodies:
            message = Message(body, self.source.ids.next(), persistent=persistent, put_time=NOW, **fields)
            self.source.put_message(self.source.resolve("R"), message, None, NOW)
        sync(self.source)

    def to_target(self) -> list[int]:
        taken = self.forth.take()
        for frame in taken:
            self.receiver.on_frame(frame, NOW)
        return [frame.kind for frame in taken]

    def to_source(self) -> list[int]:
        taken = self.back.take()
        for frame in taken:
            self.sender.on_frame(frame, NOW)
        return [frame.kind for frame in taken]

    def settle(self) -> None:
        for _ in range(50):
            sync(self.source)
            sync(self.target)
            self.to_target()
            self.to_source()
            self.sender.pump(NOW)

    def start(self) -> None:
        self.to_target()
        sync(self.target)
        self.to_source()

    def arrived(self, queue: str = "T") -> list[bytes]:
        return [bytes(message.body) for message in self.target.queues[queue].messages()]

    def left(self) -> int:
        return int(self.source.queues["QMB"].depth)


def test_a_channel_runs_after_one_round_trip() -> None:
    pair = Pair()
    assert pair.to_target() == [protocol.HELLO]
    assert pair.back.frames == []  # until its synch records are on disk
    sync(pair.target)
    assert pair.to_source() == [protocol.WELCOME]
    assert (pair.sender.state, pair.receiver.state) == ("RUNNING", "RUNNING")


def test_the_steps_of_a_batch() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1", b"2")
    pair.sender.pump(NOW)
    assert pair.to_target() == [protocol.MOVE]  # both are in it
    assert len(batches.in_doubt(pair.source, CHANNEL)) == 1
    assert pair.forth.frames == []  # PREPARE is not on disk
    sync(pair.source)
    assert pair.to_target() == [protocol.CONFIRM]
    assert pair.back.frames == []  # COMMIT is not on disk
    assert pair.arrived() == []
    sync(pair.target)
    assert pair.arrived() == [b"1", b"2"]
    assert pair.to_source() == [protocol.CONFIRMED]
    assert pair.left() == 0
    assert batches.in_doubt(pair.source, CHANNEL) == []
    last = pair.source.sync_book.find(SENDER, CHANNEL, str(pair.target.definition.attributes["QMID"]))
    other = pair.target.sync_book.find(RECEIVER, CHANNEL, str(pair.source.definition.attributes["QMID"]))
    assert (last.luwid, last.seq) == (other.luwid, other.seq)
    assert last.seq == 2


def test_a_full_disk_ends_the_link_and_everything_comes_once_there_is_room() -> None:
    def full(length: int) -> None:
        raise error(2056, "less than 64 MB are free")

    pair = Pair()
    pair.options = {"check_room": full}
    pair.link()
    pair.start()
    pair.put(b"1", b"2")
    pair.sender.pump(NOW)
    pair.settle()
    assert (pair.forth.failure.reason, pair.back.failure.reason) == (2056, 2056)
    assert "64 MB" in str(pair.forth.failure)
    assert pair.arrived() == []
    pair.options = {}
    pair.link()
    pair.settle()
    assert (pair.arrived(), pair.left()) == ([b"1", b"2"], 0)


def test_a_batch_ends_at_its_size_at_its_bytes_and_on_an_empty_queue() -> None:
    pair = Pair(batch_size=2, window=16)
    pair.link(batch_bytes_max=100)
    pair.start()
    pair.put(b"1", b"2", b"3", b"x" * 200, b"5")
    pair.sender.pump(NOW)
    assert [(batch.first, batch.last) for _, batch in pair.sender.waiting] == [(1, 2), (3, 4), (5, 5)]


def test_batchint_keeps_a_batch_open_and_time_ends_it() -> None:
    pair = Pair()
    pair.link(batch_interval=2.0)
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW)
    pair.put(b"2")
    pair.sender.pump(NOW + 1)
    assert not pair.sender.waiting
    pair.sender.pump(NOW + 2)
    assert [(batch.first, batch.last) for _, batch in pair.sender.waiting] == [(1, 2)]


def test_batchhb_asks_a_silent_partner_before_a_batch_is_in_doubt() -> None:
    pair = Pair()
    pair.link(batch_heartbeat=5.0)
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW + 6)
    assert pair.to_target() == [protocol.MOVE, protocol.HEARTBEAT]
    assert batches.in_doubt(pair.source, CHANNEL) == []
    pair.to_source()
    pair.settle()
    assert pair.arrived() == [b"1"]


def test_batchhb_backs_out_when_nobody_answers() -> None:
    pair = Pair()
    pair.link(batch_heartbeat=5.0)
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW + 6)
    pair.sender.pump(NOW + 10)
    assert not pair.forth.ended
    pair.sender.pump(NOW + 12)
    assert pair.forth.failure.reason == 2009
    assert batches.in_doubt(pair.source, CHANNEL) == []
    assert pair.left() == 1


@pytest.mark.parametrize("window", [1, 3])
def test_no_more_batches_than_the_window_are_in_doubt(window: int) -> None:
    pair = Pair(batch_size=1, window=window)
    pair.start()
    pair.put(*(b"%d" % n for n in range(10)))
    pair.sender.pump(NOW)
    assert len(pair.sender.waiting) == window
    pair.settle()
    assert pair.arrived() == [b"%d" % n for n in range(10)]


def test_numbers_wrap() -> None:
    pair = Pair(wrap=100, batch_size=30)
    pair.start()
    pair.put(*(b"%03d" % n for n in range(250)))
    pair.settle()
    assert pair.arrived() == [b"%03d" % n for n in range(250)]
    assert pair.sender.sequence == 50


def test_a_lost_link_backs_out_what_was_not_prepared() -> None:
    pair = Pair()
    pair.link(batch_interval=100.0)
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW)
    pair.sender.lost(NOW)
    assert pair.left() == 1
    (message,) = pair.source.queues["QMB"].messages()
    assert message.backout_count == 0


@pytest.mark.parametrize("reached", [True, False])
def test_a_new_link_decides_what_the_old_one_left_in_doubt(reached: bool) -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW)
    pair.to_target()
    sync(pair.source)
    if reached:
        pair.to_target()
        sync(pair.target)
    pair.sender.lost(NOW)
    pair.link()
    pair.settle()
    assert pair.arrived() == [b"1"]
    assert (pair.left(), batches.in_doubt(pair.source, CHANNEL)) == (0, [])


def test_a_new_link_ends_the_old_one_and_its_unread_frames() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW)
    pair.to_target()
    sync(pair.source)
    old, unread = pair.receiver, pair.forth.take()
    assert [frame.kind for frame in unread] == [protocol.CONFIRM]
    pair.sender.lost(NOW)
    pair.link()
    pair.to_target()
    old.on_frame(unread[0], NOW)
    pair.settle()
    assert old.state == "ENDED"
    assert pair.arrived() == [b"1"]


def test_fast_messages_go_at_once_and_outside_batches() -> None:
    pair = Pair(fast=True)
    pair.start()
    pair.put(b"1", b"2", persistent=False)
    pair.sender.pump(NOW)
    pair.to_target()
    assert pair.arrived() == [b"1", b"2"]
    assert not pair.sender.waiting
    assert pair.memory.kept == 2
    pair.sender.ask(NOW)
    pair.settle()
    assert not pair.memory.kept


@pytest.mark.parametrize("persistent", [False, True])
def test_a_cluster_channel_takes_only_its_own_messages_in_order(persistent: bool) -> None:
    pair = Pair(fast=True, batch_size=4)
    queue = pair.source.queues["QMB"]
    for number in range(20):
        channel = "OTHER" if number % 3 == 0 else CHANNEL
        route = Route(queue, "T", "QMB", None, remote=True, channel=channel, key=key_of(channel))
        message = Message(b"%d" % number, pair.source.ids.next(), persistent=persistent, put_time=NOW)
        pair.source.put_message(route, message, None, NOW)
    pair.link(match=Match(correl_id=key_of(CHANNEL)))
    pair.start()
    pair.settle()
    assert pair.arrived() == [b"%d" % number for number in range(20) if number % 3]
    assert pair.left() == 7


def test_large_fast_messages_behind_an_unanswered_heartbeat_are_asked_for_again() -> None:
    pair = Pair(fast=True)
    pair.start()
    pair.put(bytes(300_000), persistent=False)
    pair.sender.pump(NOW)  # asks for a count: a quarter of what is kept
    pair.put(bytes(2_000_000), b"last", persistent=False)
    pair.sender.pump(NOW)
    assert pair.memory.full
    for _ in range(2):
        pair.to_target()
        pair.to_source()
    pair.to_target()
    assert pair.arrived()[-1] == b"last"


def test_normal_speed_keeps_non_persistent_messages_in_the_batch() -> None:
    pair = Pair(fast=False)
    pair.start()
    pair.put(b"1", persistent=False)
    pair.sender.pump(NOW)
    pair.to_target()
    assert pair.arrived() == []
    pair.settle()
    assert pair.arrived() == [b"1"]


def test_a_broken_line_loses_no_fast_message_even_if_the_next_greeting_is_lost_too() -> None:
    pair = Pair(fast=True)
    pair.start()
    for body in (b"1", b"2", b"3"):
        pair.put(body, persistent=False)
        pair.sender.pump(NOW)
    first, *_ = pair.forth.take()
    pair.receiver.on_frame(first, NOW)
    pair.sender.lost(NOW)
    pair.link()
    pair.to_target()
    sync(pair.target)
    pair.sender.lost(NOW)  # WELCOME never arrives
    pair.link()
    pair.settle()
    assert pair.arrived() == [b"1", b"2", b"3"]


def test_a_greeting_that_comes_late_makes_nobody_forget_fast_messages() -> None:
    pair = Pair(fast=True)
    late = pair.forth.take()
    pair.sender.lost(NOW)
    pair.link()
    pair.start()
    for body in (b"1", b"2", b"3"):
        pair.put(body, persistent=False)
        pair.sender.pump(NOW)
    first, *_ = pair.forth.take()
    pair.receiver.on_frame(first, NOW)
    pair.sender.lost(NOW)
    stale = Receiver(pair.target, Receiving(CHANNEL, pair.terms), Wire(), pair.running)
    for frame in late:
        stale.on_frame(frame, NOW)
    pair.link()
    pair.settle()
    assert pair.arrived() == [b"1", b"2", b"3"]


def test_counts_of_few_links_are_remembered() -> None:
    pair = Pair(fast=True)
    for _ in range(100):
        pair.link()
        pair.to_target()  # no answer arrives
    (counts,) = pair.running.taken.values()
    assert len(counts) == LINKS_REMEMBERED_MAX


def test_fast_messages_are_not_sent_again_to_a_restarted_partner() -> None:
    pair = Pair(fast=True)
    pair.start()
    pair.put(b"1", persistent=False)
    pair.sender.pump(NOW)
    pair.sender.lost(NOW)
    pair.running = Running(2)
    pair.link()
    pair.settle()
    assert pair.arrived() == []
    assert not pair.memory.kept


def test_a_message_that_cannot_be_delivered_is_a_dead_letter_at_the_target() -> None:
    pair = Pair()
    pair.options = {"retries_max": 0}
    pair.link()
    pair.start()
    pair.target.alter(pair.target.objects.find("QUEUE", "T"), {"PUT": "DISABLED"}, NOW)
    pair.put(b"1")
    pair.settle()
    assert len(pair.arrived("DLQ")) == 1
    assert pair.left() == 0


@pytest.mark.parametrize("fast", [False, True])
def test_a_run_of_messages_that_has_to_wait_in_the_middle_comes_whole(fast: bool) -> None:
    pair = Pair(fast=fast)
    pair.options = {"retries_max": 5, "retry_seconds": 1.0}
    pair.link()
    pair.start()
    queue = pair.target.queues["T"]
    pair.target.alter(queue.definition, {"MAXDEPTH": 2}, NOW)
    bodies = [b"%d" % number for number in range(6)]
    pair.put(*bodies, persistent=not fast)
    pair.settle()
    assert pair.receiver.pause is not None

    pair.target.alter(queue.definition, {"MAXDEPTH": 100}, NOW)
    pair.receiver.try_again(NOW + 2)
    pair.settle()

    assert pair.arrived() == bodies
    assert len({message.msg_id for message in queue.messages()}) == len(bodies)


def test_without_dead_letters_the_link_ends_and_the_message_stays() -> None:
    pair = Pair()
    pair.options = {"delivery": Delivery(uses_dead_letters=False), "retries_max": 0}
    pair.link()
    pair.start()
    pair.target.alter(pair.target.objects.find("QUEUE", "T"), {"PUT": "DISABLED"}, NOW)
    pair.put(b"1")
    pair.sender.pump(NOW)
    pair.to_target()
    pair.to_source()
    assert (pair.sender.state, pair.forth.failure.reason, pair.back.failure.reason) == ("ENDED", 2051, 2051)
    assert batches.in_doubt(pair.source, CHANNEL) == []


def test_what_is_too_long_for_the_channel_is_a_dead_letter_at_the_source() -> None:
    pair = Pair(message_max=10)
    pair.start()
    pair.put(b"x" * 11, b"2")
    pair.settle()
    assert pair.arrived() == [b"2"]
    (letter,) = pair.source.queues["DLQ"].messages()
    assert letter.format == "MQDEAD"


def test_a_body_without_a_header_is_a_dead_letter_at_the_source() -> None:
    pair = Pair()
    pair.start()
    queue = pair.source.queues["QMB"]
    pair.source.enqueue(queue, Message(b"no header", persistent=True, put_time=NOW), None)
    pair.put(b"2")
    pair.settle()
    assert pair.arrived() == [b"2"]
    assert pair.source.queues["DLQ"].depth == 1


def test_a_failed_unit_of_the_target_is_answered_by_failed_and_sent_again() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW)
    pair.to_target()
    pair.target.fail_oldest_unit(pair.target.journal.end, NOW)
    sync(pair.source)
    pair.to_target()
    assert pair.to_source() == [protocol.FAILED]
    assert pair.sender.state == "ENDED"
    assert batches.in_doubt(pair.source, CHANNEL) == []
    pair.link()
    pair.settle()
    assert pair.arrived() == [b"1"]


def test_a_message_for_a_failed_unit_is_no_dead_letter() -> None:
    pair = Pair()
    pair.link(batch_interval=5.0)
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW)
    pair.to_target()
    pair.target.fail_oldest_unit(pair.target.journal.end, NOW)
    pair.put(b"2")
    pair.sender.pump(NOW)
    assert pair.to_target() == [protocol.MOVE]
    assert pair.to_source() == [protocol.FAILED]
    assert pair.target.queues["DLQ"].depth == 0
    pair.link()
    pair.settle()
    assert pair.arrived() == [b"1", b"2"]


def test_failed_backs_out_its_batch_and_later_ones_and_leaves_earlier_ones_in_doubt() -> None:
    pair = Pair(batch_size=1, window=4)
    pair.start()
    pair.put(b"1", b"2", b"3", b"4")
    pair.sender.pump(NOW)
    sync(pair.source)
    assert len(batches.in_doubt(pair.source, CHANNEL)) == 4
    confirmed = False
    for frame in pair.forth.take():  # the first batch is committed, not answered; then nonsense comes
        pair.receiver.on_frame(frame, NOW)
        if frame.kind == protocol.CONFIRM and not confirmed:
            confirmed = True
            pair.receiver.on_frame(Frame(protocol.CONFIRM, unit=99), NOW)
    (failed,) = [frame for frame in pair.back.take() if frame.kind == protocol.FAILED]
    pair.sender.on_frame(failed, NOW)
    (left,) = batches.in_doubt(pair.source, CHANNEL)
    assert left.first == left.last == 1
    assert [bytes(m.body) for m in pair.source.queues["QMB"].messages()][-3:] == [b"2", b"3", b"4"]
    pair.link()
    pair.settle()
    assert pair.arrived() == [b"1", b"2", b"3", b"4"]
    assert pair.left() == 0


def test_stop_ends_when_the_batches_are_confirmed() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW)
    pair.sender.stop(NOW)
    assert not pair.forth.ended
    pair.settle()
    assert pair.forth.ended
    assert pair.forth.failure is None
    assert pair.arrived() == [b"1"]


def test_a_restored_partner_is_refused_and_named() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.settle()
    pair.target = engine_of("QMB")  # what a backup of before has
    pair.target.incarnation = "QMB-2"
    pair.running = Running(2)
    pair.put(b"2")
    pair.link()
    pair.settle()
    assert pair.forth.failure.reason == 8071
    assert "restored copy" in pair.forth.failure.detail
    assert (pair.arrived(), pair.left()) == ([], 1)


def test_a_reset_at_the_source_makes_both_go_on() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.settle()
    pair.target = engine_of("QMB")
    pair.running = Running(2)
    partner = str(pair.target.definition.attributes["QMID"])
    batches.reset_sender(pair.source, CHANNEL, partner, 500)
    pair.put(b"2")
    pair.link()
    pair.settle()
    assert pair.arrived() == [b"2"]
    assert pair.source.sync_book.find(SENDER, CHANNEL, partner).reset == 0
    assert pair.sender.sequence == 500


def test_a_reset_reaches_a_partner_that_was_rebuilt() -> None:
    """The channel has records of two partners then, and the first one never answers again."""
    pair = Pair()
    pair.source.sync_book.write(SENDER, CHANNEL, "QMB_2020-01-01", SyncRecord(1, 9))
    pair.start()
    pair.put(b"1")
    pair.settle()
    for partner in pair.source.sync_book.partners(SENDER, CHANNEL):
        batches.reset_sender(pair.source, CHANNEL, partner, 500)
    pair.sender.lost(NOW)
    pair.put(b"2")
    pair.link()
    pair.settle()
    assert (pair.forth.failure, pair.sender.sequence) == (None, 500)
    assert pair.arrived() == [b"1", b"2"]


def test_a_reset_at_the_target_alone_is_out_of_step() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.settle()
    batches.reset_receiver(pair.target, CHANNEL, str(pair.source.definition.attributes["QMID"]), 900)
    pair.sender.lost(NOW)
    pair.link()
    pair.settle()
    assert pair.forth.failure.reason == 8071


def test_a_wrong_number_or_luwid_ends_the_link() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.sender.pump(NOW)
    (move,) = pair.forth.take()
    pair.receiver.on_frame(Frame(move.kind, move.payload, 0, 7, move.unit), NOW)
    assert pair.back.failure.reason == 8071


def test_a_luwid_that_was_committed_before_is_refused() -> None:
    pair = Pair()
    key = (CHANNEL, str(pair.source.definition.attributes["QMID"]))
    pair.target.sync_book.write(RECEIVER, *key, SyncRecord(1 << 50, 0))
    partner = str(pair.target.definition.attributes["QMID"])
    pair.source.sync_book.write(SENDER, CHANNEL, partner, SyncRecord(1 << 50, 0))
    pair.start()
    pair.put(b"1")
    pair.settle()
    assert pair.forth.failure.reason == 8071


@pytest.mark.parametrize("kind", [protocol.PUT, protocol.WELCOME, protocol.MOVE, 99])
def test_a_frame_out_of_turn_ends_the_link(kind: int) -> None:
    pair = Pair()
    pair.receiver.on_frame(Frame(kind), NOW)
    assert pair.back.failure.reason == 8073
    pair.sender.on_frame(Frame(kind), NOW)
    assert pair.forth.failure.reason == 8073


def test_another_channel_name_is_refused() -> None:
    pair = Pair()
    (hello,) = pair.forth.take()
    facts = {**frames.read_greeting(hello), "channel": "ANOTHER"}
    pair.receiver.on_frame(frames.greeting(protocol.HELLO, facts), NOW)
    assert pair.back.failure.reason == 8072


@pytest.mark.parametrize(
    "lie",
    [
        {"qmid": ""},
        {"qmid": 7},
        {"qmid": "Q" * 65},
        {"qmid": "QMA\n2026"},
        {"from": None},
        {"from": "Q" * 65},
        {"incarnation": b"x"},
        {"resets": [["QMB", -1, 5]]},
        {"resets": [["QMB", 1 << 63, 5]]},
        {"resets": [["QMB", 5, 0]]},
        {"resets": [["QMB", 5, 1 << 40]]},
        {"resets": ["QMB", 5, 1]},
        {"resets": "QMB"},
    ],
    ids=str,
)
def test_a_greeting_that_makes_no_sense_ends_one_link(lie: dict[str, Any]) -> None:
    pair = Pair()
    (greeting,) = pair.forth.take()
    facts = {**frames.read_greeting(greeting), **lie}
    pair.receiver.on_frame(frames.greeting(protocol.HELLO, facts), NOW)
    (answer,) = pair.back.take()
    assert answer.kind == protocol.FAILED
    assert pair.back.failure.reason == 8073
    assert pair.target.sync_book.partners(RECEIVER, CHANNEL) == []


def test_partners_that_come_once_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.channel.running_links.PARTNERS_REMEMBERED_MAX", 10)
    pair = Pair()
    (greeting,) = pair.forth.take()
    for number in range(50):
        stranger = Receiver(pair.target, Receiving(CHANNEL, pair.terms), Wire(), pair.running)
        facts = {**frames.read_greeting(greeting), "qmid": f"QMX_{number}"}
        stranger.on_frame(frames.greeting(protocol.HELLO, facts), NOW)
        if number:
            stranger.lost(NOW)
    assert len(pair.running.ends) == 10
    assert pair.running.ends[CHANNEL, "QMX_0"].state != "ENDED"
