"""AggregateRequest: records that a request of the aggregation was sent. It follows an output node.

It finds the identifiers that replies will carry in LocalEnvironment.WrittenDestination, and the aggregation
in the data of AggregateControl there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.aggregation.state import Request
from penstock.flow.node import OUT, Node
from penstock.flow.nodes.aggregate_control import requests_of
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

_WRITTEN, _DATA = Path("WrittenDestination"), Path("DestinationData")
_IDENTIFIERS = (Path("replyIdentifier"), Path("msgId"))


class AggregateRequest(Node):
    """Notes a request: `AggregateRequest("TAXI")`; the reply will be in folder TAXI."""

    folder: str = ""

    def check(self) -> Iterable[str]:
        if not self.folder:
            yield "an AggregateRequest needs the name of the folder for its reply"

    def start(self, at: NodeContext) -> Process:
        onward = at.wire(OUT)

        def process(assembly: Assembly) -> None:
            requests = requests_of(assembly)
            if requests is None:
                raise error(
                    mq.PSRC_FLOW_AGGREGATION,
                    "there is no AggregateControl before this node, or LocalEnvironment was replaced",
                )
            written = list(_written(assembly))
            if not written:
                raise error(mq.PSRC_FLOW_AGGREGATION, "LocalEnvironment.WrittenDestination names no request")
            known = {each.reply_identifier for each in requests}
            requests.extend(Request(each, self.folder) for each in written if each not in known)
            if onward is not None:
                onward(assembly)

        return process


def _written(assembly: Assembly) -> Iterator[bytes]:
    """Yield the identifiers that replies to the written messages will carry, for every protocol."""
    folder = assembly.local_environment.reference(_WRITTEN)
    for protocol in folder or ():
        for data in protocol.each(_DATA):
            found = [data.get(path) for path in _IDENTIFIERS]
            yield from [each for each in found if each is not MISSING and isinstance(each, bytes)][:1]
