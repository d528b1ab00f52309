"""The outputs of a batch: checked and logged when a slice prepares them, published by the commit.

Until its attempt wins an output is on no queue and counts in no depth, so that retries and
speculation cost a queue nothing. MAXDEPTH and PUT(DISABLED) are looked at again at the commit, before
anything changes. Called by `reservations`; the journal record is a message head with the negative
number of its batch as unit.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID
from penstock.qmgr import records
from penstock.qmgr.batches import batch_publishing
from penstock.qmgr.batches.batch_state import OutputBatch
from penstock.qmgr.batches.private_queues import check_private
from penstock.qmgr.groups.logical_order import check_physical
from penstock.qmgr.putting import for_transmission
from penstock.qmgr.queue import count_put
from penstock.qmgr.states import GONE, GOT, UNCOMMITTED
from penstock.qmgr.streams import streaming
from penstock.store.message_format import encode_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.model.message import Message
    from penstock.qmgr.batches.batch_state import Reservation
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

OUTPUTS_MAX = 1_000_000  # outputs of one attempt at a slice


def check(engine: Engine, outputs: Sequence[tuple[str, Message]], now: float) -> list[tuple[Queue, Message]]:
    """Return queue and message of each output; raise the errors of a put, except 2053."""
    routes: dict[str, Route] = {}
    checked: list[tuple[Queue, Message]] = []
    for name, message in outputs:
        if batch_publishing.is_topic(name):
            checked += batch_publishing.copies(engine, name, message, now)
            continue
        if name not in routes:
            routes[name] = _route(engine, name, now)
        checked.append(_checked(engine, routes[name], message, now))
    return checked


def _route(engine: Engine, name: str, now: float) -> Route:
    route = engine.resolve(name)
    check_private(route.queue)
    if route.topic is not None:
        text = f"{name} leads to a topic; a batch publishes to a name such as topic:price/fruit"
        raise error(mq.PSRC_NOT_IMPLEMENTED, text, object=name)
    if route.queue is None:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{name} is not a local queue", object=name)
    inhibited = route.put_inhibited_by()
    if inhibited is not None:
        engine.effects.put_inhibited(inhibited, now)
        raise error(mq.MQRC_PUT_INHIBITED, f"{inhibited} is PUT(DISABLED)", object=inhibited)
    return route


def _checked(engine: Engine, route: Route, message: Message, now: float) -> tuple[Queue, Message]:
    if message.body is None:
        raise error(mq.MQRC_BUFFER_ERROR, "an output needs a body")
    output = message.snapshot()  # the caller may keep the message, and prepare it again
    output.seq = output.place = output.backout_count = 0
    if output.msg_id == NO_ID:
        output.msg_id = engine.ids.next()
    if not output.put_time:
        output.put_time = now
    descriptor = output.descriptor
    if descriptor.flags or descriptor.group_id != NO_ID:
        check_physical(output, engine.ids.next)
    route = engine.clusters.workload.settled(route, output)
    assert route.queue is not None
    queue = route.queue
    if route.remote:
        output = for_transmission(engine, route, output, now)
    if output.length > queue.length_max or output.length > engine.length_max:
        reason = (
            mq.MQRC_MSG_TOO_BIG_FOR_Q if output.length > queue.length_max else mq.MQRC_MSG_TOO_BIG_FOR_Q_MGR
        )
        raise error(reason, f"{output.length} bytes are more than MAXMSGL allows", queue=queue.name)
    if output.persistent and queue.temporary:
        raise error(
            mq.MQRC_PERSISTENT_NOT_ALLOWED, f"{queue.name} is a temporary dynamic queue", queue=queue.name
        )
    output.state = UNCOMMITTED
    return queue, output


def log(engine: Engine, batch: OutputBatch, outputs: list[tuple[Queue, Message]]) -> None:
    """Append the persistent outputs of a batch to the journal, and record all outputs in the batch."""
    for queue, message in outputs:
        if message.persistent:
            message.seq = engine.next_seq
            engine.next_seq += 1
            head = encode_head(message, queue.id, -batch.number)
            engine.journal.append(records.OUTPUT, head, message.body or b"")
    batch.outputs += outputs


def drop(engine: Engine, batch: OutputBatch) -> None:
    """Forget the outputs of an attempt that will not win."""
    for _, message in batch.outputs:
        message.state = GONE
        if message.location:
            engine.wishes.discards.append(message.location)
    batch.outputs = []


def stream_copies(engine: Engine, winners: list[OutputBatch], now: float) -> OutputBatch | None:
    """Return a batch of the copies that the streams of output queues get at a commit; None for none.

    Raises what keeps a copy from a stream that must have it, but for 2053; a copy that another stream does
    not take is left out. Bodies that are in message files are asked for by `engine.step.to_load`.
    """
    streamed = [(queue, message) for batch in winners for queue, message in batch.outputs if queue.stream]
    if not streamed:
        return None
    unread = [message for _, message in streamed if message.body is None]
    if unread:
        engine.step.load(unread)
        return None
    number = engine.next_unit
    engine.next_unit += 1
    copies = OutputBatch(number, 0, 0, 0, engine.journal.end)
    coming = Counter(queue for batch in winners for queue, _ in batch.outputs)
    for queue, message in streamed:
        stream = queue.stream
        try:
            made = streaming.copies(engine, stream, message, now)
        except MQError:
            if stream.must:
                raise
            continue
        full = any(target.depth + coming[target] >= target.depth_max for target, _ in made)
        if full and not stream.must:
            continue
        coming.update(target for target, _ in made)
        copies.outputs += made
    return copies


def check_room(engine: Engine, winners: list[OutputBatch], now: float) -> None:
    """Raise what forbids the winning outputs on their queues now; nothing has changed then."""
    counts = Counter(queue for batch in winners for queue, _ in batch.outputs)
    for queue, count in counts.items():
        if queue.deleted:
            raise error(mq.MQRC_Q_DELETED, f"queue {queue.name} was deleted", object=queue.name)
        if not queue.put_enabled:
            engine.effects.put_inhibited(queue.name, now)
            raise error(mq.MQRC_PUT_INHIBITED, f"queue {queue.name} is PUT(DISABLED)", object=queue.name)
        if queue.depth + count > queue.depth_max:
            engine.effects.queue_full(queue, now)
            detail = (
                f"queue {queue.name} holds {queue.depth} of {queue.depth_max} messages; {count} more come"
            )
            raise error(mq.MQRC_Q_FULL, detail, queue=queue.name, count=count, depth_max=queue.depth_max)


def as_unit(engine: Engine, held: Reservation, winners: list[OutputBatch], now: float) -> UnitOfWork:
    """Make a unit of the batch: it gets the reserved messages and puts the winners' outputs."""
    unit = engine.new_unit(None, now)
    taken = [message for batch in winners for message in batch.takes]
    for message in (*held.messages, *taken):
        message.state = GOT
        message.owner = unit
        unit.gets.append(message)
    for batch in winners:
        for queue, message in batch.outputs:
            message.owner = unit
            unit.add_put(queue, message)
            queue.depth += 1
            count_put(queue, message)
            queue.uncommitted += 1
            queue.last_put = now
    batch_publishing.keep_retained(engine, unit, now)
    _tell(engine, unit)
    return unit


def _tell(engine: Engine, unit: UnitOfWork) -> None:
    """Let events, triggers and reports know, as they would of single gets and puts."""
    for message in unit.gets:
        queue = message.queue
        if message.reports or queue.depth_events is not None or queue.service_interval is not None:
            engine.effects.message_got(queue, message)
    for message in unit.puts:
        queue = message.queue
        if queue.depth_events is not None or queue.trigger is not None or queue.service_interval is not None:
            engine.effects.message_put(queue, message, unit)
