"""Calls by name from a client: arguments out, results in, failures raised as they were at the other end.

The making and reading of payloads is shared by both clients; `call`, `bare` and `stream` are the blocking
one's. Compiled through `calls.pxd`: no signal comes between an answer and the return of what it brought;
handlers are held back where Python functions are called in between.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.client.core.steps import LONG_CALL_SECONDS
from penstock.face.arguments import check_names, options_of
from penstock.face.keywords import PUBLICATION_GET
from penstock.face.message_arguments import FIELDS, as_properties, body_and_fields
from penstock.model import constants as mq
from penstock.model._interrupts import Interrupted, uninterrupted
from penstock.model.errors import MQError, error
from penstock.model.inquired import Inquired
from penstock.model.message import NO_ID, PLAIN, Message, Receipt, plain_message, plain_receipt
from penstock.model.names import is_storable
from penstock.model.padded_id import padded_id
from penstock.model.properties import check_properties
from penstock.protocol import failures
from penstock.protocol import numbers as protocol
from penstock.store.message_format import pack_properties, unpack_descriptor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.client._link import ClientLink, Slot
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.client.returned_messages import ReturnedMessages
    from penstock.protocol._frames import Frame

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode
BROWSING = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
ASIDE = frozenset(("wait", "correl_id", "msg_id"))  # of a get: they do not make another kind of get
GONE = (
    mq.MQRC_CONNECTION_BROKEN,
    mq.MQRC_Q_MGR_QUIESCING,
    mq.MQRC_Q_MGR_STOPPING,
)  # the link has ended, and its units with it
MORE_BYTES = protocol.PARTS_AHEAD_BYTES // 2
PUT_MANY_BYTES = 1 << 20  # bodies in one frame


@dataclass(frozen=True)
class PutStatus:
    """How puts without an answer went: how many, how many failed, the first failure."""

    done: int
    failed: int
    failures: list[Any]

    @property
    def failure(self) -> MQError | None:
        """The first failure, to be raised or looked at."""
        if not self.failures:
            return None
        reason, detail, fields = self.failures[0]
        return error(reason, detail, **fields)


def check_length(body: bytes, maximum: int) -> None:
    """Refuse a message that the channel does not take: the other end would close the connection."""
    if len(body) > maximum:
        raise error(mq.MQRC_DATA_LENGTH_ERROR, f"{len(body)} bytes; the channel takes {maximum} (MAXMSGL)")


def packed_name(name: str) -> bytes:
    """Return a queue's name as it travels; 2085 for one that cannot."""
    packed = name.encode("utf-8", "surrogatepass")
    if len(packed) > protocol.NAME_BYTES_MAX or not is_storable(name):
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{name!a:.60} is no name of a queue", object=name)
    return packed


def pack_call(verb: str, arguments: dict[str, Any]) -> bytes:
    """Return a call as bytes; 2046 for arguments that cannot travel."""
    try:
        return _encode([verb, arguments])
    except (TypeError, ValueError, OverflowError) as cause:
        raise error(mq.MQRC_OPTIONS_ERROR, f"an argument of {verb} cannot be sent: {cause}") from cause


def result(frame: Frame) -> Any:
    """Return the result in an answer, or raise the failure in it."""
    kind = frame.kind
    if kind == protocol.FAILED:
        raise failure_of(frame)
    if kind == protocol.RESULT or kind == protocol.PART:
        return _decode(frame.payload())
    if kind == protocol.MESSAGE:
        return frame.read_message()
    if kind == protocol.MESSAGES:
        return frame.read_messages()
    return None


def failure_of(frame: Frame) -> MQError:
    """Return the failure that a frame contains."""
    return failures.unpack(frame.payload())


def pack_fields(fields: dict[str, Any]) -> bytes:
    """Return descriptor fields as a put carries them; 2046 for values that cannot travel."""
    try:
        return _encode(fields)
    except (TypeError, ValueError, OverflowError) as cause:
        raise error(mq.MQRC_OPTIONS_ERROR, f"a field cannot be sent: {cause}") from cause


def request_fields(
    method: Callable[..., Any], body: Any, reply_to: str, fields: dict[str, Any]
) -> tuple[bytes, bytes]:
    """Return body and packed fields of a request."""
    check_names(method, fields, FIELDS)
    data, described, _, _ = body_and_fields(method, body, {**fields, "reply_to": reply_to})
    return data, pack_fields({"msg_type": mq.MQMT_REQUEST, **described})


def begun(
    link: ClientLink, conversation: int, kind: int, payload: bytes, unit: int = 0, flags: int = 0
) -> Slot:
    """Return the place for an answer, with the frame that asks for it written and not yet sent."""
    slot = link.begin(conversation)
    try:
        link.out.frame(kind, flags, conversation, slot.request, unit, payload)
    except BaseException:
        link.abandon()
        raise
    return slot


