"""GroupComplete: starts a flow with a group whose replies have all arrived, or whose time is over.

Each ending is a unit of work of its own (`running/event_listener.py`). The message has
ComIbmGroupCompleteNode.Group with the Context of GroupScatter and Replies.<folder>.Reply.Root, the tree of
each reply. A reply that belongs to no group goes to `unknown` as it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.combining import add_tree, empty_message
from penstock.flow.events.grouping import Group, Groups, queue_of_group
from penstock.flow.events.sending import Out, Sending
from penstock.flow.kinds import Kind
from penstock.flow.node import CATCH, FAILURE, OUT, InputNode
from penstock.flow.tree_facts import add_facts
from penstock.tree import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.events.event import Event
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.running.listener import Listener

TIMEOUT, UNKNOWN = "timeout", "unknown"
ROOT = "ComIbmGroupCompleteNode"


class GroupComplete(InputNode):
    """Sends groups on: `GroupComplete("QUOTES")`."""

    outputs = (OUT, TIMEOUT, UNKNOWN, FAILURE, CATCH)
    kind = Kind.QUEUE

    group: str

    def check(self) -> Iterable[str]:
        if not self.group:
            yield "a GroupComplete needs a group name, the one of its GroupScatter and GroupGather"

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return (queue_of_group(self.group),)

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.event_listener import EventListener

        return EventListener(flow, label, connect(), queue_of_group(self.group), GroupKeeper, **options)


class GroupKeeper:
    """The groups of a GroupComplete in a running flow: a `Keeper`."""

    def __init__(self, at: NodeContext) -> None:
        self.project = at.instance.project
        self.groups = Groups()

    def add(self, event: Event) -> None:
        self.groups.add(event)

    def ready(self, now: float) -> list[Sending]:
        return [
            *(self._ended(each, OUT) for each in self.groups.complete()),
            *(self._ended(each, TIMEOUT) for each in self.groups.expired(now)),
            *(self._unknown(each) for each in self.groups.given_up(now)),
        ]

    def done(self, sending: Sending, now: float) -> None:
        self.groups.open = [each for each in self.groups.open if each.identity != sending.key]
        self.groups.unknown.pop(sending.takes[0], None)

    def due(self) -> float | None:
        return self.groups.due()

    def _ended(self, group: Group, terminal: str) -> Sending:
        takes = [group.identity, *(each.identity for each in group.replies.values())]
        return Sending(group.identity, takes, lambda: [self._message(group, terminal)], [])

    def _message(self, group: Group, terminal: str) -> Out:
        replies = [
            (each.folder, group.replies[each.reply_identifier].stored)
            for each in group.requests
            if each.reply_identifier in group.replies
        ]
        persistent = group.persistent or any(reply.message.persistent for _, reply in replies)
        message = empty_message(persistent, True)
        body = message.reference().add_last_child(ROOT).add_last_child("Group")
        if group.context is not None:
            add_facts(body, group.context)
        folder = body.add_last_child("Replies")
        for name, reply in replies:
            root = folder.add_last_child(name).add_last_child("Reply").add_last_child("Root")
            add_tree(root, reply, self.project, True)
        return Out(terminal, message, Message())

    def _unknown(self, event: Event) -> Sending:
        def messages() -> list[Out]:
            return [Out(UNKNOWN, event.stored.tree(self.project, True), Message())]

        return Sending(event.identity, [event.identity], messages, [])
