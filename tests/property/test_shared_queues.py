"""Two members and one shared queue against a small model.

Puts, gets, units, prepared units that any member ends, browses, browse locks, and deaths of members.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from penstock import Get, Open
from tests.patience import until
from tests.shared_groups import Members

MEMBERS = st.sampled_from(["QM1", "QM2"])
STEPS = 20
EXAMPLES = 5


class Unit:
    """What the model knows of a member's open unit."""

    def __init__(self) -> None:
        self.puts: list[tuple[int, int, bytes]] = []
        self.gets: list[tuple[int, int, bytes]] = []


class TwoMembers(RuleBasedStateMachine):
    """The queue is a list of (lane, place, body), sorted; a unit holds some of it."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.group = Members(self.url, Path(self._folder.name))
        self.group.queues["Q"] = {}
        self.qms: dict[str, Any] = {name: self.group.start(name) for name in ("QM1", "QM2")}
        self.queue: list[tuple[int, int, bytes]] = []
        self.units: dict[str, Unit | None] = {"QM1": None, "QM2": None}
        self.locks: dict[str, tuple[Any, tuple[int, int, bytes]]] = {}  # by member: handle, message
        self.prepared: dict[str, Unit] = {}  # by name
        self.number = 0

    def _came(self, messages: list[tuple[int, int, bytes]]) -> None:
        self.queue = sorted([*self.queue, *messages])

    @rule(name=MEMBERS, priority=st.integers(0, 9), persistent=st.booleans())
    def put(self, name: str, priority: int, persistent: bool) -> None:
        self.number += 1
        body = b"%d" % self.number
        self.qms[name].put("Q", body, priority=priority, persistent=persistent)
        message = (9 - priority, self.number, body)
        unit = self.units[name]
        if unit is None:
            self._came([message])
        else:
            unit.puts.append(message)

    @rule(name=MEMBERS)
    def get(self, name: str) -> None:
        got = self.qms[name].get("Q")
        unit = self.units[name]
        own = unit.puts if unit is not None else []
        if self.queue:
            expected = self.queue.pop(0)
            if unit is not None:
                unit.gets.append(expected)
        elif own:
            expected = min(own, key=lambda message: (message[0], own.index(message)))
            own.remove(expected)
        else:
            assert got is None
            return
        assert got is not None
        assert got.body == expected[2]

    @rule(name=MEMBERS)
    @precondition(lambda self: None in self.units.values())
    def begin(self, name: str) -> None:
        if self.units[name] is None:
            self.qms[name].begin()
            self.units[name] = Unit()

    @rule(name=MEMBERS, commit=st.booleans())
    def end(self, name: str, commit: bool) -> None:
        unit, self.units[name] = self.units[name], None
        if unit is None:
            return
        if commit:
            self.qms[name].commit()
            self._committed(unit)
        else:
            self.qms[name].backout()
            self._came(unit.gets)

    def _committed(self, unit: Unit) -> None:
        self.number += 1
        places = {body: i for i, (_, _, body) in enumerate(unit.puts)}
        self._came([(lane, self.number + places[body], body) for lane, _, body in unit.puts])
        self.number += len(unit.puts)

    @rule(name=MEMBERS)
    def prepare(self, name: str) -> None:
        unit = self.units[name]
        if unit is None or not (unit.puts or unit.gets):
            return
        self.units[name] = None
        self.number += 1
        self.prepared[f"X{self.number}"] = unit
        self.qms[name].prepare(f"X{self.number}")

    @rule(name=MEMBERS, commit=st.booleans())
    @precondition(lambda self: self.prepared)
    def resolve(self, name: str, commit: bool) -> None:
        xid, unit = self.prepared.popitem()
        if commit:
            self.qms[name].commit_prepared(xid)
            self._committed(unit)
        else:
            self.qms[name].backout_prepared(xid)
            self._came(unit.gets)

    @rule(name=MEMBERS)
    def lock(self, name: str) -> None:
        if name in self.locks:
            return
        handle = self.qms[name].open("Q", options=Open.BROWSE | Open.INPUT_SHARED)
        found = handle.get(options=Get.BROWSE_FIRST | Get.LOCK, quiet=True)
        assert (found and found.body) == (self.queue[0][2] if self.queue else None)
        if found is None:
            handle.close()
        else:
            self.locks[name] = handle, self.queue.pop(0)

    @rule(name=MEMBERS, take=st.booleans())
    def unlock(self, name: str, take: bool) -> None:
        """Get the locked message, or close the handle."""
        handle, message = self.locks.pop(name, (None, None))
        if handle is None or message is None:
            return
        if take:
            assert handle.get(options=Get.UNDER_CURSOR).body == message[2]
            unit = self.units[name]
            if unit is not None:
                unit.gets.append(message)
        else:
            self._came([message])
        handle.close()

    @rule(name=MEMBERS)
    def browse(self, name: str) -> None:
        with self.qms[name].open("Q", options=Open.BROWSE) as handle:
            seen = []
            while (message := handle.get(options=Get.BROWSE_NEXT, quiet=True)) is not None:
                seen.append(message.body)
        assert seen == [body for _, _, body in self.queue]

    @rule(name=MEMBERS)
    def die(self, name: str) -> None:
        unit, self.units[name] = self.units[name], None
        self.qms[name].host.abandon()
        self.qms[name] = self.group.start(name)
        if unit is not None:
            self._came(unit.gets)
        if name in self.locks:
            self._came([self.locks.pop(name)[1]])

    @invariant()
    def nothing_is_claimed_without_a_unit_or_a_lock(self) -> None:
        units = [unit for unit in (*self.units.values(), *self.prepared.values()) if unit is not None]
        held = sum(len(unit.gets) for unit in units) + len(self.locks)
        until(
            lambda: self.group.rows("select count(*) from claim") == [(held,)]
        )  # a lock ends a moment later

    def teardown(self) -> None:
        for name, unit in self.units.items():
            if unit is not None:
                self.qms[name].backout()
        self.group.close()
        self._folder.cleanup()


def test_two_members_do_what_the_model_says(postgresql: str) -> None:
    TwoMembers.url = postgresql
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        TwoMembers,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        ),
    )
