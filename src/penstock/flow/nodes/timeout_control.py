"""TimeoutControl: sets and cancels timeouts. A TimeoutNotification sends the message when it is due.

The request is in the message (LocalEnvironment.TimeoutRequest unless `request` names another location). It is
stored on a queue in the flow's unit of work, so it survives a restart if it is persistent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.aggregation.stored_reply import stored_reply
from penstock.flow.kinds import Kind
from penstock.flow.locations import location
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.flow.timers.record import QUEUE, Timer, key_of
from penstock.flow.timers.request import CANCEL, TimeoutRequest, request_in, wrong
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.model.message import Message as QueueMessage

PERSISTENCES = ("automatic", "yes", "no")


class TimeoutControl(Node):
    """Sets timeouts for the TimeoutNotification of the same `identifier`."""

    kind = Kind.EFFECT
    state_queues = (QUEUE,)

    identifier: str
    _: KW_ONLY
    request: str = "InputLocalEnvironment.TimeoutRequest"
    persistence: str = "automatic"

    def check(self) -> Iterable[str]:
        if not self.identifier:
            yield "a TimeoutControl needs the identifier of its TimeoutNotification"
        yield from self.wrong_choices(persistence=PERSISTENCES)
        try:
            location(self.request)
        except MQError as problem:
            yield f"request: {problem.detail}"

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        found = location(self.request).reference(assembly)
        request = request_in(found, assembly.invocation.ports.clock())
        if request.action == CANCEL:
            self._cancel(assembly, request)
        else:
            self._set(assembly, request)
        at.send(OUT, assembly)

    def _cancel(self, assembly: Assembly, request: TimeoutRequest) -> None:
        if not self._taken(assembly, request):
            raise wrong(f"there is no timeout {request.identifier!r} of {self.identifier} to cancel")

    def _set(self, assembly: Assembly, request: TimeoutRequest) -> None:
        taken = self._taken(assembly, request)
        if taken and not request.allow_overwrite:
            for each in taken:
                assembly.invocation.ports.put(QUEUE, each)
            raise wrong(f"timeout {request.identifier!r} of {self.identifier} is set already")
        stored = stored_reply(assembly)
        persistent = self.persistence == "yes" or (
            self.persistence == "automatic" and stored.message.persistent
        )
        kept = Timer(self.identifier, request, stored).message(persistent)
        assembly.invocation.ports.put(QUEUE, kept, in_unit=assembly.invocation.transactional)

    def _taken(self, assembly: Assembly, request: TimeoutRequest) -> list[QueueMessage]:
        """Take the requests that are set under this identifier."""
        ports, key = assembly.invocation.ports, key_of(self.identifier, request.identifier)
        taken: list[QueueMessage] = []
        while (message := ports.get(QUEUE, correl_id=key, in_unit=True)) is not None:
            taken.append(message)
        return taken
