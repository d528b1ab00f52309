"""RouteToLabel: sends a message to a Label that a list in LocalEnvironment names.

The list is LocalEnvironment.Destination.RouterList.DestinationData, each with a labelName. The entry that was
used is removed from the list in the output message, so that a later RouteToLabel finds the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.node import FAILURE, Node
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.tree import Reference

MODES = ("last", "first")
_LIST = Path("Destination", "RouterList", "DestinationData")
_NAMES = Path("labelName"), Path("labelname")  # as written today, and in old flows


class RouteToLabel(Node):
    """Follows the list; `mode` is "last" (the newest entry) or "first"."""

    outputs = (FAILURE,)

    mode: str = "last"

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(mode=MODES)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        trees = assembly.copied_local_environment()
        entries = list(trees.reference().each(_LIST))
        if not entries:
            raise error(
                mq.PSRC_FLOW_LABEL,
                "LocalEnvironment.Destination.RouterList has no DestinationData to route by",
                label="",
            )
        entry = entries[0 if self.mode == "first" else -1]
        onward = at.instance.label(_label(entry))
        entry.delete()
        onward(assembly.sending(local_environment=trees))


def _label(entry: Reference) -> str:
    for path in _NAMES:
        value = entry.get(path)
        if value is not MISSING and value is not None:
            return str(value).strip()
    raise error(mq.PSRC_FLOW_LABEL, "an entry of RouterList has no labelName", label="")
