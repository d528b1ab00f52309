"""The properties of nodes that send requests which may belong to a group (GroupScatter)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.events.grouping import GroupRequest
from penstock.flow.node import KW_ONLY, Node
from penstock.flow.nodes.group_scatter import innermost_group

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly


class GroupProperties(Node):
    """The base class of these nodes. `group_folder` names the folder of the reply."""

    _: KW_ONLY
    add_to_group: bool = False
    group_folder: str = ""

    def check(self) -> Iterable[str]:
        yield from super().check()
        if self.add_to_group and not self.group_folder:
            yield "a request that is added to a group needs group_folder, the folder of its reply"

    def group_around(self, assembly: Assembly) -> list[GroupRequest] | None:
        """Return the requests of the group that the node adds to, None if it adds to none.

        It asks before it sends: without a group nothing is sent.
        """
        return innermost_group(assembly) if self.add_to_group else None

    def note_requests(self, group: list[GroupRequest] | None, written: Iterable[dict[str, Any]]) -> None:
        """Add what was written to a group."""
        if group is not None:
            group.extend(GroupRequest(each["replyIdentifier"], self.group_folder) for each in written)
