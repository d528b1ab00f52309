"""A deterministic simulator of message channels: real engines, both real ends, and everything else simulated.

One process, one thread, one seeded source of chance. Each node is a real `Engine` with a simulated journal,
whose durable part lags behind; a crash keeps that part and a random piece of what follows. The real
`Recovery` replays it, behind the last checkpoint. Links carry bytes, which arrive in pieces of any size. A
cut loses the rest, and the receiving end may not notice while bytes that were on their way still arrive.
In two of three runs the sending ends claim messages before they are on disk. In every second one the messages
of a checkpoint wait on disk, in blocks.
A log that is full backs out units of either end. Clocks are wrong and jump. In varied runs batches stay open
(BATCHINT), end early (BATCHLIM) or ask first (BATCHHB), and targets refuse messages for a while (MRRTY).
A run has two phases: faults at random, then a healed network that must become quiet. After that every
accepted persistent message is at its destination exactly once and in order.

Replay a seed: python -m tests.simulation.channels --seed 17 [--bug NAME] [--nodes 3] [--restores] [--varied]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from penstock.channel.counts import Counts
from penstock.channel.line import Frame
from penstock.channel.memory import Memory
from penstock.channel.receiver import Receiver, Receiving
from penstock.channel.running_links import Running
from penstock.channel.sender import ENDED, RUNNING, Sender, Sending
from penstock.channel.terms import Terms
from penstock.model.constants import MQRC_BACKED_OUT, MQRC_CONNECTION_BROKEN, PSRC_CHANNEL_OUT_OF_STEP
from penstock.model.errors import MQError
from penstock.model.message import Message
from penstock.protocol._frames import Outgoing, Splitter
from penstock.protocol.numbers import FRAME_BYTES_MAX
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.arrivals import Arrivals
from penstock.qmgr.deep import packing
from penstock.qmgr.engine import Engine
from penstock.qmgr.restart import snapshot
from penstock.qmgr.restart.recovery import Recovery
from penstock.qmgr.states import AVAILABLE, GONE, UNCOMMITTED
from penstock.qmgr.step import PUBLISH
from penstock.store.message_format import decode_head, encode_head, head_numbers
from tests.simulation.planted_bugs import BUGS

EPOCH = 1_800_000_000.0
QUIET_STEPS_MAX = 20_000
RETRY_SECONDS = 0.05
NAMES = ("QMA", "QMB", "QMC")


class Violation(AssertionError):
    """An invariant that does not hold."""


class SimJournal:
    """Records in memory, of which the first ones are on disk."""

    def __init__(self) -> None:
        self.records: list[tuple[int, int, bytes]] = []  # end, kind, payload
        self.end = 0
        self.durable = 0

    def append(self, kind: int, head: bytes, body: bytes = b"") -> int:
        self.end += len(head) + len(body or b"") + 16
        self.records.append((self.end, kind, bytes(head) + bytes(body or b"")))
        return self.end

    def crash(self, chance: random.Random) -> None:
        """Lose what was not synced, but for a first piece of any length."""
        kept = chance.choice([self.durable, *(end for end, _, _ in self.records if end > self.durable)])
        self.records = [record for record in self.records if record[0] <= kept]
        self.end = self.durable = kept


class Replaying:
    """Stands in for the journal during recovery."""

    end = 0

    def __init__(self) -> None:
        self.kept: list[tuple[int, bytes, bytes]] = []

    def append(self, kind: int, head: bytes, body: bytes = b"") -> int:
        self.kept.append((kind, head, body))
        return 0


@cache
def state_of(name: str, nodes: int) -> bytes:
    """Return the first checkpoint of a node: its objects."""
    engine = Engine(name, SimJournal(), EPOCH)
    engine.make_system_objects(EPOCH)
    define(engine, "QLOCAL", "DLQ")
    define(engine, "QLOCAL", "T", MAXDEPTH=100_000)
    engine.alter(engine.definition, {"DEADQ": "DLQ"}, EPOCH)
    following = NAMES[NAMES.index(name) + 1 : nodes]
    for hop in following[:1]:
        define(engine, "QLOCAL", hop, USAGE="XMITQ", MAXDEPTH=100_000)
    for last in following:
        define(engine, "QREMOTE", f"TO.{last}", RNAME="T", RQMNAME=last, XMITQ=following[0])
    engine.durable(engine.journal.end)
    return snapshot.take(engine).pack(lambda: None)


def define(engine: Engine, kind: str, name: str, **values: Any) -> None:
    engine.define(kind, name, {**defaults(kind), **values}, EPOCH)


class Node:
    """One queue manager: an engine, its journal, its clock, and what its process remembers."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.journal = SimJournal()
        self.offset = world.chance.uniform(-86400, 86400)
        self.drift = world.chance.uniform(-1e-3, 1e-3)
        self.incarnation = f"{name}-1"
        self.starts = 0
        self.state, self.journal_start = state_of(name, world.nodes_count), 0
        self.files: dict[int, tuple[bytes, bytes]] = {}  # messages of the last checkpoint, by location
        self.amended: dict[int, int] = {}  # their backout counts, where the head has an older one
        self.locations = 0
        self.copy: tuple[Any, ...] | None = None
        self.start()

    def now(self) -> float:
        return EPOCH + self.world.time * (1 + self.drift) + self.offset

    def start(self) -> None:
        """Recover from the journal, as a host does."""
        self.starts += 1
        replaying = Replaying()
        self.engine = engine = Engine(self.name, replaying, EPOCH + 1 + self.world.time + self.starts)
        recovery = Recovery(engine)
        recovery.restore(self.state, self.journal_start, self.now())
        recovery.load(self.saved_messages())
        for end, kind, payload in self.journal.records:
            if end > self.journal_start:
                recovery.apply(kind, payload)
        recovery.finish(self.now())
        engine.incarnation = self.incarnation
        engine.journal = self.journal
        for kind, head, body in replaying.kept:
            self.journal.append(kind, head, body)
        self.memory = Memory()
        self.running = Running(engine.seed)
        if self.world.claims:
            for name in NAMES[: self.world.nodes_count]:
                if name in engine.queues:
                    engine.queues[name].arrivals = Arrivals(engine, engine.queues[name], lambda: None)

    def saved_messages(self) -> Iterator[tuple[Message, int, int]]:
        """Yield the messages of the message files, as the host does, but with their bodies."""
        for location, (head, body) in self.files.items():
            _, queue_id, unit = head_numbers(head)
            message = decode_head(head, body, len(body))
            message.location = location
            message.backout_count = self.amended.get(location, message.backout_count)
            yield message, queue_id, unit

    def checkpoint(self) -> None:
        """Write a checkpoint, as the host does, in one go."""
        taken = snapshot.take(self.engine)
        visible = [(m, m.queue.id, 0) for m in taken.unsaved if m.queue is not None and not m.location]
        for message, queue_id, unit in taken.held + visible:
            if message.state not in (GONE, UNCOMMITTED) or (unit and message.state == UNCOMMITTED):
                self.save(message, queue_id, unit)
        self.sync(whole=True)
        for location in taken.discards:
            self.files.pop(location, None)
            self.amended.pop(location, None)
        for message in taken.misfiled:
            if message.location and message.state != GONE and message.queue is not None:
                del self.files[message.location]
                unit = message.owner.number if message.state == UNCOMMITTED else 0
                self.save(message, message.queue.id, unit)
        for message in taken.amended:
            if message.location and message.state != GONE:
                self.amended[message.location] = message.backout_count
        self.state, self.journal_start = taken.pack(lambda: None), taken.start
        if self.world.packs:
            self.pack()

    def pack(self) -> None:
        """Keep no objects of messages that wait to be sent, as the spiller does: they are in blocks."""
        for name in NAMES[: self.world.nodes_count]:
            queue = self.engine.queues.get(name)
            for message in list(queue.messages()) if queue is not None else ():
                self.world.packed += packing.pack_available(queue, message, self.engine.wishes.unsealed)

    def bring_in(self, wanted: list[Any]) -> None:
        """Make messages of packed ones that an end needs."""
        for window in wanted:
            entries = [(block, at, block.locations[at]) for block, at in window.entries()]
            found = [self.files[location] for _, _, location in entries]
            messages = [decode_head(head, body, len(body)) for head, body in found]
            self.engine.brought(window, entries, messages)

    def save(self, message: Message, queue_id: int, unit: int) -> None:
        self.locations += 1
        self.files[self.locations] = encode_head(message, queue_id, unit), bytes(message.body)
        message.location = self.locations

    def sync(self, whole: bool = False) -> None:
        """Let the disk get on: to the end, or to any record."""
        ends = [end for end, _, _ in self.journal.records if end > self.journal.durable]
        if ends:
            self.journal.durable = ends[-1] if whole else self.world.chance.choice(ends)
        self.engine.durable(self.journal.durable)

    def back_up(self) -> None:
        """Keep a copy of what is on disk."""
        whole = [record for record in self.journal.records if record[0] <= self.journal.durable]
        files = dict(self.files), dict(self.amended)
        self.copy = (whole, self.journal.durable, self.state, self.journal_start, *files)

    def restore(self) -> None:
        """Start from the copy, as a queue manager of another incarnation."""
        assert self.copy is not None
        records, end, self.state, self.journal_start, files, amended = self.copy
        self.journal.records, self.journal.end, self.journal.durable = list(records), end, end
        self.files, self.amended = dict(files), dict(amended)
        self.incarnation = f"{self.name}-{self.starts + 1}"
        self.start()

    def admit(self, admits: bool) -> None:
        """Let messages in to the target queue, or refuse them for a while."""
        value = "ENABLED" if admits else "DISABLED"
        self.engine.alter(self.engine.queues["T"].definition, {"PUT": value}, self.now())

    def take_arrivals(self) -> None:
        """A program gets the non-persistent messages that have arrived."""
        queue = self.engine.queues["T"]
        for message in list(queue.messages()):
            if not message.persistent and message.state == 0:
                self.engine.remove(queue, message, None, self.now())
                self.world.got[bytes(message.body)] += 1


