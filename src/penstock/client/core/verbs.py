"""The verbs of a queue manager that are calls by name, for both clients: open, publish, subscribe ...

Plain puts and gets have frames of their own and are not here; those with everything that MQ knows are.
`administration` has MQSC and what belongs to it. Compiled through `verbs.pxd`: no signal comes between the
end of a unit and the return of a verb.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.client import calls, message_batch
from penstock.client.core.steps import Call, Get, Make, PutBack, Say, Settle
from penstock.client.returned_messages import given_up
from penstock.face import units
from penstock.face.arguments import (
    options_of,
    outputs_of,
)
from penstock.face.declared import OpenParameters, PublishParameters, PutParameters, SubscribeParameters
from penstock.face.keywords import OPEN, PUBLISH, PUT, SUBSCRIBE, completed, divided, takes
from penstock.face.message_arguments import put_details
from penstock.face.units import CallUnit, syncpoint_of_get
from penstock.host.distribution import Outcome
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar, Unpack

    from penstock.client.core.steps import Connection, Steps
    from penstock.face.units import Scope
    from penstock.model.message import Message, Receipt

    T = TypeVar("T")
    HandleT = TypeVar("HandleT")
    SubscriptionT = TypeVar("SubscriptionT")
    AnyConnection = Connection[Any, Any]


# -- puts and gets with everything that was given ------------------------------------------


def put_in_full(
    qm: AnyConnection,
    method: Callable[..., Any],
    where: dict[str, Any],
    name: str,
    body: Any,
    fields: dict[str, Any],
    given: dict[str, Any],
) -> Steps[Receipt]:
    """Put a message with everything that was given to a method, to a queue of this name."""
    arguments = calls.put_arguments(method, where, body, fields, given)
    calls.check_length(arguments["body"], qm.message_max)
    return _put_or_publish(qm, "put", arguments, name)


def _put_or_publish(qm: AnyConnection, verb: str, arguments: dict[str, Any], name: str) -> Steps[Receipt]:
    """Make the call of a put or a publication, with or without an answer; return its receipt."""
    with CallUnit(qm, arguments["options"]) as used:
        unit = used.unit or 0
        if not arguments["options"] & mq.MQPMO_ASYNC_RESPONSE:
            return calls.receipt_of((yield Call(verb, arguments, unit)))
        yield Say(verb, arguments, unit)
        return calls.quiet_receipt(qm.name, name, arguments)


def get_in_full(
    qm: AnyConnection, where: dict[str, Any], given: dict[str, Any], options: int = 0, queue: str = ""
) -> Steps[Message | None]:
    """Get a message with everything that was given; None when there is none."""
    queue = queue or where["queue"]
    with CallUnit(qm, syncpoint_of_get(options)) as used:
        message = yield from _get(qm, where, given, options, queue, used.unit or 0)
        if calls.took_nothing(message, options):
            used.give_up()
    return message


def _get(
    qm: AnyConnection, where: dict[str, Any], given: dict[str, Any], options: int, queue: str, unit: int
) -> Steps[Message | None]:
    browses = options & calls.BROWSING
    if qm.kept:
        way = calls.way_of(where, given)
        found = None if browses else calls.take_kept(qm.kept, queue, unit, given, way)
        if found is not None:
            return found
        yield PutBack(qm.kept.hidden_from(queue, unit, way))
    patience = qm.patience(given.get("wait", 0.0))
    arguments = calls.get_arguments(where, given)
    way_of = functools.partial(calls.way_of, where, given)
    message: Message | None = yield Get(arguments, unit, patience, None if browses else queue, way_of)
    return message


def get_one_by_one(
    qm: AnyConnection, queue: str, count: int, wait: float | None, match: dict[str, Any]
) -> Steps[list[Message]]:
    """Get up to `count` messages, one after the other."""
    found: list[Message] = []
    unit = qm.unit_number()
    try:
        message = yield Make(functools.partial(qm.get, queue, wait=wait, **match))
        while message is not None:
            found.append(message)
            message = None
            if len(found) < count:
                message = yield Make(functools.partial(qm.get, queue, **match))
    except MQError:
        if not found:
            raise
    except BaseException:  # interrupted or cancelled: the next get has what was found
        for message in found:
            qm.kept.add(queue, unit, None, message)
        raise
    return found


# -- several puts --------------------------------------------------------------------------


@takes(PutParameters, PUT, fields=True)
def put_list(
    self: AnyConnection, destinations: Iterable[Any], body: bytes | str, **parameters: Unpack[PutParameters]
) -> Steps[list[Receipt]]:
    """Put one message to several queues (a distribution list); return a receipt for each.

    A destination is a name, a pair of queue and queue manager, or a dictionary with `queue`, `qmgr`,
    `msg_id`, `correl_id` and what else an MQPMR has. Queues that do not take the message leave the others
    as they are; 2136 has each in `fields["reasons"]`, or their reason when all fail alike.
    """
    given, fields = divided(PUT, parameters)
    persistent = given.pop("persistent")
    given["options"] = options_of(given["options"])
    details = put_details(put_list, **given, fields=fields)
    details |= {} if persistent is None else {"persistent": persistent}
    outcome = Outcome(destinations, details)
    for each in outcome.destinations:
        try:
            put = functools.partial(self.put, each.queue, body, **each.details(details))
            outcome.add((yield Make(put)))
        except MQError as failure:
            outcome.add(failure)
    return outcome.receipts()


def put_each(
    qm: AnyConnection, queue: str, bodies: list[Any], persistent: bool | None, details: dict[str, Any]
) -> Steps[list[Receipt]]:
    """Put messages one by one, in the unit that their options name or in one of their own."""
    with CallUnit(qm, details.get("options", 0)) as used:
        if used.unit is not None:
            return (yield from _puts(qm, queue, bodies, persistent, details))
    details = units.within_own_unit(details)
    return (yield from within_unit(qm, lambda unit: _puts(qm, queue, bodies, persistent, details)))


def _puts(
    qm: AnyConnection, queue: str, bodies: list[Any], persistent: bool | None, details: dict[str, Any]
) -> Steps[list[Receipt]]:
    receipts: list[Receipt] = []
    for body in bodies:
        put = functools.partial(qm.put, queue, body, persistent=persistent, **details)
        receipts.append((yield Make(put)))
    return receipts


def put_messages(self: AnyConnection, outputs: Iterable[tuple[str, Message, str, int]]) -> Steps[None]:
    """Put whole messages, each with its queue, queue manager and put options; as the embedded one."""
    self.check_open()
    outputs = list(outputs_of(outputs))
    unit = self.unit_number()
    if unit:
        yield from _put_batch(self, outputs, unit)
    else:
        yield from within_unit(self, lambda own: _put_batch(self, outputs, own))


def _put_batch(qm: AnyConnection, outputs: Iterable[Any], unit: int) -> Steps[None]:
    batch = message_batch.Batch(outputs, qm.message_max)
    for part in batch:
        with batch.naming_place():
            yield Call("put_messages", part, unit)


# -- units of work -------------------------------------------------------------------------


def within_unit(qm: AnyConnection, work: Callable[[int], Steps[T]]) -> Steps[T]:
    """Do work in a unit of its own: commit it, or back it out when the work fails."""
    scope = qm.new_scope()
    try:
        result = yield from work(scope.unit)
    except BaseException:
        yield from leave_unit(qm, scope, commit=False)
        raise
    yield from leave_unit(qm, scope, commit=True)
    return result


def leave_unit(qm: AnyConnection, scope: Scope, *, commit: bool) -> Steps[None]:
    """Commit a unit or back it out; one whose connection is gone was backed out at the other end."""
    if scope.ended:
        return
    try:
        yield Make(functools.partial(qm.end_scope, scope, commit))
    except MQError as failure:
        if commit or failure.reason not in calls.GONE:
            raise


def prepare(self: AnyConnection, xid: str) -> Steps[None]:
    """Prepare this context's unit under an external id; it survives a restart until resolved."""
    self.check_open()
    scope = units.current(self)
    if scope is None:
        raise error(mq.MQRC_OPTIONS_ERROR, "there is no unit of work to prepare")
    if not (yield Settle(scope.unit)) or self.kept.holds(scope.unit):
        yield Make(functools.partial(self.end_scope, scope, False))
        raise given_up()
    yield Call("prepare", {"unit": scope.unit, "xid": xid})
    self.open_units.forget(scope)


