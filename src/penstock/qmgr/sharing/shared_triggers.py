"""Triggers of shared queues: once for the group, whoever puts.

A member that has an initiation queue open asks the facility whether a trigger event is due. The facility
decides with what it has: messages, handles of all members, and whether the queue is armed. One member gets a
yes, which disarms the queue; an open for input arms it again. Then every member with a local initiation queue
that is open puts a trigger message there; a shared initiation queue gets one, from the member that asked.
EVERY is decided by the member that puts. Called by `sharing` and `triggering`; the host asks the facility
(`ask`), without the gate. No I/O.
Invariant: a queue is disarmed only by a member that can put the trigger message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr.triggers import triggering

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.qmgr.engine import Engine
    from penstock.qmgr.sharing.shared_queue import SharedQueue

HIGHEST = 9


class SharedTriggers:
    """The triggers of one member's shared queues."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.ask: Callable[[], None] = lambda: None  # have `due` asked for soon
        self.due: dict[str, SharedQueue] = {}

    def consider(self, queue: SharedQueue) -> None:
        """Have the facility asked, if a trigger message for a queue could be put here."""
        trigger = queue.trigger
        if trigger is None or trigger.rules is None or trigger.rules.kind == "EVERY" or queue.deleted:
            return
        if queue.inputs or queue.name in self.due:
            return
        if triggering.has_monitor(self._engine, queue):
            self.due[queue.name] = queue
            self.ask()

    def take(self) -> list[tuple[SharedQueue, tuple[Any, ...]]]:
        """Return the queues to ask for: number, messages, lane, and TRIGINT in seconds."""
        due, self.due = self.due, {}
        asked = []
        for queue in due.values():
            if queue.trigger is not None and queue.trigger.rules is not None:
                rules = queue.trigger.rules
                depth = rules.depth if rules.kind == "DEPTH" else 1
                interval = int(self._engine.definition.attributes["TRIGINT"]) / 1000
                asked.append((queue, (queue.number, depth, HIGHEST - rules.priority, interval)))
        return asked

    def every(self, queue: SharedQueue, priorities: list[int], now: float) -> None:
        """Fire once for each message that was put and committed, with TRIGTYPE(EVERY)."""
        trigger = queue.trigger
        if trigger is not None and trigger.rules is not None and trigger.rules.kind == "EVERY":
            for priority in priorities:
                if priority >= trigger.rules.priority:
                    self.fire(queue, now)

    def fire(self, queue: SharedQueue, now: float, *, elsewhere: bool = False) -> None:
        """Put the trigger message; one that another member asked for goes to a local initiation queue."""
        engine = self._engine
        trigger = queue.trigger
        if trigger is None or trigger.rules is None:
            return
        initq = engine.queues.get(trigger.rules.initiation_queue)
        if elsewhere and initq is not None and initq.shared is not None:
            return
        ticket = engine.step.ticket
        triggering.fire(engine, queue, now)
        if ticket is None:
            engine.step.no_round()
