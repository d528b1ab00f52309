"""Triggers of shared queues between engine and facility: who fires, and what the others do.

`GroupCommands` calls `ask` in its thread; the wake-up `trigger` comes in the listener's thread. The rules are
in `qmgr.sharing.shared_triggers`. Invariant: the gate is not held while the facility is asked.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from penstock.qmgr.sharing.shared_queue import SHARED_IDS, SharedQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.queue_sharing.sharing import GroupMembership

TRIGGER_WAKE = "trigger"


class GroupTriggers:
    """The triggers of one member."""

    def __init__(self, membership: GroupMembership, soon: Callable[[], None]) -> None:
        self._membership = membership
        membership.wakes[TRIGGER_WAKE] = self._fired_elsewhere
        membership.sharing.triggers.ask = soon

    def ask(self) -> None:
        """Ask the facility for the queues that may be due, and fire where it says so."""
        membership = self._membership
        with membership.host.gate.anyway:
            due = membership.sharing.triggers.take()
        facility = membership.facility
        for queue, (number, depth, lane, interval) in due:
            if number not in facility.registered:  # from now on a put elsewhere wakes this member
                facility.execute("select wait_1(%s::smallint, %s)", (facility.member, number))
                facility.registered.add(number)
            ((fires,),) = facility.execute(
                "select trigger_1(%s::smallint, %s, %s, %s, %s::smallint, %s, %s)",
                (facility.member, facility.channel, number, depth, lane, time.time(), interval),
            )
            if fires:
                self._fire(queue, elsewhere=False)
                self._switch_off(queue)

    def _fired_elsewhere(self, text: str) -> None:
        number, _, member = text.partition(",")
        queue = self._membership.engine.queues_by_id.get(int(number) + SHARED_IDS)
        if isinstance(queue, SharedQueue) and int(member) != self._membership.member:
            self._fire(queue, elsewhere=True)

    def _fire(self, queue: SharedQueue, *, elsewhere: bool) -> None:
        membership = self._membership
        with membership.host.gate.anyway:
            membership.engine.step.begin()
            membership.sharing.triggers.fire(queue, time.time(), elsewhere=elsewhere)
            membership.engine.step.end()

    def _switch_off(self, queue: SharedQueue) -> None:
        """Set TRIGGER(NO) for the group after TRIGTYPE(DEPTH) has fired."""
        trigger, commands = queue.trigger, self._membership.commands
        if commands is None or trigger is None or trigger.rules is None or not trigger.rules.switches_off:
            return
        found = commands.repository.find("QLOCAL", queue.name)
        if found is not None:
            changed = {**found.attributes, "TRIGGER": "NO"}
            commands.repository.store("QLOCAL", queue.name, found.disposition, changed, False)
