"""Two members and one shared queue against a small model.

Puts, gets, units, prepared units that any member ends, browses, browse locks, groups, expiry, connection
tags, and deaths of members.
"""

from __future__ import annotations

import tempfile
import time
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

import penstock
from penstock import Get, MsgFlag, Open, Put
from penstock.model.errors import MQError
from tests.patience import until
from tests.shared_groups import Members

MEMBERS = st.sampled_from(["QM1", "QM2"])
STEPS = 20
EXAMPLES = 6
GROUP = Get.LOGICAL_ORDER | Get.ALL_MESSAGES_AVAILABLE


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
        self.group.queues.update({"Q": {}, "G": {"INDXTYPE": "GROUPID"}})
        self.qms: dict[str, Any] = {name: self.group.start(name) for name in ("QM1", "QM2")}
        self.queue: list[tuple[int, int, bytes]] = []
        self.units: dict[str, Unit | None] = {"QM1": None, "QM2": None}
        self.locks: dict[str, tuple[Any, tuple[int, int, bytes]]] = {}  # by member: handle, message
        self.prepared: dict[str, Unit] = {}  # by name
        self.groups: list[tuple[bytes, int, bool]] = []  # on queue G: name, size, whether it is complete
        self.tagged: tuple[str, Any] | None = None  # the member whose connection has the tag
        self.number = 0

    def _came(self, messages: list[tuple[int, int, bytes]]) -> None:
        self.queue = sorted([*self.queue, *messages])

    @rule(name=MEMBERS, priority=st.integers(0, 9), persistent=st.booleans())
    def put(self, name: str, priority: int, persistent: bool) -> None:
        self.number += 1
        body = b"%d" % self.number
        expiry = 600 if self.number % 3 == 0 else None
        self.qms[name].put("Q", body, priority=priority, persistent=persistent, expiry=expiry)
        message = (9 - priority, self.number, body)
        unit = self.units[name]
        if unit is None:
            self._came([message])
        else:
            unit.puts.append(message)

    @rule(name=MEMBERS, persistent=st.booleans())
    def put_what_expires(self, name: str, persistent: bool) -> None:
        """It is gone when its time is over, also if its unit is committed after that."""
        self.qms[name].put("Q", b"late", priority=9, persistent=persistent, expiry=0.1)
        end = time.time() + 0.1
        until(lambda: time.time() > end)

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

    @rule(name=MEMBERS, size=st.integers(1, 3), complete=st.booleans(), reverse=st.booleans())
    def put_group(self, name: str, size: int, complete: bool, reverse: bool) -> None:
        """Outside units; an incomplete group lacks its last message."""
        self.number += 1
        group = b"%d" % self.number
        for number in sorted(range(1, size + 1), reverse=reverse):
            last = MsgFlag.LAST_IN_GROUP if complete and number == size else MsgFlag.IN_GROUP
            fields = {"group_id": group.ljust(24, b"\0"), "seq_number": number, "flags": last}
            self.qms[name].put("G", b"%s.%d" % (group, number), options=Put.NO_SYNCPOINT, **fields)
        self.groups.append((group, size, complete))

    @rule(name=MEMBERS, commit=st.booleans())
    def get_group(self, name: str, commit: bool) -> None:
        """The oldest complete group comes whole and in order, in a unit of its own."""
        if self.units[name] is not None:
            return
        found = next((each for each in self.groups if each[2]), None)
        with self.qms[name].open("G") as handle, self.qms[name].unit_of_work() as unit:
            if found is None:
                assert handle.get(options=GROUP, quiet=True) is None
                return
            seen = [handle.get(options=GROUP).body for _ in range(found[1])]
            assert seen == [b"%s.%d" % (found[0], number + 1) for number in range(found[1])]
            if not commit:
                unit.backout()
        if commit:
            self.groups.remove(found)

    @rule(name=MEMBERS)
    def take_tag(self, name: str) -> None:
        qm = penstock.embed(name, home=self.group.home)
        try:
            qm.take_connection_tag("TAG")
        except MQError as failure:
            assert failure.reason == 2271
            assert self.tagged is not None
            qm.close()
        else:
            assert self.tagged is None
            self.tagged = name, qm

    @rule()
    def end_tagged(self) -> None:
        """Whatever its unit has got is back in its place before the tag is free."""
        if self.tagged is None:
            return
        (_, qm), self.tagged = self.tagged, None
        qm.begin()
        qm.get("Q")
        qm.backout()
        qm.close()
        until(lambda: self.group.rows("select count(*) from tag") == [(0,)])

    @rule(name=MEMBERS)
    def die(self, name: str) -> None:
        unit, self.units[name] = self.units[name], None
        self.qms[name].host.abandon()
        self.qms[name] = self.group.start(name)
        if unit is not None:
            self._came(unit.gets)
        if name in self.locks:
            self._came([self.locks.pop(name)[1]])
        if self.tagged is not None and self.tagged[0] == name:
            self.tagged = None  # the member that starts again has freed it

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
        if self.tagged is not None:
            self.tagged[1].close()
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
