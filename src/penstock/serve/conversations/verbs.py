"""Calls by name: every verb of the embedded API but the plain puts and gets that have frames of their own.

A CALL frame carries a verb and its arguments as MessagePack. A verb runs the host's own method: in the
loop when it cannot take long, in a worker when it can. Nothing here decides what a verb does. Arguments
come from any client: a wrong shape is refused with 2046 and changes nothing.

Invariant: a verb changes nothing before the host's method has done its work. That method raises when it must
wait for a message, a body, a selector or an answer of the cluster; the whole verb is then run again.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from penstock.host.object_handle import ObjectHandle
from penstock.host.subscription import Subscription
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import failures, message_batch
from penstock.protocol import numbers as protocol
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX
from penstock.qmgr.selectors.content_selection import compile_for
from penstock.serve.conversations import long_calls, worker_verbs
from penstock.serve.conversations.deferrals import MustAsk, MustCompile, MustGoOn, MustRead, Suspended
from penstock.serve.conversations.waits import Wait
from penstock.store.message_format import packed_descriptor, unpack_properties

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.message import Message, Receipt
    from penstock.protocol._frames import Frame
    from penstock.serve.conversations.conversation import Conversation

BEGINNING = frozenset(
    {"open", "put", "put_messages", "get", "publish", "subscribe"}
)  # refused to a client that should go
REPORT_SECONDS = 1.0  # between two reports that a call is under way
QUIET = frozenset({"put", "publish", "put_messages"})  # verbs without an answer


def call(conversation: Conversation, frame: Frame, name: str, arguments: dict[str, Any]) -> None:
    """Carry out a CALL frame that carries a verb and its arguments."""
    request, unit = frame.request, frame.unit
    verb = VERBS.get(name)
    if name in BEGINNING or (conversation.link.commands_only and name not in worker_verbs.COMMANDS):
        conversation.check_beginning(unit)
    if frame.flags & protocol.NO_REPLY:
        _put_quietly(conversation, unit, name, arguments)
        return
    if verb is not None:
        _run(conversation, request, 0 if verb is prepare else unit, verb, arguments)  # it names its unit
        return
    worker = worker_verbs.VERBS.get(name)
    if worker is None:
        raise error(mq.MQRC_OPTIONS_ERROR, f"verb {name} is not known to this queue manager", verb=name)
    _check(worker, arguments, name)
    long_calls.start(conversation, request, worker, arguments)


def _put_quietly(conversation: Conversation, unit: int, name: str, arguments: dict[str, Any]) -> None:
    """Put or publish for a client that waits for no answer: its commit, or `put_status`, reports failures."""
    if name not in QUIET:
        raise error(mq.MQRC_OPTIONS_ERROR, f"verb {name} needs an answer", verb=name)
    verb = VERBS[name]
    _check(verb, arguments, name)
    try:
        conversation.units.run(unit, lambda: verb(conversation, **arguments))
    except (Suspended, MustAsk, MustRead, MustCompile, MustGoOn) as needed:  # the commit would overtake it
        raise error(mq.MQRC_BACKED_OUT, "a put that has to wait for something needs an answer") from needed
    except failures.WRONG_ARGUMENTS as cause:
        raise error(mq.MQRC_OPTIONS_ERROR, f"the arguments of {name} are wrong: {cause}") from cause
    conversation.units.async_done += len(arguments["rows"]) if verb is put_messages else 1
    conversation.replies.unanswered()


def _held(conversation: Conversation, request: int, again: Callable[..., None]) -> Wait:
    """Keep a call that is made again when what it needs is there."""
    held = Wait(conversation.gets, request, "", None, None, 0, 0, 0.0, again)
    conversation.gets.remember(held)
    return held


def _run(
    conversation: Conversation,
    request: int,
    unit: int,
    verb: Callable[..., Any],
    arguments: dict[str, Any],
    deadline: float = 0.0,
    reported: float = 0.0,
) -> None:
    """Make a call in the loop; keep it where it must wait for a message or a read.

    `reported` is when its client was last sent a report that it is under way, or when it first paused.
    """
    _check(verb, arguments, verb.__name__)
    if arguments.get("wait", 0.0) != 0.0:
        conversation.gets.check_wait(request)

    def again(begun: Any = None, fetched: list[Any] | None = None) -> None:
        left = dict(arguments)
        if deadline:
            left["wait"] = max(0.0, deadline - conversation.server.clock())
        conversation.replies.caller.scan = begun
        conversation.replies.caller.fetched = fetched
        try:
            _run(conversation, request, unit, verb, left, deadline, reported)
        except MQError as failure:
            conversation.replies.fail(request, failure)
        finally:
            conversation.replies.caller.scan = None
            conversation.replies.caller.fetched = None

    try:
        result = conversation.units.run(unit, lambda: verb(conversation, **arguments))
    except Suspended as suspended:
        wait = arguments.get("wait")
        if not deadline and wait is not None:
            deadline = conversation.server.clock() + wait
        conversation.gets.suspend(request, suspended.waiter, deadline, again)
        return
    except MustGoOn as paused:
        wait = arguments.get("wait", 0.0)
        if not deadline and wait:
            deadline = conversation.server.clock() + wait
        reported = _report_under_way(conversation, request, reported)
        held = _held(conversation, request, functools.partial(again, paused.begun))
        conversation.server.scans.add(conversation.gets, held)
        return
    except MustRead as needed:
        held = _held(conversation, request, functools.partial(again, needed.begun, needed.messages))
        conversation.server.read_bodies(needed.messages, conversation.gets, held)
        return
    except MustAsk as needed:
        done = conversation.replies.caller.take_progress()
        held = _held(conversation, request, functools.partial(again, done))
        conversation.server.ask_first(needed.question, conversation.gets, held)
        return
    except MustCompile as needed:
        held = _held(conversation, request, again)
        compiling = functools.partial(compile_for, conversation.qm.engine, needed.selector)
        conversation.server.work_first(compiling, conversation.gets, held)
        return
    except failures.WRONG_ARGUMENTS as cause:
        raise error(mq.MQRC_OPTIONS_ERROR, f"the arguments of {verb.__name__} are wrong: {cause}") from cause
    if result is NO_MESSAGE:
        conversation.replies.done(protocol.NOTHING, request)
    elif isinstance(result, Got):
        conversation.gets.answer_message(request, result.message, 0)
    else:
        conversation.replies.result(request, result)


def _report_under_way(conversation: Conversation, request: int, reported: float) -> float:
    """Report a call in steps to its client once per second; return when that was.

    A stop does not wait for such calls: a link to which reports are sent would not count as idle.
    """
    now = conversation.server.clock()
    if not reported:
        return now
    if now - reported < REPORT_SECONDS:
        return reported
    if not conversation.server.stopping:
        conversation.replies.report_under_way(request)
    return now


def _check(verb: Callable[..., Any], arguments: dict[str, Any], name: str) -> None:
    own, required, allowed = _parameters(verb)
    names = arguments.keys()
    if required <= names and (own not in names if allowed is None else names <= allowed):
        return
    try:
        inspect.signature(verb).bind(None, **arguments)
    except TypeError as cause:
        raise error(mq.MQRC_OPTIONS_ERROR, f"the arguments of {name} are wrong: {cause}") from cause


@functools.cache
def _parameters(verb: Callable[..., Any]) -> tuple[str, frozenset[str], frozenset[str] | None]:
    """Return a verb's first parameter, the ones a call must name and those it may name (None: any)."""
    own, *others = inspect.signature(verb).parameters.values()
    named = [each for each in others if each.kind is not each.VAR_KEYWORD]
    required = frozenset(each.name for each in named if each.default is each.empty)
    return own.name, required, frozenset(each.name for each in named) if named == others else None


