"""Message channels between real servers that are killed, cut off or stopped at every moment of a batch.

A cell is a moment (`channel/fault_points.py`), a side, what happens to it, what kind of messages, and how
many batches may be in doubt. With a window of one messages are sent when they are on disk, with four before
that (claim on put): then the commit of whoever has put them may be unanswered. `make test` runs a subset in
which any two of these meet; `make soak` every cell five times, and three queue managers in a ring that are
killed at random. Persistent messages arrive once and in order; others never twice, and all of them when
nobody was killed.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from penstock import MQError
from penstock.channel.fault_points import AT_RECEIVER, AT_SENDER
from tests.channel_pairs import Pair, depth, run, status
from tests.crash import stopped_server
from tests.patience import until
from tests.relay import Relay
from tests.served import Served

pytestmark = [pytest.mark.crash, pytest.mark.installed, pytest.mark.xdist_group("channel-kills")]

SIDES = ("sender", "receiver", "both")
ACCIDENTS = ("kill", "cut", "hang")
KINDS = ("PERSISTENT", "NORMAL", "FAST")
WINDOWS = (1, 4)
MOMENTS = AT_SENDER + AT_RECEIVER
TURNS = 5  # of every cell, in `make soak`
NO_CLAIMS = "BATCHHB(600000)"  # messages are got when they are on disk, and confirmed to who put them
QUICK = "SHORTRTY(999999999) SHORTTMR(0)"
DEEP = 1500  # messages on a transmission queue whose buffer holds some ten
SMALL_BUFFERS = "TuningParameters:\n   DefaultQBufferSize=1000\n   DefaultPQBufferSize=1000\n"


@dataclass(frozen=True)
class Cell:
    moment: str
    side: str
    accident: str
    kind: str
    window: int

    def __str__(self) -> str:
        return f"{self.moment}-{self.side}-{self.accident}-{self.kind}-{self.window}"


def every_cell() -> list[Cell]:
    return [Cell(*each) for each in itertools.product(MOMENTS, SIDES, ACCIDENTS, KINDS, WINDOWS)]


def pairs_of(cell: Cell) -> set[tuple[Any, ...]]:
    values = list(enumerate((cell.moment, cell.side, cell.accident, cell.kind, cell.window)))
    return set(itertools.combinations(values, 2))


def covering() -> list[Cell]:
    """Return cells in which any two values of different columns meet, as few as a greedy choice finds."""
    cells = every_cell()
    missing = set().union(*map(pairs_of, cells))
    chosen = []
    while missing:
        best = max(cells, key=lambda cell: len(pairs_of(cell) & missing))
        chosen.append(best)
        missing -= pairs_of(best)
    return chosen


class Pairs(Pair):
    """A pair whose processes stop where a test says, with a relay between them."""

    def __init__(self, home: Path, window: int, batch: int = 5, ini_more: str = "") -> None:
        self.faults = home / "faults"
        self.faults.mkdir(parents=True)
        super().__init__(home, start=False)
        for served in (self.a, self.b):
            served.program = (sys.executable, stopped_server.__file__)  # type: ignore[assignment]
            ini = served.folder / "qm.ini"
            ini.write_text(ini.read_text() + f"\nChannels:\n   PipeLineLength={window}\n{ini_more}")
        self.relay = Relay(self.ports["QMB"])
        os.environ["PENSTOCK_FAULTS"] = str(self.faults)
        self.start(self.b)
        self.start(self.a)
        for kind in KINDS:
            speed = "NPMSPEED(FAST)" if kind == "FAST" else "NPMSPEED(NORMAL)"
            claims = "" if window > 1 else NO_CLAIMS
            size = f"BATCHSZ({batch})"
            self.link(kind, sender=f"{QUICK} {size} {speed} {claims}", receiver=f"{size} {speed}")
            run(self.qma, f"ALTER CHANNEL({kind}) CHLTYPE(SDR) CONNAME('127.0.0.1({self.relay.port})')")
        self.put = itertools.count()
        self.last: list[int] = []  # that were put together

    def start(self, served: Served) -> None:
        os.environ["PENSTOCK_FAULTS"] = str(self.faults)
        super().start(served)

    def close(self) -> None:
        self.stop()
        self.relay.close()


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Pairs]]:
    made = {window: Pairs(tmp_path_factory.mktemp(f"window{window}"), window) for window in WINDOWS}
    yield made
    for each in made.values():
        each.close()


@pytest.mark.parametrize("cell", covering(), ids=str)
def test_every_message_arrives_once(cell: Cell, pairs: dict[int, Pairs]) -> None:
    run_cell(cell, pairs[cell.window])


@pytest.mark.soak
@pytest.mark.parametrize("cell", every_cell(), ids=str)
@pytest.mark.parametrize("turn", range(TURNS))
def test_every_cell_again_and_again(cell: Cell, turn: int, pairs: dict[int, Pairs]) -> None:
    run_cell(cell, pairs[cell.window])


@pytest.fixture(scope="module")
def deep_pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Pairs]]:
    """Pairs whose queues are on disk, in blocks, and whose batches are runs that are sent short."""
    made = {
        window: Pairs(tmp_path_factory.mktemp(f"deep{window}"), window, 50, SMALL_BUFFERS)
        for window in WINDOWS
    }
    yield made
    for each in made.values():
        each.close()


DEEP_CELLS = [
    Cell(MOMENTS[index * 2 % len(MOMENTS)], SIDES[(index + turn) % 3], accident, kind, WINDOWS[index % 2])
    for turn, accident in enumerate(ACCIDENTS)
    for index, kind in enumerate(KINDS, start=turn * 2)
]


@pytest.mark.parametrize("cell", DEEP_CELLS, ids=str)
def test_a_queue_on_disk_arrives_once(cell: Cell, deep_pairs: dict[int, Pairs]) -> None:
    run_deep_cell(cell, deep_pairs[cell.window])


@pytest.mark.soak
@pytest.mark.parametrize("cell", every_cell(), ids=str)
def test_every_cell_with_a_queue_on_disk(cell: Cell, deep_pairs: dict[int, Pairs]) -> None:
    run_deep_cell(cell, deep_pairs[cell.window])


def run_deep_cell(cell: Cell, pair: Pairs) -> None:
    """Fill the transmission queue of a stopped channel, start it, and have an accident at the moment."""
    name = "QMA" if cell.moment in AT_SENDER else "QMB"
    point = pair.faults / f"{name}.{cell.moment}"
    run(pair.qma, f"STOP CHANNEL({cell.kind})")
    until(lambda: status(pair.qma, cell.kind).get("STATUS", "STOPPED") == "STOPPED")
    sent = send(pair, cell.kind, DEEP)
    until(lambda: pair.qma.status().spilled_messages > DEEP // 2)
    point.touch()
    start = f"START CHANNEL({cell.kind}) IGNSTATE(YES)"
    with ThreadPoolExecutor(1) as caller:  # the process may stand still before it answers
        caller.submit(run, pair.qma, start)
        until(lambda: point.with_name(point.name + ".hit").exists())
        hurt(pair, cell, point)
    run(pair.qma, start)  # again: a killed process may not have noted it
    sent += send(pair, cell.kind, 3)
    settle(pair, cell.kind)
    check(cell, sent, [], arrived(pair, cell.kind))


def run_cell(cell: Cell, pair: Pairs) -> None:
    """Put messages, have an accident at the moment, put some more, and see what arrives."""
    name = "QMA" if cell.moment in AT_SENDER else "QMB"
    point = pair.faults / f"{name}.{cell.moment}"
    before = send(pair, cell.kind, 2)  # the channel runs
    until(lambda: status(pair.qma, cell.kind).get("STATUS") == "RUNNING")
    settle(pair, cell.kind)
    point.touch()
    if cell.moment in ("adopted", "answered"):
        pair.relay.cut()
    with ThreadPoolExecutor(1) as caller:  # the process may stand still before it answers
        call = caller.submit(send, pair, cell.kind, 12)
        until(lambda: point.with_name(point.name + ".hit").exists())
        hurt(pair, cell, point)
        try:
            sent, unconfirmed = call.result(), []
        except MQError:
            assert cell.accident == "kill"
            sent, unconfirmed = [], [b"%08d" % number for number in pair.last]
    sent += send(pair, cell.kind, 3)
    settle(pair, cell.kind)
    check(cell, before + sent, unconfirmed, arrived(pair, cell.kind))


def send(pair: Pairs, kind: str, count: int) -> list[bytes]:
    """Put messages at once; every third of a FAST channel's is persistent, so that it has batches too."""
    pair.last = [next(pair.put) for _ in range(count)]
    bodies = [b"%08d" % number for number in pair.last]
    qm = pair.qma
    with qm.unit_of_work():
        for place, body in enumerate(bodies):
            lasting = kind == "PERSISTENT" or (kind == "FAST" and place % 3 == 0)
            qm.put(f"{kind}.R", body, persistent=lasting, correl_id=(b"P" if lasting else b"N").ljust(24))
    return bodies