@dataclass
class SimLine:
    """One direction's writer: what an end sends goes to a stream of bytes."""

    node: Node
    stream: bytearray = field(default_factory=bytearray)
    closed: bool = False
    failure: MQError | None = None

    def send(self, frame: Frame) -> None:
        if not self.closed:
            out = Outgoing()
            out.frame(frame.kind, frame.flags, 0, frame.request, frame.unit, frame.payload)
            self.stream += b"".join(out.take())

    def full(self) -> bool:
        return False

    def load(self, wanted: list[Any]) -> None:
        self.node.bring_in(wanted)

    def end(self, failure: MQError | None) -> None:
        self.closed = True
        self.failure = failure


class Link:
    """A connection between two nodes; each side may know or not know that it is gone."""

    def __init__(self, world: World, source: Node, target: Node) -> None:
        self.source, self.target = source, target
        self.forth, self.back = SimLine(source), SimLine(target)
        self.splitters = (Splitter(FRAME_BYTES_MAX), Splitter(FRAME_BYTES_MAX))
        channel = f"{source.name}.{target.name}"
        terms = world.terms
        self.sender = world.sender_class(
            source.engine,
            Sending(channel, target.name, terms, **world.sending),
            self.forth,
            source.memory,
            Counts(),
        )
        receiving = Receiving(channel, terms, retries_max=1 << 30, retry_seconds=RETRY_SECONDS)
        self.receiver = world.receiver_class(target.engine, receiving, self.back, target.running)
        self.known_at_source = self.known_at_target = True
        self.sender.start()

    def deliver(self, forth: bool, count: int) -> None:
        """Bring some bytes to the other side."""
        line = self.forth if forth else self.back
        data, line.stream[:] = bytes(line.stream[:count]), line.stream[count:]
        node, end = (self.target, self.receiver) if forth else (self.source, self.sender)
        for kind, flags, _, request, unit, payload in self.splitters[0 if forth else 1].feed(data):
            end.on_frame(Frame(kind, payload, flags, request, unit), node.now())

    def cut(self, chance: random.Random) -> None:
        """Break the line: the source notices; of what is on its way to the target a piece may arrive."""
        self.known_at_source = False
        self.sender.lost(self.source.now())
        self.back.stream.clear()
        del self.forth.stream[chance.randint(0, len(self.forth.stream)) :]
        self.forth.closed = True

    def gone_at_target(self) -> None:
        self.known_at_target = False
        self.forth.stream.clear()
        self.receiver.lost(self.target.now())