class Got:
    """A message as the result of a verb."""

    def __init__(self, message: Message) -> None:
        self.message = message


NO_MESSAGE = object()


def receipt_facts(receipt: Receipt) -> list[Any]:
    """Return a receipt as plain data."""
    return [
        receipt.msg_id,
        receipt.correl_id,
        receipt.put_time,
        receipt.warning,
        receipt.resolved_queue,
        receipt.resolved_qmgr,
        packed_descriptor(receipt.descriptor),
    ]


# -- the verbs -------------------------------------------------------------------------------


def open_object(
    conversation: Conversation, name: str, options: int = 0, details: dict[str, Any] | None = None
) -> Any:
    """Open an object (MQOPEN)."""
    opened = conversation.qm.open(name, options, **(details or {}))
    number = conversation.next_handle
    conversation.next_handle += 1
    conversation.handles[number] = opened
    return [number, opened.name, list(opened.resolved), opened.handle.options]


def close_object(conversation: Conversation, handle: int, options: int = 0) -> Any:
    """Close an object (MQCLOSE)."""
    warning = handle_of(conversation, handle).close(options)
    del conversation.handles[handle]
    return warning


def put(
    conversation: Conversation,
    body: bytes,
    queue: str = "",
    handle: int = 0,
    properties: bytes | None = None,
    context_from: int = 0,
    fields: dict[str, Any] | None = None,
    **details: Any,
) -> Any:
    """Put a message with all that MQPUT and MQPUT1 take."""
    _complete(conversation, details, properties, context_from, fields)
    if handle:
        receipt = handle_of(conversation, handle).put(body, **details)
    else:
        receipt = conversation.qm.put(queue, body, **details)
    conversation.link.messages += 1
    return receipt_facts(receipt)


