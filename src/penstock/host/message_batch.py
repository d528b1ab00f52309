"""Complete messages to many queues at once: the outputs of a flow at the end of a unit.

`QueueManager.put_messages` comes here. The first message of a kind (queue, options, descriptor) goes the
long way, where everything is checked; those that differ in body and ids alone take the short one, in this
batch and the next, until a definition changes. Not for topics. Compiled through `message_batch.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.face._clock import now as clock
from penstock.face.arguments import check_output
from penstock.host import messaging
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.message import NEVER, NO_ID, is_watched
from penstock.qmgr.names.dependencies import SECURITY, all_valid

if TYPE_CHECKING:
    from penstock.host.plain_route import PlainRoute
    from penstock.host.queue_manager import QueueManager
    from penstock.host.session import Session
    from penstock.model.message import Descriptor, Message
    from penstock.qmgr.unit_of_work import UnitOfWork

KINDS_KEPT = 16  # put options of one route

Output = tuple[str, "Message", str, int]  # queue, message, queue manager, put options


def put_in_open_unit(qm: QueueManager, outputs: list[Output]) -> None:
    """Put every message in a unit that was open before.

    If a server makes the call again, because something is to be known first, it goes on behind what is put.
    """
    caller = qm.session.caller
    try:
        put_in_unit(qm, outputs, caller.under_way() or 0)
    except (MQError, TypeError, ValueError, AttributeError):
        caller.progress = 0  # it is not made again
        raise
    caller.progress = 0


def put_in_new_unit(qm: QueueManager, outputs: list[Output]) -> None:
    """Put every message in a unit of their own."""
    try:
        with qm.unit_aside():
            put_in_unit(qm, outputs, 0)
    finally:
        qm.session.caller.progress = 0


def put_in_unit(qm: QueueManager, outputs: list[Output], start: int) -> None:
    """Put every message from `start` on in the current unit; an error has the `index` of its message."""
    session = qm.session
    unit = session.current_unit()
    index = start
    route: PlainRoute | None = None
    last: str | None = None  # the queue of the current route
    now = clock()
    output: Any = None
    try:
        for output in outputs[start:]:
            queue, message, qmgr, options = output
            if queue is not last and not qmgr:
                route, last = route_to(session, queue), queue
            if qmgr or route is None or not put_alike(session, queue, route, message, options, unit, now):
                context = put_in_full(qm, queue, message, qmgr, options)
                if not qmgr and is_plain(context):
                    remember(session, queue, options, message.descriptor, context)
                last = None  # a definition may have changed
            index += 1
    except MQError as failure:
        failure.fields["index"] = index
        raise
    except (TypeError, ValueError, AttributeError):
        check_output(output)
        raise
    finally:
        session.caller.progress = index


def put_alike(
    session: Session,
    queue: str,
    route: PlainRoute,
    message: Message,
    options: int,
    unit: UnitOfWork | None,
    now: float,
) -> bool:
    """Put a message that is like one that was checked; False when it needs the long way."""
    known = route.alike.get(options)
    if known is None or (known[0] is not message.descriptor and known[0] != message.descriptor):
        return False
    if not all_valid(route.alike_while):
        return False
    if (
        message.priority != route.priority
        or message.expires_at != NEVER
        or message.properties
        or type(message.body) is not bytes
    ):
        return False
    own = None if message.msg_id == NO_ID else message.msg_id
    put = session.put_quick(
        queue, route, message.body, message.persistent, message.correl_id, own, known[1], unit, now
    )
    return put is not None


def route_to(session: Session, queue: str) -> PlainRoute:
    """Return the route of a queue as it is defined now."""
    route = session.routes.get(queue)
    if route is None or not route.is_current():
        with session.gate:
            route = session.route_to(queue)
    return route


def remember(session: Session, queue: str, options: int, given: Descriptor, context: Descriptor) -> None:
    """Cache the result of checking a descriptor until a definition or a permission changes."""
    route = route_to(session, queue)
    with session.gate:
        if len(route.alike) >= KINDS_KEPT or not all_valid(route.alike_while):
            route.alike.clear()
        on = session.engine.dependencies.on  # reply-to aliases, the CCSID, and who may set the context
        route.alike_while = on("QUEUE"), on("QMGR"), on(SECURITY)
        route.alike[options] = (given, context)


def put_in_full(qm: QueueManager, queue: str, message: Message, qmgr: str, options: int) -> Descriptor:
    """Put a message the long way; return the descriptor that it got."""
    given = {
        "options": options | mq.MQPMO_SYNCPOINT,
        "persistent": message.persistent,
        "msg_id": message.msg_id,
        "correl_id": message.correl_id,
        "priority": message.priority,
        "expiry": message.expiry,
        "properties": message.properties,
    }
    fields = {"qmgr": qmgr, "descriptor": message.descriptor}
    qm.check_open()
    receipt = messaging.put_in_full(qm.session, qm.put, queue, message.body or b"", fields, given)
    return receipt.descriptor


def is_plain(descriptor: Any) -> bool:
    """Return whether messages with a descriptor need nothing but to be put: no reports, groups, segments or
    properties in a header.
    """
    return (
        not is_watched(descriptor)
        and descriptor.format != mq.MQFMT_RF_HEADER_2
        and not descriptor.flags
        and descriptor.group_id == NO_ID
        and descriptor.seq_number == 1
        and descriptor.offset == 0
        and descriptor.original_length == -1
    )