def hurt(pair: Pairs, cell: Cell, point: Path) -> None:
    """Let the accident happen to the sides of a cell while the process at the moment stands still."""
    sides = {"sender": [pair.a], "receiver": [pair.b], "both": [pair.a, pair.b]}[cell.side]
    go = point.with_name(point.name + ".go")
    if cell.accident == "kill":
        for served in sides:
            pair.kill(served)
    elif cell.accident == "cut":
        pair.relay.cut()
    else:
        for served in sides:
            assert served.process is not None
            served.process.send_signal(signal.SIGSTOP)
    point.with_name(point.name + ".hit").unlink()
    stands = cell.accident != "kill" or not any(point.name.startswith(served.name) for served in sides)
    if stands:
        go.touch()
    if cell.accident == "hang":
        pair.relay.cut()
        for served in sides:
            assert served.process is not None
            served.process.send_signal(signal.SIGCONT)
    elif cell.accident == "kill":
        for served in reversed(sides):
            pair.start(served)
    until(lambda: not go.exists())


def settle(pair: Pairs, kind: str) -> None:
    """Wait until nothing is on its way."""

    def quiet() -> bool:
        row = status(pair.qma, kind)
        return depth(pair.qma, f"{kind}.X") == 0 and row.get("INDOUBT") == "NO" and row.get("CURMSGS") == 0

    until(quiet)