def _complete(
    conversation: Conversation,
    details: dict[str, Any],
    properties: bytes | None,
    context_from: int,
    fields: dict[str, Any] | None,
) -> None:
    """Add to the arguments of a put what the frame has in a form of its own."""
    if properties is not None:
        details["properties"] = unpack_properties(properties)
    if context_from:
        details["context_from"] = handle_of(conversation, context_from)
    details.update(fields or {})


def put_messages(
    conversation: Conversation, targets: list[Any], descriptors: list[bytes], rows: list[Any]
) -> Any:
    """Put whole messages to many queues, in the unit that the frame names or in one of their own."""
    if len(rows) > protocol.CALL_MESSAGES_MAX:
        most = f"a call puts at most {protocol.CALL_MESSAGES_MAX} messages, not {len(rows)}"
        raise error(mq.MQRC_OPTIONS_ERROR, f"{most}: use several in a unit")
    conversation.qm.put_messages(message_batch.unpack(targets, descriptors, rows))
    conversation.link.messages += len(rows)


def get(
    conversation: Conversation, queue: str = "", handle: int = 0, subscription: int = 0, **details: Any
) -> Any:
    """Get or browse a message with all that MQGET takes."""
    message: Message | None
    if subscription:
        message = subscription_of(conversation, subscription).get(**details)
    elif handle:
        message = handle_of(conversation, handle).get(quiet=True, **details)
    else:
        message = conversation.qm.get(queue, **details)
    return NO_MESSAGE if message is None else Got(message)


def inquire(conversation: Conversation, handle: int, selectors: list[Any]) -> Any:
    """Return attributes (MQINQ)."""
    found = handle_of(conversation, handle).inquire(*selectors)
    return [[[key, value] for key, value in found.items()], found.warning]


def set_attributes(conversation: Conversation, handle: int, values: list[Any]) -> Any:
    """Change attributes (MQSET)."""
    handle_of(conversation, handle).set(dict(values))