def commit_prepared(self: AnyConnection, xid: str) -> Steps[None]:
    """Commit a prepared unit."""
    yield Call("commit_prepared", {"xid": xid})


def backout_prepared(self: AnyConnection, xid: str) -> Steps[None]:
    """Back a prepared unit out."""
    yield Call("backout_prepared", {"xid": xid})


def prepared(self: AnyConnection) -> Steps[list[dict[str, Any]]]:
    """List the prepared units."""
    found: list[dict[str, Any]] = yield Call("prepared", {})
    return found


def take_connection_tag(self: AnyConnection, tag: str) -> Steps[None]:
    """Make this the only connection of the queue-sharing group with a tag, until it ends."""
    yield Call("take_connection_tag", {"tag": tag})


# -- objects and topics --------------------------------------------------------------------


@takes(OpenParameters, OPEN)
def open(
    self: Connection[HandleT, Any], name: str, options: int = 0, **parameters: Unpack[OpenParameters]
) -> Steps[HandleT]:
    """Open an object with MQ's open options, as the embedded `open`."""
    details = completed(open, OPEN, parameters)
    self.check_open()
    arguments = {"name": name, "options": options_of(options), "details": details}
    facts = yield Call("open", arguments, undo=_close_opened)
    return self.opened(facts, arguments)


