"""Drives a TCPIP input: records of connections become messages, each in its own unit of work."""

from __future__ import annotations

import queue
import time
from typing import TYPE_CHECKING

from penstock.flow.new_messages import arrived
from penstock.flow.nodes.tcpip_properties import describe
from penstock.flow.running.node_listener import NodeListener
from penstock.flow.tcp.endpoints import BROKEN, CLIENT, RECORD, REDIAL_SECONDS, endpoints
from penstock.model.errors import MQError
from penstock.tree import Message

if TYPE_CHECKING:
    import threading

    from penstock.flow.nodes.tcpip_input import TCPIPClientInput
    from penstock.flow.project import Project
    from penstock.flow.tcp.endpoints import Happening

WAIT_SECONDS = 0.1  # how long it waits before it looks whether to stop


class StreamListener(NodeListener):
    """One instance of a flow at one address. Used by one thread."""

    node: TCPIPClientInput

    def prepare(self, project: Project) -> None:
        self.model = self.node.model_in(project)
        framing = self.node.framing(self.model)
        self.endpoint = endpoints().open(*self.node.place)
        self.endpoint.attach(framing)
        self._dialled = 0.0

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until nothing has arrived."""
        self.runner.stop = None if until_empty else stop
        try:
            while not stop.is_set():
                if not self.step(WAIT_SECONDS) and until_empty:
                    return
        finally:
            endpoints().close(self.endpoint)

    def step(self, wait: float) -> int:
        """Run the flow on what happened next; 0 if nothing did."""
        self._dial()
        try:
            found = self.endpoint.line.get(timeout=wait)
        except queue.Empty:
            return 0
        if found.kind == RECORD:
            self._record(found)
        elif found.kind == BROKEN:
            assert found.problem is not None
            self.runner.fail(arrived(found.record, "BLOB"), found.problem, local_environment=_about(found))
        elif self.runner.at.wire(found.kind) is not None:
            self.runner.run(arrived(b"", "BLOB"), _about(found), terminal=found.kind)
        return 1

    def _dial(self) -> None:
        """Connect a client that has no connection."""
        if self.node.role != CLIENT or self.endpoint.connections:
            return
        if time.monotonic() - self._dialled < REDIAL_SECONDS:
            return
        self._dialled = time.monotonic()
        try:
            self.endpoint.back(self.endpoint.find("", self.node.timeout))
        except MQError:
            return  # it is dialled again

    def _record(self, found: Happening) -> None:
        try:
            message = self._message(found.record, self.node.domain)
        except MQError as raised:
            problem = self.runner.fail(self._message(found.record, "BLOB"), raised, "", _about(found))
        else:
            problem = self.runner.run(message, _about(found))
            if problem is not None:
                problem = self.runner.fail(self._message(found.record, "BLOB"), problem, "", _about(found))
        if problem is not None:
            self.endpoint.forget(found.connection)
        else:
            self.endpoint.back(found.connection)

    def _message(self, record: bytes, domain: str) -> Message:
        return self.node.arrived(record, self.model, domain, put_time=self.runner.ports.clock())


def _about(found: Happening) -> Message:
    return describe(Message(), found.connection)
