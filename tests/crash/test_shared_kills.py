"""The kill matrix of shared queues: members, the server and the network fail at each step of a unit.

Every message has a number. What was answered is there, nothing is got twice by committed units, and the local
half of a unit agrees with its shared half. `make test` has every step with every accident once; `make soak`
repeats them, and has a crowd under random accidents.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.share import pipe as pipes
from tests.crash import shared_cells
from tests.crash.shared_cells import DONE, EITHER, UNDONE, Cell, Matrix
from tests.patience import until
from tests.postgresql import Server, restartable_server
from tests.relay import Relay
from tests.shared_groups import Members, members

pytestmark = pytest.mark.crash
ACCIDENTS = int(os.environ.get("PENSTOCK_ACCIDENTS", "50"))  # in each part of the soak


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with restartable_server() as found:
        yield found


@pytest.fixture(autouse=True)
def rounds_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "run_round", pipes.run_round)  # put back after the test


@pytest.fixture
def watched(server: Server, tmp_path: Path) -> Iterator[Members]:
    """A group with one member, QM1, that looks on and knows the queues of all cells."""
    with members(server.url, tmp_path, "QM1") as group:
        for cell in shared_cells.cells():
            group.share(cell.source)
            group.share(cell.target)
        shared_cells.slow_down(group)
        yield group


def everything(qm: Any, queue: str) -> Counter[bytes]:
    """Get all that is on a queue."""
    found: Counter[bytes] = Counter()
    while (message := qm.get(queue)) is not None:
        found[message.body] += 1
    return found


def give_work(one: Any, cells: list[Cell], number: int) -> None:
    for cell in cells:
        if cell.step != "put":
            one.put(cell.source, b"%d %d" % (number, cell.number), persistent=True)


def check(one: Any, cell: Cell, expected: str) -> str:
    """Check that a cell's message is on one of its queues, once, and on the right one; return which."""
    back, out = everything(one, cell.source), everything(one, cell.target)
    what = f"{cell.step}, mixed {cell.mixed}, told {cell.told}: {back} {out}"
    came = 0 if cell.step == "put" and not out else 1
    assert sum(back.values()) + sum(out.values()) == came, what
    state = DONE if out else UNDONE
    assert expected in (state, EITHER), what
    return state


def check_told(cell: Cell, state: str) -> None:
    """Check that the caller was told what has become of its unit."""
    told = {"committed": DONE, "2003": UNDONE, "2345": UNDONE, "2124": state}
    assert told[cell.told] == state, f"{cell.step}, mixed {cell.mixed}: told {cell.told}, it is {state}"


def check_local(qm: Any, cell: Cell, state: str) -> None:
    local = sum(everything(qm, "DONE").values())
    assert local == (1 if cell.mixed and state == DONE else 0), f"{cell.step}: {state}, {local} in DONE"


def kill_members(watched: Members, number: int) -> None:
    """Kill a process with a member at each step; its peer frees what they held, each ends at its restart."""
    one = watched.here["QM1"]
    worker = watched.run("CELLS", "shared_cells.py")
    assert worker.stdout is not None
    assert worker.stdin is not None
    assert worker.stdout.readline() == "ready\n"
    cells = shared_cells.cells()
    give_work(one, cells, number)
    worker.stdin.write("go\n")
    worker.stdin.flush()
    assert worker.stdout.readline() == "stopped\n"
    watched.kill("CELLS")
    for cell in cells:
        watched.until_recovered(cell.member)
    for cell in cells:
        state = check(one, cell, shared_cells.STEPS[cell.step])
        if cell.mixed:
            qm = watched.start(cell.member)
            check_local(qm, cell, state)
            qm.close()
            del watched.here[cell.member]


def test_members_killed_at_each_step_leave_nothing_lost_or_doubled(watched: Members, scale: int) -> None:
    for number in range(scale):
        kill_members(watched, number)


def test_the_server_and_the_network_fail_at_each_step(
    watched: Members, server: Server, tmp_path: Path, scale: int
) -> None:
    """`pg_ctl -m immediate` and a cut of all connections: callers are told what has become of their units."""
    one = watched.here["QM1"]
    relay = Relay(server.socket)
    through = Members(f"postgresql://postgres@127.0.0.1:{relay.port}/postgres", tmp_path)
    through.group = replace(watched.group, facility=through.url)
    matrix = Matrix(through)
    matrix.start()
    try:
        for number in range(2 * scale):
            restarts = number % 2 == 0
            give_work(one, matrix.cells, number)
            if restarts:
                one.put("IN0", b"not persistent", persistent=False)  # of the cell that does not get
            matrix.run()
            lives = {name: qm.host.sharing.facility.incarnation for name, qm in through.here.items()}
            own_life = one.host.sharing.facility.incarnation
            if restarts:
                server.stop_at_once()
                server.start()
            else:
                relay.cut()
            matrix.go_on()
            for name, qm in through.here.items():
                life = lives[name]
                until(lambda qm=qm, life=life: qm.host.sharing.facility.incarnation > life)
                until(lambda qm=qm: qm.host.sharing.connected and not qm.host.sharing.sharing.open_units)
            if restarts:
                until(lambda life=own_life: one.host.sharing.facility.incarnation > life)
            until(lambda: one.host.sharing.connected)
            for cell in matrix.cells:
                # a unit without claims goes on, unless its commit was sent on a dead connection (2003)
                expected = EITHER if cell.step == "put" else shared_cells.STEPS[cell.step]
                state = check(one, cell, expected)
                check_told(cell, state)
                check_local(through.here[cell.member], cell, state)
            matrix.again()
    finally:
        for qm in through.here.values():
            qm.close()
        relay.close()


