"""Drives a DatabaseInput: reads events in a transaction of its own, runs the flow on each in one unit.

That unit holds the queues and the databases of the flow, with BuildMessage before and EndEvent behind it. An
event that failed waits until the others have had their turn.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from penstock.flow.assembly import Assembly, Invocation
from penstock.flow.database_work import Statements
from penstock.flow.new_messages import arrived
from penstock.flow.running.node_listener import NodeListener
from penstock.flow.running.reporting import report
from penstock.model.errors import MessageFailed, MQError
from penstock.tree import Message, Path

if TYPE_CHECKING:
    import threading

    from penstock.flow.nodes.database_input import DatabaseInput
    from penstock.flow.project import Project
    from penstock.tree import Reference

EVENTS_MAX = 10_000  # of one call of ReadEvents
_KEY, _EMPTY = Path("Key"), Path("BLOB")


class DatabaseListener(NodeListener):
    """One instance of a flow at one table of events. Used by one thread."""

    node: DatabaseInput

    def prepare(self, project: Project) -> None:
        self.module = self.node.esql_module(project)
        self.statements = Statements(self.runner.at, self.node.data_source)
        self._failed: dict[str, int] = {}

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until there is no event."""
        self.runner.stop = None if until_empty else stop
        while not stop.is_set():
            done = self.step(stop)
            if until_empty and not done:
                return
            if not done:
                stop.wait(self.node.polling)

    def step(self, stop: threading.Event) -> int:
        """Read events and run the flow on each; return how many are done with."""
        events = self._read()
        done = 0
        for event in events:
            if stop.is_set():
                break
            done += self._one(event)
        return done

    def _read(self) -> list[Reference]:
        """Call ReadEvents; its transaction ends before the first event runs."""
        found = Message()
        events = found.reference().add_last_child("NewEvents")
        problem = self.runner.in_unit(lambda: self._call("ReadEvents", Message(), events))
        if problem is not None:
            return []
        listed = list(events)[:EVENTS_MAX]
        report(logging.DEBUG, "flow_events_read", flow=self.tally.flow, events=len(listed))
        return listed

    def _one(self, event: Reference) -> int:
        key = str(event.get(_KEY))
        problem = self.runner.in_unit(lambda: self._dispatch(event))
        if problem is None:
            self._failed.pop(key, None)
            self.tally.messages += 1
            return 1
        self._failed[key] = times = self._failed.get(key, 0) + 1
        if times <= self.node.retries or self.runner.at.wire("failure") is None:
            return 0
        self._failed.pop(key, None)
        return int(self.runner.in_unit(lambda: self._give_up(event, problem)) is None)

    def _dispatch(self, event: Reference) -> None:
        message = self._built(event)
        self.runner.send(message, None)
        self._call("EndEvent", message, event)

    def _give_up(self, event: Reference, problem: MessageFailed) -> None:
        """Send an event to the failure terminal, and end it."""
        try:
            message = self._built(event)
        except MQError:
            message = arrived(b"", "BLOB")
        self.runner.send_failed(message, problem, None)
        self._call("EndEvent", message, event)

    def _built(self, event: Reference) -> Message:
        message = arrived(b"", "BLOB", put_time=self.runner.ports.clock())
        message.delete(_EMPTY)
        self._call("BuildMessage", message, event)
        return message

    def _call(self, routine: str, message: Message, argument: Reference) -> None:
        assembly = Assembly(message, Invocation(self.runner.ports, transactional=True))
        self.module.call(self.statements.context(assembly), routine, argument)