class World:
    """Nodes in a row, the links between neighbours, and the oracle."""

    sender_class: type[Sender] = Sender
    receiver_class: type[Receiver] = Receiver

    def __init__(
        self,
        seed: int,
        nodes: int,
        bug: str = "",
        trace: bool = False,
        restores: bool = False,
        varied: bool = False,
    ) -> None:
        self.chance = random.Random(seed)
        self.nodes_count = nodes
        self.time = 0.0
        self.trace = trace
        self.restores = restores  # backups are restored: then an end may refuse, and messages may be lost
        self.refused = self.restored = False
        self.sender_class, self.receiver_class = BUGS[bug] if bug else (Sender, Receiver)
        self.terms = Terms(
            batch_size=self.chance.choice([1, 2, 3, 50]),
            wrap=self.chance.choice([100, 999_999_999]),
            fast=self.chance.random() < 0.6,
            window=self.chance.choice([1, 2, 4]),
        )
        self.claims = seed % 3 != 0  # ends take messages before they are on disk
        self.packs = seed % 2 == 0  # messages of a checkpoint wait on disk, in blocks
        self.packed = 0
        self.varied = varied
        self.sending = self.sending_terms() if varied else {}
        self.nodes = [Node(self, name) for name in NAMES[:nodes]]
        self.links: list[Link] = []
        self.accepted: set[bytes] = set()
        self.volatile: set[bytes] = set()
        self.got: Counter[bytes] = Counter()
        self.crashes = self.put = 0
        self.messages = self.chance.randint(5, 40)
        self.faults = self.chance.randint(0, 6)
        self.volatile_share = self.chance.choice([0.0, 0.3, 1.0])

    def sending_terms(self) -> dict[str, Any]:
        return {
            "batch_interval": self.chance.choice([0.0, 0.0, 0.02, 0.3]),
            "batch_heartbeat": self.chance.choice([0.0, 0.0, 0.01, 0.1]),
            "batch_bytes_max": self.chance.choice([0, 20, 100]),
        }

    def pairs(self) -> list[tuple[Node, Node]]:
        return list(zip(self.nodes, self.nodes[1:], strict=False))

    def live(self, source: Node) -> Link | None:
        return next((k for k in self.links if k.source is source and k.known_at_source), None)

    def say(self, *what: object) -> None:
        if self.trace:
            print(f"{self.time:9.3f}", *what)

    # -- what can happen -------------------------------------------------------------------

    def step(self) -> None:
        """Do one thing that can happen now, chosen by chance."""
        self.time += self.chance.expovariate(100)
        actions: list[tuple[float, Callable[[], None]]] = []
        if self.put < self.messages:
            actions.append((3, self.put_one))
        for node in self.nodes:
            if node.engine.wishes.pending or node.journal.durable < node.journal.end:
                actions.append((2, node.sync))
            actions.append((0.3, node.take_arrivals))
            actions.append((0.1, node.checkpoint))
            actions.append((0.05, lambda node=node: setattr(node, "offset", self.chance.uniform(-9e4, 9e4))))
            if self.varied:
                actions.append((0.2, lambda node=node: node.admit(self.chance.random() < 0.5)))
        for source, target in self.pairs():
            if self.live(source) is None:
                actions.append((1, lambda source=source, target=target: self.dial(source, target)))
        for link in self.links:
            actions += self.link_actions(link)
        if self.faults:
            actions += [(0.12, lambda node=node: self.crash(node)) for node in self.nodes]
            actions += [(0.2, lambda node=node: self.run_short_of_log(node)) for node in self.nodes]
        if self.restores:
            actions += [(0.1, node.back_up) for node in self.nodes]
            actions += [(0.03, lambda node=node: self.restore(node)) for node in self.nodes if node.copy]
        weights = [weight for weight, _ in actions]
        self.chance.choices(actions, weights)[0][1]()
        self.drop_ended()
        self.check_unseen()

    def link_actions(self, link: Link) -> list[tuple[float, Callable[[], None]]]:
        found: list[tuple[float, Callable[[], None]]] = []
        if link.forth.stream and link.known_at_target:
            weight = 3 if link.known_at_source else 0.3  # what a cut has left often arrives late
            found.append((weight, lambda: link.deliver(True, self.piece(link.forth))))
        if link.back.stream and link.known_at_source:
            found.append((3, lambda: link.deliver(False, self.piece(link.back))))
        if link.known_at_target and link.receiver.pause is not None:
            found.append((1, lambda: link.receiver.try_again(link.target.now())))
        if link.known_at_source:
            found.append((1, lambda: link.sender.pump(link.source.now())))
            found.append((0.1, lambda: link.sender.ask(link.source.now())))
            if self.faults:
                found.append((0.25, lambda: self.cut(link)))
        elif link.known_at_target:
            found.append((0.15, link.gone_at_target))
        return found

    def piece(self, line: SimLine) -> int:
        return self.chance.choice([len(line.stream), self.chance.randint(1, len(line.stream))])

    def put_one(self) -> None:
        source = self.chance.choice(self.nodes[:-1])
        engine = source.engine
        target = self.chance.choice(self.nodes[self.nodes.index(source) + 1 :])
        persistent = self.chance.random() >= self.volatile_share
        self.put += 1
        body = b"%s>%s:%05d" % (source.name.encode(), target.name.encode(), self.put)
        message = Message(body, engine.ids.next(), persistent=persistent, put_time=source.now())
        unit = engine.new_unit(None, source.now()) if self.put % 4 == 0 else None
        engine.put_message(engine.resolve(f"TO.{target.name}"), message, unit, source.now())
        if unit is not None:
            engine.commit(unit, source.now())
        self.say("put", body, "persistent" if persistent else "")
        if persistent:
            engine.when_durable(lambda: self.accepted.add(body))
        else:
            self.volatile.add(body)

    def dial(self, source: Node, target: Node) -> None:
        self.say("dial", source.name, target.name)
        self.links.append(Link(self, source, target))

    def cut(self, link: Link) -> None:
        self.say("cut", link.source.name, link.target.name)
        self.faults -= 1
        link.cut(self.chance)

    def crash(self, node: Node) -> None:
        self.say("crash", node.name)
        self.faults -= 1
        self.crashes += 1
        self.break_links(node)
        node.journal.crash(self.chance)
        node.start()

    def run_short_of_log(self, node: Node) -> None:
        """Back out the oldest unit that is not prepared, as a log that is full does."""
        if node.engine.fail_oldest_unit(node.journal.end, node.now()) is not None:
            self.say("unit failed", node.name)
            self.faults -= 1

    def restore(self, node: Node) -> None:
        self.say("restore", node.name)
        self.crashes += 1
        self.restored = True
        self.break_links(node)
        node.restore()

    def break_links(self, node: Node) -> None:
        """End what the process of a node had, without a word to the other side."""
        for link in self.links:
            if link.source is node:
                link.known_at_source = False
                del link.forth.stream[self.chance.randint(0, len(link.forth.stream)) :]
                link.forth.closed, link.sender.state = True, ENDED
            if link.target is node:
                link.known_at_target = False
                link.forth.stream.clear()
                link.receiver.state = ENDED
                if link.known_at_source:
                    link.known_at_source = False
                    link.sender.lost(link.source.now())

    def drop_ended(self) -> None:
        """Let both sides know of links that an end has closed, and forget those nobody knows."""
        for link in self.links:
            if link.known_at_source and link.sender.state == ENDED:
                link.known_at_source = False
                if link.forth.failure is not None:
                    self.say("sender ended:", link.forth.failure)
                    self.failed(link.forth.failure)
            if link.known_at_source and link.receiver.state == ENDED and not link.back.stream:
                link.known_at_source = False
                link.sender.lost(link.source.now())
            if link.known_at_target and link.receiver.state == ENDED:
                link.known_at_target = False
        self.links = [k for k in self.links if k.known_at_source or k.known_at_target]

    def failed(self, failure: MQError) -> None:
        """An end has refused to go on; without restored backups the records of both always agree."""
        if self.restored and failure.reason == PSRC_CHANNEL_OUT_OF_STEP:
            self.expect("restored copy" in failure.detail, "the cause is not named", failure)
            self.refused = True
            return
        if failure.reason == MQRC_BACKED_OUT:
            return
        if failure.reason == MQRC_CONNECTION_BROKEN and self.sending.get("batch_heartbeat"):
            return
        raise Violation(f"an end refused: {failure}")

    # -- phases and oracle -----------------------------------------------------------------

    def run(self) -> None:
        for _ in range(self.messages * 30):
            self.step()
            if self.refused:  # an administrator has to decide now; nothing was doubled until here
                self.faults, self.put = 0, self.messages
                self.check()
                return
        self.faults, self.restores = 0, False
        if self.varied:
            for node in self.nodes:
                node.admit(True)
        self.quiet()
        self.check()

    def quiet(self) -> None:
        """Let everything happen that can, without faults, until nothing is left to do."""
        for _ in range(QUIET_STEPS_MAX):
            self.time += 0.01
            if self.put < self.messages:
                self.put_one()
            for node in self.nodes:
                node.sync(whole=True)
            for source, target in self.pairs():
                link = self.live(source)
                if link is None:
                    self.dial(source, target)
                    continue
                link.deliver(True, len(link.forth.stream))
                link.deliver(False, len(link.back.stream))
                link.sender.pump(source.now())
                link.receiver.try_again(target.now())
                if source.memory.kept:
                    link.sender.ask(source.now())
            self.drop_ended()
            if self.refused or self.is_quiet():
                return
        raise Violation(f"not quiet after {QUIET_STEPS_MAX} rounds: {self.describe()}")

    def is_quiet(self) -> bool:
        if self.put < self.messages:
            return False
        for source, target in self.pairs():
            link = self.live(source)
            if link is None or link.sender.state != RUNNING or source.engine.queues[target.name].depth:
                return False
            if batches.in_doubt(source.engine, f"{source.name}.{target.name}") or link.forth.stream:
                return False
            if link.back.stream or source.memory.kept or link.sender.filling is not None:
                return False
        return all(node.journal.durable == node.journal.end for node in self.nodes)

    def describe(self) -> str:
        return "; ".join(
            f"{s.name}>{t.name} depth {s.engine.queues[t.name].depth} doubt"
            f" {len(batches.in_doubt(s.engine, f'{s.name}.{t.name}'))}"
            for s, t in self.pairs()
        )

    def check(self) -> None:
        """Compare what has arrived with what was accepted."""
        lasting: list[bytes] = []
        for node in self.nodes:
            node.take_arrivals()
            if node.engine.queues["DLQ"].depth:
                raise Violation(f"a dead letter at {node.name}")
            found = [bytes(m.body) for m in node.engine.queues["T"].messages()]
            self.check_order(found)
            lasting += found
        counts = Counter(lasting)
        lost = self.accepted - set(counts) if not self.restored else set()
        self.expect(not lost, "lost", lost)
        twice = {body for body, count in (counts + self.got).items() if count > 1}
        self.expect(not twice, "twice", twice)
        if not self.crashes:
            self.expect(
                not (self.volatile - set(self.got)), "lost, not persistent", self.volatile - set(self.got)
            )

    def check_unseen(self) -> None:
        """Nobody can get or browse a message that a crash may still undo."""
        for node in self.nodes:
            for _, kind, _, message, _ in node.engine.wishes.pending:
                if kind == PUBLISH and message.queue is not None:
                    self.expect(message.state != AVAILABLE, "seen before it is on disk", message.body)

    def check_order(self, found: list[bytes]) -> None:
        last: dict[bytes, bytes] = {}
        for body in found:
            putter = body.partition(b":")[0]
            self.expect(last.get(putter, b"") <= body, "out of order", found)
            last[putter] = body

    def expect(self, holds: bool, what: str, where: object) -> None:
        if not holds:
            raise Violation(f"{what}: {where}")