def test_recovery_that_dies_half_done_is_done_by_the_next(watched: Members) -> None:
    """The only peer dies while it frees what a dead member held; the next to start frees both."""
    begun = threading.Event()

    def stop_there(number: str, text: str) -> None:
        if number == "CSQE011I":
            begun.set()
            watcher.host.abandon()

    one = watched.here["QM1"]
    one.put("IN1", b"work", persistent=True)
    dead, watcher = watched.start("DEAD"), watched.start("WATCHER")
    one.close()
    dead.begin()
    assert dead.get("IN1").body == b"work"
    watcher.host.sharing.facility.notices = stop_there
    dead.host.abandon()
    until(begun.is_set)
    watched.here.clear()
    last = watched.start("LAST")
    found = last.get("IN1", wait=60)
    assert (found.body, found.backout_count) == (b"work", 1)
    watched.until_recovered("WATCHER")


@pytest.mark.soak
def test_a_member_that_hears_nothing_is_fenced_off_and_comes_back(server: Server, tmp_path: Path) -> None:
    """The network swallows what the server says: peers end the sessions, and the member joins anew."""
    relay = Relay(server.socket)
    with members(server.url, tmp_path, "QM1", member_timeout=2.0) as group:
        group.share("ORDERS")
        one = group.here["QM1"]
        one.put("ORDERS", b"work", persistent=True)
        through = Members(f"postgresql://postgres@127.0.0.1:{relay.port}/postgres", tmp_path)
        through.group = replace(group.group, facility=through.url)
        through.queues["ORDERS"] = {}
        two = through.start("QM2")
        two.begin()
        assert two.get("ORDERS").body == b"work"
        relay.swallows.add("back")
        assert one.get("ORDERS", wait=60).body == b"work"
        relay.swallows.clear()
        relay.cut()
        until(lambda: group.rows("select incarnation from member where name = 'QM2'")[0][0] > 1)
        until(lambda: two.host.sharing.connected)
        with pytest.raises(MQError, match="2003"):
            two.commit()
        two.close()
    relay.close()


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_a_crowd_under_random_accidents_loses_and_doubles_nothing(
    server: Server, tmp_path: Path, part: int
) -> None:
    """50 accidents a part: members killed or stopped, the server stopped at once, connections cut."""
    seed = f"{os.environ.get('PENSTOCK_SEED', '1')}-{part}"
    print("seed", seed)
    relay = Relay(server.socket)
    with members(server.url, tmp_path, "QM1", member_timeout=3.0) as group:
        group.share("ORDERS")
        group.share("RESULTS")
        through = Members(f"postgresql://postgres@127.0.0.1:{relay.port}/postgres", tmp_path)
        through.group = replace(group.group, facility=through.url)
        through.queues = dict(group.queues)
        crowd = Crowd(group, through, server, relay, random.Random(seed))
        try:
            for _ in range(ACCIDENTS):
                crowd.feed()
                crowd.pause()
                crowd.accident()
            crowd.check()
        finally:
            through_workers = list(through.elsewhere)
            for name in through_workers:
                through.kill(name)
            relay.close()


class Crowd:
    """Members in processes of their own that move messages from ORDERS to RESULTS, and what befalls them."""

    def __init__(self, group: Members, through: Members, server: Server, relay: Relay, chance: Any) -> None:
        self.group, self.through, self.server, self.relay = group, through, server, relay
        self.chance = chance
        self.given = 0
        self.moved: Counter[bytes] = Counter()
        for name in ("W1", "W2", "W3"):
            self._start(name)

    def _start(self, name: str) -> None:
        worker = self.through.run(name, "shared_member.py")
        assert worker.stdin is not None
        worker.stdin.write("move\n")  # it begins when it is ready
        worker.stdin.flush()

    def feed(self) -> None:
        """Keep work there, and take finished work away."""
        one = self.group.here["QM1"]
        with contextlib.suppress(MQError):  # the server may be away
            while (message := one.get("RESULTS")) is not None:
                self.moved[message.body] += 1
            while one.host.engine.queues["ORDERS"].depth < 200 and self.given - self.moved.total() < 1000:
                one.put("ORDERS", b"%d" % self.given, persistent=True)
                self.given += 1

    def pause(self) -> None:
        threading.Event().wait(self.chance.uniform(0.1, 1.5))

    def accident(self) -> None:
        name = self.chance.choice(list(self.through.elsewhere))
        kind = self.chance.random()
        if kind < 0.7:
            self.through.kill(name)
            self._start(name)
        elif kind < 0.8:
            self.relay.cut()
        elif kind < 0.9:
            self.server.stop_at_once()
            self.server.start()
        else:
            worker = self.through.elsewhere[name]
            os.kill(worker.pid, signal.SIGSTOP)
            threading.Event().wait(self.chance.choice((0.2, 4.0)))
            os.kill(worker.pid, signal.SIGCONT)

    def check(self) -> None:
        """Stop all, start each member again, and count."""
        one = self.group.here["QM1"]
        for name in list(self.through.elsewhere):
            self.through.kill(name)
        active = "select from member where state = 'active' and name <> 'QM1'"
        until(lambda: not self.group.rows(active))
        until(lambda: one.host.sharing.connected)
        self.moved += everything(one, "RESULTS")
        local: Counter[bytes] = Counter()
        for name in ("W1", "W2", "W3"):
            local += everything(self.group.start(name), "DONE")
        left = everything(one, "ORDERS")
        mixed = Counter({body: n for body, n in self.moved.items() if b" mixed" in body})
        assert local == mixed
        numbers = Counter({int(body.split()[0]): n for body, n in (left + self.moved).items()})
        expected = Counter(range(self.given))
        assert numbers == expected, f"lost {expected - numbers}, doubled {numbers - expected}"