def _close_opened(facts: list[Any]) -> Call:
    return Call("close", {"handle": facts[0], "options": 0})


@takes(PublishParameters, PUBLISH, fields=True)
def publish(
    self: AnyConnection, topic: str, body: bytes | str, **parameters: Unpack[PublishParameters]
) -> Steps[Receipt]:
    """Publish to a topic; as the embedded `publish`."""
    self.check_open()
    given, fields = divided(PUBLISH, parameters)
    arguments = calls.put_arguments(publish, {"topic": topic}, body, fields, given)
    calls.check_length(arguments["body"], self.message_max)
    return (yield from _put_or_publish(self, "publish", arguments, topic))


@takes(SubscribeParameters, SUBSCRIBE)
def subscribe(
    self: Connection[Any, SubscriptionT], topic: str = "", **parameters: Unpack[SubscribeParameters]
) -> Steps[SubscriptionT]:
    """Subscribe to a topic, or to all that a pattern fits; as the embedded `subscribe`."""
    details = completed(subscribe, SUBSCRIBE, parameters)
    given = {name: value for name, value in details.items() if value is not None}
    self.check_open()
    arguments = {"topic": topic, "details": given}
    facts = yield Call("subscribe", arguments, undo=_close_subscribed)
    return self.subscribed(facts, arguments)


def _close_subscribed(facts: list[Any]) -> Call:
    return Call("close_subscription", {"subscription": facts[0]})


def unsubscribe(self: AnyConnection, name: str) -> Steps[None]:
    """Remove a durable subscription that is not open, with its messages."""
    self.check_open()
    yield Call("unsubscribe", {"name": name})


def put_status(self: AnyConnection) -> Steps[calls.PutStatus]:
    """Return the results of puts without an answer since the last call (MQSTAT)."""
    return calls.PutStatus(*(yield Call("put_status", {})))
