"""Shared by nodes that put: destinations in LocalEnvironment, the message to put, WrittenDestination.

`PutRules` are the properties that specify how a message is put. An MQOutput has its own; entries of a
destination list may override them, and `Defaults` in the list is applied between the two.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import NO_ID
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.model.message import Descriptor, Receipt
    from penstock.model.message import Message as QueueMessage
    from penstock.tree import Message, Reference

# messageContext -> put option; what "pass" takes is the context of the message that the flow began with.
CONTEXTS = {
    "passAll": mq.MQPMO_SET_ALL_CONTEXT,
    "passIdentity": mq.MQPMO_SET_IDENTITY_CONTEXT,
    "setAll": mq.MQPMO_SET_ALL_CONTEXT,
    "setIdentity": mq.MQPMO_SET_IDENTITY_CONTEXT,
    "default": mq.MQPMO_DEFAULT_CONTEXT,
    "none": mq.MQPMO_NO_CONTEXT,
}
TRANSACTIONS = ("automatic", "yes", "no")
PERSISTENCES = ("automatic", "yes", "no", "asQdef")
IDENTITY = ("user_id", "accounting_token", "appl_identity_data")
ORIGIN = ("put_appl_type", "put_appl_name", "appl_origin_data")
DESTINATIONS_MAX = 100_000
DESCRIPTORS_KEPT = 256  # of puts that are alike
_LISTS = Path("Destination", "MQ"), Path("Destination", "MQDestinationList")  # the second in old flows
_DATA, _DEFAULTS = Path("DestinationData"), Path("Defaults")
_QUEUE, _QMGR = Path("queueName"), Path("queueManagerName")
_REPLY_TO, _REPLY_TO_QMGR = Path("replyToQ"), Path("replyToQMgr")
_TRANSACTION, _PERSISTENCE = Path("transactionMode"), Path("persistenceMode")
_MQMD_PERSISTENCE = Path("MQMD", "Persistence")
_NEW_MSG_ID, _NEW_CORREL_ID = Path("newMsgId"), Path("newCorrelId")


class PutRules(NamedTuple):
    """How a message is put; the names are those of MQOutput's properties."""

    transaction: str = "automatic"
    persistence: str = "automatic"
    new_msg_id: bool = False
    new_correl_id: bool = False
    context: str = "passAll"
    request: bool = False
    reply_to: str = ""
    reply_to_qmgr: str = ""

    def check(self) -> Iterable[str]:
        """Return the errors in the values."""
        for name, known in (
            ("transaction", TRANSACTIONS),
            ("persistence", PERSISTENCES),
            ("context", tuple(CONTEXTS)),
        ):
            value = getattr(self, name)
            if value not in known:
                yield f"{name} {value!r} is not one of {', '.join(known)}"


class Destination(NamedTuple):
    """A queue that a message goes to, with the rules for putting it."""

    queue: str
    qmgr: str
    rules: PutRules


def destinations_of(assembly: Assembly, rules: PutRules) -> list[Destination]:
    """Return the queues of LocalEnvironment.Destination.MQ.DestinationData."""
    root = assembly.local_environment.reference()
    found: list[Destination] = []
    for path in _LISTS:
        folder = root.reference(path)
        if folder is not None:
            found += _of_folder(folder, rules)
    if len(found) > DESTINATIONS_MAX:
        raise error(mq.PSRC_FLOW_NODE, f"a destination list has at most {DESTINATIONS_MAX} entries")
    return found


def _of_folder(folder: Reference, rules: PutRules) -> list[Destination]:
    queue = qmgr = ""
    defaults = folder.reference(_DEFAULTS)
    if defaults is not None:
        rules = _overridden(rules, defaults)
        queue, qmgr = _text(defaults, _QUEUE), _text(defaults, _QMGR)
    return [
        Destination(_text(each, _QUEUE) or queue, _text(each, _QMGR) or qmgr, _overridden(rules, each))
        for each in folder.each(_DATA)
    ]


def _overridden(rules: PutRules, data: Reference) -> PutRules:
    """Return rules with the overrides of a list's entry."""
    changes: dict[str, Any] = {}
    for name, path, known in (
        ("transaction", _TRANSACTION, TRANSACTIONS),
        ("persistence", _PERSISTENCE, PERSISTENCES),
    ):
        value = _text(data, path)
        if value:
            changes[name] = _one_of(value, known, path)
    for name, path in (("new_msg_id", _NEW_MSG_ID), ("new_correl_id", _NEW_CORREL_ID)):
        value = _text(data, path)
        if value:
            changes[name] = _one_of(value, ("yes", "no", "true", "false"), path) in ("yes", "true")
    reply_to, reply_to_qmgr = _text(data, _REPLY_TO), _text(data, _REPLY_TO_QMGR)
    if reply_to:
        changes |= {"request": True, "reply_to": reply_to, "reply_to_qmgr": reply_to_qmgr}
    return rules._replace(**changes) if changes else rules


