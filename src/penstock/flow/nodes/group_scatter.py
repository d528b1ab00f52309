"""GroupScatter: starts a group. The requests that nodes with `add_to_group` send behind `out` belong to it.

When everything behind `out` is done, the group is kept on its queue in the flow's unit of work, and the
message goes to `GroupCreated`. GroupComplete, in the same flow or another, sends the replies on. A message
without any request starts no group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.events.event import event_record
from penstock.flow.events.grouping import GroupRequest, created, queue_of_group
from penstock.flow.kinds import Kind
from penstock.flow.node import FAILURE, KW_ONLY, OUT, Node
from penstock.flow.tree_facts import facts_of
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.tree import Message

CREATED = "GroupCreated"
_CONTEXT = Path("Destination", "GroupScatter", "Context")
_WRITTEN = Path("WrittenDestination", "GroupScatter")


class GroupScatter(Node):
    """Begins a group: `GroupScatter("QUOTES", timeout=30)`; `timeout` 0 waits for ever."""

    outputs = (OUT, CREATED, FAILURE)
    kind = Kind.QUEUE

    group: str
    _: KW_ONLY
    timeout: float = 0.0

    def check(self) -> Iterable[str]:
        if not self.group:
            yield "a GroupScatter needs a group name, the one of its GroupGather and GroupComplete"
        if self.timeout < 0:
            yield f"timeout {self.timeout} is negative; 0 waits for ever"

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return (queue_of_group(self.group),)

    def start(self, at: NodeContext) -> Process:
        queue = queue_of_group(self.group)

        def process(assembly: Assembly) -> None:
            requests: list[GroupRequest] = []
            groups = open_groups(assembly)
            groups.append(requests)
            try:
                at.send(OUT, assembly)
            finally:
                groups.remove(requests)
            if not requests:
                return
            invocation = assembly.invocation
            source = invocation.source
            lasts = source is None or source.persistent
            event = created(invocation.ports, requests, self.timeout, _context(assembly), lasts)
            invocation.ports.put(queue, event_record(event), in_unit=invocation.transactional)
            at.send(CREATED, assembly.sending(local_environment=_announced(assembly, self.group, requests)))

        return process


def innermost_group(assembly: Assembly) -> list[GroupRequest]:
    """Return the requests of the group that is being made; 8320 if there is none."""
    groups = open_groups(assembly)
    if not groups:
        raise error(
            mq.PSRC_FLOW_AGGREGATION, "there is no GroupScatter before this node, which adds to a group"
        )
    return groups[-1]


def open_groups(assembly: Assembly) -> list[list[GroupRequest]]:
    """Return the requests of the groups that are being made around a node, the outermost first."""
    found: list[list[GroupRequest]] = assembly.invocation.notes.setdefault(GroupScatter, [])
    return found


def _context(assembly: Assembly) -> list[Any] | None:
    """Return what the flow wants to find again in the group: from LocalEnvironment, else from Environment."""
    for tree in (assembly.local_environment, assembly.environment):
        field = tree.reference(_CONTEXT)
        if field is not None:
            return facts_of(field)
    return None


def _announced(assembly: Assembly, group: str, requests: list[GroupRequest]) -> Message:
    copy = assembly.copied_local_environment()
    folder = copy.create(_WRITTEN)
    folder.add_last_child("GroupName", group)
    for each in requests:
        request = folder.add_last_child("Requests")
        request.add_last_child("ReplyId", each.reply_identifier)
        request.add_last_child("FolderName", each.folder)
    return copy