def call(
    qm: ClientQueueManager, verb: str, arguments: dict[str, Any], unit: int = 0, timeout: float | None = None
) -> Any:
    """Make a call and return its result."""
    if not unit:
        qm.check_open()  # which may bring a connection back, but no unit
    link = qm.link
    payload = pack_call(verb, arguments)
    with uninterrupted:
        slot = begun(link, qm.conversation, protocol.CALL, payload, unit)
        try:
            if timeout == LONG_CALL_SECONDS:
                return result(_long_answer(link, slot, begin=True))
            return result(link.exchange(slot, qm.timeout if timeout is None else timeout))
        finally:
            link.release(slot)


def _long_answer(link: ClientLink, slot: Slot, begin: bool) -> Frame:
    """Return an answer that may take long: a signal handler that raises something ends the wait for it."""
    try:
        if begin:
            return link.exchange(slot, LONG_CALL_SECONDS, True)
        return link.answer(slot, LONG_CALL_SECONDS, True)
    except Interrupted as interrupted:
        raise interrupted.cause from None


def bare(qm: ClientQueueManager, kind: int, unit: int, flags: int = 0) -> None:
    """Send a frame without payload and wait for the answer."""
    link = qm.link
    slot = begun(link, qm.conversation, kind, b"", unit, flags)
    try:
        result(link.exchange(slot, qm.timeout))
    finally:
        link.release(slot)


def orphan(qm: ClientQueueManager, unit: int) -> None:
    """Back a unit out without waiting for the answer: no caller is left to report a failure to."""
    qm.link.orphan(qm.conversation, unit)


def stream(qm: ClientQueueManager, verb: str, arguments: dict[str, Any]) -> Iterator[Any]:
    """Make a call whose result comes in parts; yield the rows as they come."""
    link = qm.link
    over = False
    slot = begun(link, qm.conversation, protocol.CALL, pack_call(verb, arguments))
    try:
        frame = _long_answer(link, slot, begin=True)
        unsaid = 0  # bytes that were read and not reported to the other end yet
        while frame.kind == protocol.PART:
            unsaid += frame.size
            rows = result(frame)
            link.next_part(slot)
            yield from rows
            if unsaid >= MORE_BYTES:
                link.say_more(slot, unsaid)
                unsaid = 0
            frame = _long_answer(link, slot, begin=False)
        over = True
        result(frame)
    finally:
        link.release(slot)
        if not over:
            link.drop(slot)


def mqsc_script(qm: ClientQueueManager, text: str, verify: bool) -> Iterator[Any]:
    """Run MQSC at the other end and yield echoes, replies and a summary as they come."""
    qm.check_open()
    for row in stream(qm, "mqsc", {"text": text, "verify": verify, "echo": True}):
        yield piece_of(row)


def checked_replies(replies: list[Any], check: bool) -> list[Any]:
    """Return the replies of MQSC; with `check`, raise the first that is a failure."""
    if check:
        from penstock.admin.mqsc import check_replies

        check_replies(replies)
    return replies


def piece_of(row: list[Any]) -> Any:
    """Return a reply, an echo or a summary of MQSC from what travelled."""
    from penstock.admin import mqsc as pieces  # a client that sends no MQSC needs no commands

    kinds: dict[str, Any] = {"R": pieces.Reply, "E": pieces.Echo, "S": pieces.Summary}
    values = row[1]
    if row[0] == "R":
        if values[2] is not None:
            values[2] = attributes_again(values[2].items())
        values[-1] = tuple(values[-1])  # notes
    return kinds[row[0]](*values)


def inquired(pairs: Iterable[Any], warning: int) -> Inquired:
    """Return what MQINQ has answered at the other end."""
    found = Inquired(attributes_again(pairs))
    found.warning = warning
    return found


