"""Messages with all that belongs to them, to many queues at once: what a flow puts at the end of a unit.

`QueueManager.put_messages` comes here. The first message of a kind (queue, options, descriptor) goes the
long way, where everything is checked; those of the same batch that differ in body and ids alone take the
short one. Not for topics. Compiled through `message_batch.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.host._gate import now as clock
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.message import NEVER, NO_ID

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.host.queue_manager import QueueManager
    from penstock.model.message import Descriptor, Message
    from penstock.qmgr.unit_of_work import UnitOfWork

Output = tuple[str, "Message", str, int]  # queue, message, queue manager, put options


def put_in_unit(qm: QueueManager, outputs: Iterable[Output], unit: UnitOfWork | None) -> None:
    """Put every message in the unit that is open; an error tells the `index` of the one it is about."""
    known: dict[
        tuple[str, str, int], tuple[Descriptor, Descriptor]
    ] = {}  # the last given, and what it became
    index = 0
    try:
        for queue, message, qmgr, options in outputs:
            kind, given = (queue, qmgr, options), message.descriptor
            last, context = known.get(kind, (None, None))
            alike = context is not None and (last is given or last == given)
            if not alike or not put_alike(qm, queue, message, context, unit):
                context = put_in_full(qm, queue, message, qmgr, options)
                if not qmgr and is_plain(context):
                    known[kind] = (given, context)
            index += 1
    except MQError as failure:
        failure.fields["index"] = index
        raise


def put_alike(
    qm: QueueManager, queue: str, message: Message, context: Descriptor | None, unit: UnitOfWork | None
) -> bool:
    """Put a message that is like one that was checked; False when it needs the long way."""
    route = qm.routes.get(queue)
    if route is None or route.generation != qm.engine.generation:
        with qm.gate:
            route = qm._route(queue)
    if (
        message.priority != route.priority
        or message.expires_at != NEVER
        or message.properties
        or type(message.body) is not bytes
    ):
        return False
    own = None if message.msg_id == NO_ID else message.msg_id
    put = qm.put_quick(
        queue, route, message.body, message.persistent, message.correl_id, own, context, unit, clock()
    )
    return put is not None


def put_in_full(qm: QueueManager, queue: str, message: Message, qmgr: str, options: int) -> Descriptor:
    """Put a message the long way; return the descriptor that it got."""
    receipt = qm.put(
        queue,
        message.body or b"",
        options=options | mq.MQPMO_SYNCPOINT,
        qmgr=qmgr,
        persistent=message.persistent,
        msg_id=message.msg_id,
        correl_id=message.correl_id,
        priority=message.priority,
        expiry=message.expiry,
        properties=message.properties,
        descriptor=message.descriptor,
    )
    return receipt.descriptor


def is_plain(descriptor: Any) -> bool:
    """Say whether messages with a descriptor need nothing but to be put: no reports, groups, segments or
    properties in a header.
    """
    return (
        not descriptor.report
        and descriptor.format != mq.MQFMT_RF_HEADER_2
        and not descriptor.flags
        and descriptor.group_id == NO_ID
        and descriptor.seq_number == 1
        and descriptor.offset == 0
        and descriptor.original_length == -1
    )