def prepare(conversation: Conversation, unit: int, xid: str) -> Any:
    """Prepare a unit under an external id."""
    failure = conversation.units.failed_puts.get(unit)
    if failure is not None:
        raise error(mq.MQRC_BACKED_OUT, f"a put of this unit had failed: {failure}", cause=failure.reason)
    conversation.units.context(unit).run(conversation.qm.prepare, xid)
    conversation.units.units.pop(unit, None)
    conversation.units.contexts.pop(unit, None)


def commit_prepared(conversation: Conversation, xid: str) -> Any:
    """Commit a prepared unit."""
    conversation.qm.commit_prepared(xid)


def backout_prepared(conversation: Conversation, xid: str) -> Any:
    """Back a prepared unit out."""
    conversation.qm.backout_prepared(xid)


def put_status(conversation: Conversation) -> Any:
    """Return the results of puts without an answer since the last call (MQSTAT)."""
    failures = [[each.reason, each.detail, each.fields] for each in conversation.units.async_failures]
    facts = [conversation.units.async_done, conversation.units.async_failed, failures]
    conversation.units.async_done = conversation.units.async_failed = 0
    conversation.units.async_failures = []
    return facts


def publish(
    conversation: Conversation,
    topic: str,
    body: bytes,
    properties: bytes | None = None,
    context_from: int = 0,
    fields: dict[str, Any] | None = None,
    level: int = LEVEL_MAX,
    **details: Any,
) -> Any:
    """Publish to a topic."""
    _complete(conversation, details, properties, context_from, fields)
    if level != LEVEL_MAX:
        details["level"] = level
    receipt = conversation.qm.publish(topic, body, **details)
    conversation.link.messages += 1
    return receipt_facts(receipt)


def subscribe(conversation: Conversation, topic: str, details: dict[str, Any]) -> Any:
    """Make or resume a subscription (MQSUB)."""
    made = conversation.qm.subscribe(topic, **details)
    number = conversation.next_handle
    conversation.next_handle += 1
    conversation.handles[number] = made
    return [number, made.describe()]


def request_retained(conversation: Conversation, subscription: int) -> Any:
    """Request retained publications (MQSUBRQ)."""
    return subscription_of(conversation, subscription).request()


def alter_subscription(conversation: Conversation, subscription: int, changes: dict[str, Any]) -> Any:
    """Change a subscription (MQSO_ALTER)."""
    subscription_of(conversation, subscription).alter(**changes)


def close_subscription(conversation: Conversation, subscription: int, remove: bool = False) -> Any:
    """Close a subscription (MQCLOSE of hSub and hObj)."""
    subscription_of(conversation, subscription).close(remove=remove)
    del conversation.handles[subscription]


def unsubscribe(conversation: Conversation, name: str) -> Any:
    """Remove a durable subscription that is not open."""
    conversation.qm.unsubscribe(name)


def subscription_of(conversation: Conversation, number: int) -> Subscription:
    """Return an open subscription; 2019 when there is none of that number."""
    found = conversation.handles.get(number)
    if not isinstance(found, Subscription):
        raise error(mq.MQRC_HOBJ_ERROR, f"subscription {number} is not open")
    return found


def handle_of(conversation: Conversation, number: int) -> ObjectHandle:
    """Return an open handle; 2019 when there is none of that number."""
    found = conversation.handles.get(number)
    if not isinstance(found, ObjectHandle):
        raise error(mq.MQRC_HOBJ_ERROR, f"handle {number} is not open")
    return found


VERBS: dict[str, Callable[..., Any]] = {
    "open": open_object,
    "close": close_object,
    "put": put,
    "put_messages": put_messages,
    "get": get,
    "inquire": inquire,
    "set": set_attributes,
    "prepare": prepare,
    "commit_prepared": commit_prepared,
    "backout_prepared": backout_prepared,
    "put_status": put_status,
    "publish": publish,
    "subscribe": subscribe,
    "request_retained": request_retained,
    "alter_subscription": alter_subscription,
    "close_subscription": close_subscription,
    "unsubscribe": unsubscribe,
}
