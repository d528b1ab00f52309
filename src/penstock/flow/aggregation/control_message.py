"""The control message that AggregateControl sends to AggregateReply over the deprecated control terminals.

Only made in compatibility mode. It is an XML document, because it travels over queues where others may read
it.
"""

from __future__ import annotations

from html import escape  # that of xml.sax.saxutils brings urllib and ssl with it
from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.aggregation.state import Request
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import Path, parse

if TYPE_CHECKING:
    from penstock.tree import Reference

ROOT = "ComIbmAggregateControl"


class ControlMessage(NamedTuple):
    """An aggregation that has started."""

    name: str
    aggregation: bytes
    requests: list[Request]
    started: float
    timeout: float

    def document(self) -> bytes:
        """Return it as XML."""
        requests = "".join(
            f"<Request><ReplyIdentifier>{each.reply_identifier.hex()}</ReplyIdentifier>"
            f"<Folder>{escape(each.folder, quote=False)}</Folder></Request>"
            for each in self.requests
        )
        return (
            f"<{ROOT}><Name>{escape(self.name, quote=False)}</Name><Id>{self.aggregation.hex()}</Id>"
            f"<Started>{self.started!r}</Started><Timeout>{self.timeout!r}</Timeout>{requests}</{ROOT}>"
        ).encode()


def control_message(data: bytes) -> ControlMessage:
    """Read a control message; 8320 for anything else."""
    try:
        root = parse(data, domain="XMLNSC").reference(Path("XMLNSC", ROOT))
        if root is None:
            raise ValueError(f"it has no {ROOT}")
        return ControlMessage(
            str(root.get(Path("Name"))),
            bytes.fromhex(root.get(Path("Id"))),
            [_request(each) for each in root.each(Path("Request"))],
            float(root.get(Path("Started"))),
            float(root.get(Path("Timeout"))),
        )
    except (ValueError, TypeError) as raised:
        raise error(mq.PSRC_FLOW_AGGREGATION, f"this is no control message: {raised}") from raised


def _request(each: Reference) -> Request:
    return Request(bytes.fromhex(each.get(Path("ReplyIdentifier"))), str(each.get(Path("Folder"))))