def attributes_again(pairs: Iterable[Any]) -> dict[Any, Any]:
    """Return attributes as they were before they travelled: lists of names are tuples here."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in pairs}


def put_arguments(
    method: Callable[..., Any],
    where: dict[str, Any],
    body: Any,
    fields: dict[str, Any],
    given: dict[str, Any],
) -> dict[str, Any]:
    """Return the arguments of a put with everything that was given to a method."""
    arguments = {**where, "body": body, **{name: value for name, value in given.items() if value is not None}}
    arguments["options"] = options_of(given.get("options") or 0)
    if "properties" in arguments:
        arguments["properties"] = _packed_properties(as_properties(arguments["properties"]))
    if not fields and type(body) is bytes:
        return arguments
    fields = dict(fields)
    source = fields.pop("context_from", None)
    qmgr = fields.pop("qmgr", "")
    arguments["body"], described, _, _ = body_and_fields(method, body, fields)
    if described or qmgr:
        arguments["fields"] = {**described, **({"qmgr": qmgr} if qmgr else {})}
    if source is not None:
        arguments["context_from"] = _number_of(source)
    return arguments


def _number_of(source: Any) -> int:
    if not hasattr(source, "number"):
        raise error(
            mq.MQRC_CONTEXT_HANDLE_ERROR, f"context_from is a queue that is open, not {type(source).__name__}"
        )
    number: int = source.number
    return number


def _packed_properties(properties: Any) -> bytes:
    """Return properties as they travel; what cannot is refused as the other end would."""
    try:
        return pack_properties(dict(properties))
    except (TypeError, ValueError, OverflowError) as cause:
        if isinstance(properties, Mapping):
            check_properties(properties)
        raise error(mq.MQRC_PROPERTY_TYPE_ERROR, f"properties cannot be sent: {cause}") from cause


def quiet_receipt(qmgr: str, name: str, arguments: dict[str, Any]) -> Receipt:
    """Return the receipt of a put or publication that waits for no answer."""
    persistence = persistence_of(arguments.get("persistent"))
    msg_id, correl_id = arguments.get("msg_id"), arguments.get("correl_id")
    return plain_receipt_of(name, qmgr, time.time(), msg_id, correl_id, persistence)


def is_plain(body: Any, options: int, persistent: Any, correl_id: Any, msg_id: Any) -> bool:
    """Return whether a put needs no more than what its own frame carries."""
    return (
        type(body) is bytes
        and options in (0, mq.MQPMO_ASYNC_RESPONSE)
        and persistent in (None, True, False)
        and (correl_id is None or (type(correl_id) is bytes and len(correl_id) == 24))
        and (msg_id is None or (type(msg_id) is bytes and len(msg_id) == 24 and msg_id != NO_ID))
    )


def plain_receipt_of(
    queue: str, qmgr: str, put_time: float, msg_id: bytes | None, correl_id: bytes | None, persistence: int
) -> Receipt:
    """Return the receipt of a put that had a frame of its own."""
    message = plain_message(
        b"", msg_id or NO_ID, correl_id or NO_ID, persistence == protocol.PERSISTENT, 0, put_time, PLAIN
    )
    return plain_receipt(message, queue, qmgr)


def persistence_of(persistent: Any) -> int:
    """Return what a put's frame says of persistence."""
    if persistent not in (None, True, False):
        raise error(
            mq.MQRC_PERSISTENCE_ERROR,
            f"persistent is True, False or None for the queue's own, not {persistent!r:.60}",
        )
    return protocol.AS_QUEUE if persistent is None else int(persistent)


def receipt_of(facts: list[Any]) -> Receipt:
    """Return the receipt that plain data describe."""
    msg_id, correl_id, put_time, warning, queue, qmgr, packed = facts
    descriptor = unpack_descriptor(packed) if packed else PLAIN
    message = Message(b"", msg_id, correl_id, put_time=put_time, descriptor=descriptor)
    return Receipt(message, warning, queue, qmgr)


def get_details(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what was given to a get by handle or subscription, without what is as usual."""
    always = {"options": asked["options"], "wait": asked["wait"]}
    return always | {
        name: value for name, value in asked.items() if value is not None and value != PUBLICATION_GET[name]
    }


def get_arguments(where: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a get with everything that was given."""
    arguments = {**where, **{name: value for name, value in given.items() if value is not None}}
    arguments["wait"] = given.get("wait", 0.0)
    return arguments


def way_of(where: dict[str, Any], given: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return what decides, besides ids, which message a get finds: the handle, options, a selector."""
    asked = {**where, **given}
    return sorted((name, asked[name]) for name in asked.keys() - ASIDE if asked[name] is not None)


def take_kept(
    kept: ReturnedMessages, queue: str, unit: int, given: dict[str, Any], way: Any
) -> Message | None:
    """Return a message that an earlier get of the same kind was given up for; None for none."""
    correl_id, msg_id = (
        padded_id(given.get("correl_id"), mq.MQRC_CORREL_ID_ERROR),
        padded_id(given.get("msg_id"), mq.MQRC_MSG_ID_ERROR),
    )
    return kept.take(queue, unit, correl_id, msg_id, way)


def took_nothing(message: Message | None, options: int) -> bool:
    """Return whether a get left its unit as it was: it only looked, or took a message outside the unit."""
    if message is None or message.warning == mq.MQRC_TRUNCATED_MSG_FAILED:
        return True
    return bool(options & mq.MQGMO_SYNCPOINT_IF_PERSISTENT and not message.persistent)


def messages_in(frame: Frame) -> list[Message]:
    """Return the messages of an answer to a get; none for any other answer."""
    if frame.kind == protocol.MESSAGE:
        return [frame.read_message()]
    return frame.read_messages() if frame.kind == protocol.MESSAGES else []


def parts_of(bodies: list[bytes]) -> Iterator[list[bytes]]:
    """Cut bodies into pieces that one frame should carry; one, possibly empty, at least."""
    part: list[bytes] = []
    size = 0
    for body in bodies:
        if part and (size + len(body) > PUT_MANY_BYTES or len(part) == protocol.FRAME_MESSAGES_MAX):
            yield part
            part, size = [], 0
        part.append(body)
        size += len(body)
    yield part