def command(seed: int, nodes: int, bug: str = "", restores: bool = False, varied: bool = False) -> str:
    """Return the command that replays a seed."""
    planted = f" --bug {bug}" if bug else ""
    planted += (" --restores" if restores else "") + (" --varied" if varied else "")
    return f"python -m tests.simulation.channels --seed {seed} --nodes {nodes}{planted} --trace"


def simulate(
    seed: int,
    nodes: int,
    bug: str = "",
    trace: bool = False,
    restores: bool = False,
    varied: bool = False,
) -> World:
    """Run one seed; a Violation says how to replay it."""
    world = World(seed, nodes, bug, trace, restores, varied)
    try:
        world.run()
    except Violation as failure:
        raise Violation(f"{failure}\nreplay: {command(seed, nodes, bug, restores, varied)}") from failure
    return world


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--bug", default="", choices=["", *BUGS])
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--restores", action="store_true", help="restore backups, too")
    parser.add_argument("--varied", action="store_true", help="vary BATCHINT, BATCHHB, BATCHLIM and MRRTY")
    given = parser.parse_args()
    for seed in range(given.seed, given.seed + given.count):
        try:
            simulate(seed, given.nodes, given.bug, given.trace, given.restores, given.varied)
        except Violation as failure:
            sys.exit(f"seed {seed}: {failure}")
    print(f"{given.count} seed(s) without a violation")


if __name__ == "__main__":
    main()