def _one_of(value: str, known: tuple[str, ...], path: Path) -> str:
    for each in known:
        if each.lower() == value.lower():
            return each
    name = path.steps[-1].name
    raise error(mq.PSRC_FLOW_NODE, f"{name} {value!r} of DestinationData is not one of {', '.join(known)}")


def put_all(
    assembly: Assembly, message: QueueMessage, destinations: list[Destination], label: str
) -> list[dict[str, object]]:
    """Put a copy of a message to each destination, or to none; return the entries of WrittenDestination."""
    if len(destinations) == 1:
        return [put_one(assembly, message, *destinations[0])]
    invocation = assembly.invocation
    source, notes = invocation.source, invocation.notes
    notes[put_all, label] = turn = notes.get((put_all, label), 0) + 1  # a message may pass a node many times
    key = (None if source is None else source.msg_id, label, turn, *[each[:2] for each in destinations])
    with invocation.ports.all_or_none(key):
        return [put_one(assembly, message, *destination) for destination in destinations]


def put_one(
    assembly: Assembly, message: QueueMessage, queue: str, qmgr: str, rules: PutRules
) -> dict[str, object]:
    """Put a copy of a message to a queue; return its entry of WrittenDestination."""
    receipt = put_own(assembly, message.snapshot(), queue, qmgr, rules)
    return {
        "queueName": queue,
        "queueManagerName": receipt.resolved_qmgr,
        "replyIdentifier": receipt.msg_id,
        "msgId": receipt.msg_id,
        "correlId": receipt.correl_id,
        "GroupId": receipt.group_id,
    }


def put_own(assembly: Assembly, message: QueueMessage, queue: str, qmgr: str, rules: PutRules) -> Receipt:
    """Put a message that only the caller holds, with ids, persistence and context set by the rules."""
    by_queue = persistence_of_queue(assembly, message, rules)
    prepare(assembly, message, rules)
    invocation = assembly.invocation
    automatic = rules.transaction == "automatic"
    return invocation.ports.put(
        queue,
        message,
        qmgr=qmgr,
        options=CONTEXTS[rules.context],
        in_unit=invocation.transactional if automatic else rules.transaction == "yes",
        persistence_of_queue=by_queue,
    )


def persistence_of_queue(assembly: Assembly, message: QueueMessage, rules: PutRules) -> bool:
    """Return whether the queue's DEFPSIST decides: by the node, by MQMD.Persistence of the flow, or because
    the message came from no queue and has no other setting.
    """
    if rules.persistence != "automatic":
        return rules.persistence == "asQdef"
    source = assembly.invocation.source
    if source is not None and source.descriptor is message.descriptor:
        return False
    said = assembly.message.get(_MQMD_PERSISTENCE)
    return bool(said == mq.MQPER_PERSISTENCE_AS_Q_DEF or (said is MISSING and source is None))


def prepare(assembly: Assembly, message: QueueMessage, rules: PutRules) -> None:
    """Prepare a message for the put: ids, persistence, context and reply queue by the rules."""
    if rules.new_msg_id:
        message.msg_id = NO_ID
    if rules.new_correl_id:
        message.correl_id = assembly.invocation.ports.new_id()
    if rules.persistence in ("yes", "no"):
        message.persistent = rules.persistence == "yes"
    source = assembly.invocation.source
    if rules.request or source is None or source.descriptor is not message.descriptor:
        message.descriptor = _described(rules, assembly, message.descriptor)


def _described(rules: PutRules, assembly: Assembly, own: Descriptor) -> Descriptor:
    source = assembly.invocation.source
    if source is not None and not rules.request and own == source.descriptor:
        return source.descriptor  # messages that came alike share it, so that they are put alike
    return _changed(rules, own, None if source is None else source.descriptor)


@lru_cache(maxsize=DESCRIPTORS_KEPT)
def _changed(rules: PutRules, own: Descriptor, came: Descriptor | None) -> Descriptor:
    """Return the descriptor of a put, by the rules, the message and the one that came in."""
    changes: dict[str, Any] = {}
    if rules.request:
        changes["msg_type"] = mq.MQMT_REQUEST
        changes["reply_to"] = rules.reply_to or own.reply_to
        changes["reply_to_qmgr"] = rules.reply_to_qmgr or ("" if rules.reply_to else own.reply_to_qmgr)
    if came is not None and rules.context.startswith("pass"):
        names = IDENTITY if rules.context == "passIdentity" else IDENTITY + ORIGIN
        passed = {name: getattr(came, name) for name in names}
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


def _text(data: Reference, path: Path) -> str:
    value = data.get(path)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is MISSING or value is None else str(value).strip()