def arrived(pair: Pairs, kind: str) -> list[tuple[bytes, bool]]:
    found = []
    while (message := pair.qmb.get(f"{kind}.T", wait=0.2)) is not None:
        found.append((bytes(message.body), message.persistent))
    return found


def check(cell: Cell, sent: list[bytes], unconfirmed: list[bytes], found: list[tuple[bytes, bool]]) -> None:
    """Messages of a commit that was not answered arrive all or not at all."""
    bodies = [body for body, _ in found]
    assert len(set(bodies)) == len(bodies), f"twice: {bodies}"
    for persistent in (True, False):
        some = [body for body, lasting in found if lasting is persistent]
        assert some == sorted(some), f"out of order: {some}"
    lost = set(sent) - set(bodies)
    if cell.accident != "kill" or cell.kind == "PERSISTENT":
        assert not lost, f"lost: {lost}"
        assert len(set(unconfirmed) & set(bodies)) in (0, len(unconfirmed)), f"torn: {bodies}"


@pytest.mark.soak
def test_a_ring_of_three_under_random_kills(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    chance = random.Random(seed)
    names = ("QMA", "QMB", "QMC")
    ring = {name: Served(tmp_path, name, "DEFINE QLOCAL(T) MAXDEPTH(900000)") for name in names}
    for served in ring.values():
        served.start()
    for here, there, beyond in (names, names[1:] + names[:1], names[2:] + names[:2]):
        script = (
            f"DEFINE QLOCAL({there}) USAGE(XMITQ) MAXDEPTH(900000) TRIGGER TRIGTYPE(FIRST)"
            f" INITQ(SYSTEM.CHANNEL.INITQ)\n"
            f"DEFINE QREMOTE({beyond}) RNAME(' ') RQMNAME({beyond}) XMITQ({there})\n"
            f"DEFINE CHANNEL({here}.{there}) CHLTYPE(SDR) XMITQ({there}) BATCHSZ(5) {QUICK}"
            f" CONNAME('127.0.0.1({ring[there].port})')"
        )
        with ring[here].local() as qm:
            run(qm, script)
        with ring[there].local() as qm:
            run(qm, f"DEFINE CHANNEL({here}.{there}) CHLTYPE(RCVR)")
    sent: dict[str, list[bytes]] = {name: [] for name in names}
    number = itertools.count()
    for _ in range(60):
        for here, _, beyond in (names, names[1:] + names[:1], names[2:] + names[:2]):
            with ring[here].local() as qm:
                for _ in range(chance.randrange(20)):
                    body = b"%s:%08d" % (here.encode(), next(number))
                    qm.put("T", body, qmgr=beyond, persistent=True)
                    sent[beyond].append(body)
        for name in chance.sample(names, chance.randrange(3)):
            port = ring[name].port
            ring[name].kill()
            ring[name].start(port)
    for name, bodies in sent.items():
        with ring[name].local() as qm:
            found = [bytes(qm.get("T", wait=120).body) for _ in bodies]
            assert found == sorted(bodies)
            assert qm.get("T", wait=0.5) is None
    for served in ring.values():
        served.stop()
