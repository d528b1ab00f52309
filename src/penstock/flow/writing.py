"""What output nodes share.

Destinations in LocalEnvironment, the descriptor of what is put, WrittenDestination.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.message import NO_ID
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.model.message import Descriptor
    from penstock.model.message import Message as QueueMessage
    from penstock.tree import Message

# messageContext -> put option; what "pass" takes is the context of the message that the flow began with.
CONTEXTS = {
    "passAll": mq.MQPMO_SET_ALL_CONTEXT,
    "passIdentity": mq.MQPMO_SET_IDENTITY_CONTEXT,
    "setAll": mq.MQPMO_SET_ALL_CONTEXT,
    "setIdentity": mq.MQPMO_SET_IDENTITY_CONTEXT,
    "default": mq.MQPMO_DEFAULT_CONTEXT,
    "none": mq.MQPMO_NO_CONTEXT,
}
IDENTITY = ("user_id", "accounting_token", "appl_identity_data")
ORIGIN = ("put_appl_type", "put_appl_name", "appl_origin_data")
_LIST = Path("Destination", "MQ", "DestinationData")
_QUEUE, _QMGR = Path("queueName"), Path("queueManagerName")


class Destination(NamedTuple):
    """A queue that a message goes to."""

    queue: str
    qmgr: str = ""


def destinations_of(assembly: Assembly) -> list[Destination]:
    """Return the queues of LocalEnvironment.Destination.MQ.DestinationData."""
    root = assembly.local_environment.reference()
    return [Destination(_text(each.get(_QUEUE)), _text(each.get(_QMGR))) for each in root.each(_LIST)]


def prepared(node: Any, assembly: Assembly, message: QueueMessage) -> tuple[QueueMessage, int]:
    """Return what a node puts, and the put options: ids, persistence, context and reply queue as it says."""
    made = message.snapshot()
    if node.new_msg_id:
        made.msg_id = NO_ID
    if node.new_correl_id:
        made.correl_id = assembly.invocation.ports.new_id()
    if node.persistence == "yes":
        made.persistent = True
    elif node.persistence == "no":
        made.persistent = False
    elif node.persistence == "automatic" and assembly.invocation.source is not None:
        pass  # the descriptor has what the message came with, or what ESQL set
    made.descriptor = _described(node, assembly, made.descriptor)
    return made, CONTEXTS[node.context]


def _described(node: Any, assembly: Assembly, own: Descriptor) -> Descriptor:
    changes: dict[str, Any] = {}
    if node.request:
        changes["msg_type"] = mq.MQMT_REQUEST
        changes["reply_to"] = node.reply_to or own.reply_to
        changes["reply_to_qmgr"] = node.reply_to_qmgr or own.reply_to_qmgr
    source = assembly.invocation.source
    if source is not None and node.context.startswith("pass"):
        names = IDENTITY if node.context == "passIdentity" else IDENTITY + ORIGIN
        passed = {name: getattr(source.descriptor, name) for name in names}
        changes |= {name: value for name, value in passed.items() if getattr(own, name) != value}
    return own.replace(**changes) if changes else own


def noted(assembly: Assembly, kind: str, written: list[dict[str, Any]]) -> Message:
    """Return a copy of LocalEnvironment with WrittenDestination.<kind>.DestinationData for each write."""
    copy = assembly.copied_local_environment()
    folder = copy.create(Path("WrittenDestination", kind))
    for each in written:
        data = folder.add_last_child("DestinationData")
        for name, value in each.items():
            if value is not None:
                data.add_last_child(name, value)
    return copy


def _text(value: Any) -> str:
    return "" if value is MISSING or value is None else str(value).strip()
