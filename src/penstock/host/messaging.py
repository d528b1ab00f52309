"""The long way of puts and gets: whatever is not a plain message on a local queue, and several at once.

Functions over a session, for `QueueManager`, which has read the arguments. Each takes the gate, calls the
engine, and waits for the disk outside the gate where the engine says so. Compiled through `messaging.pxd`: no
signal handler runs between their steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.face import units
from penstock.face._clock import now as clock
from penstock.face.arguments import name_of, options_of
from penstock.face.message_arguments import as_properties, body_and_fields
from penstock.face.units import CallUnit
from penstock.host.distribution import Outcome
from penstock.model import constants as mq
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import MQError, error
from penstock.qmgr.putting import PutRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.host.queue_manager import QueueManager
    from penstock.host.session import Session
    from penstock.model.message import Message, Receipt
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match


def put_in_full(
    session: Session,
    method: Callable[..., Any],
    queue: Any,
    body: Any,
    fields: dict[str, Any],
    given: dict[str, Any],
) -> Receipt:
    """Put a message with all that was given to a method, `put` or one like it."""
    data, described, qmgr, source = body_and_fields(method, body, fields)
    request = PutRequest(
        data,
        options_of(given["options"]),
        given["msg_id"],
        given["correl_id"],
        given["persistent"],
        given["priority"],
        given["expiry"],
        described,
        as_properties(given["properties"]),
    )
    request.context_from = source
    with uninterrupted:
        with CallUnit(session, request.options) as call:
            put: Receipt = session.asking(
                lambda: _put_one(session, name_of(queue), qmgr, request, call.unit, clock())
            )
            return put


def _put_one(
    session: Session, queue: str, qmgr: str, request: PutRequest, unit: UnitOfWork | None, now: float
) -> Receipt:
    with session.step():
        route = session.engine.resolve(queue, qmgr, now)
        if request.persistent or (request.persistent is None and route.default_persistent):
            session.host.check_room(len(request.body))
        if route.first is not None and route.first.kind == "QMODEL":
            raise error(
                mq.MQRC_UNKNOWN_OBJECT_NAME,
                f"{queue} is a model queue: open it to make a dynamic queue",
                object=queue,
            )
        return session.engine.put1(session.connection, route, request, unit, now)


def put_list(
    qm: QueueManager, destinations: Iterable[Any], body: Any, details: dict[str, Any]
) -> list[Receipt]:
    """Put one message to several queues; raise when all have tried, if some did not take it."""
    outcome = Outcome(destinations, details)
    for each in outcome.destinations:
        try:
            outcome.add(qm.put(each.queue, body, **each.details(details)))
        except MQError as failure:
            outcome.add(failure)
    return outcome.receipts()


def put_many(qm: QueueManager, queue: str, bodies: list[Any], details: dict[str, Any]) -> list[Receipt]:
    """Put several messages in the unit that a put would be in, or in one of their own."""
    with uninterrupted:
        with CallUnit(qm.session, details.get("options", 0)) as call:
            if call.unit is not None:
                return _put_each(qm, qm.session, queue, bodies, details)
        with qm.unit_aside():
            return _put_each(qm, qm.session, queue, bodies, units.within_own_unit(details))


def _put_each(
    qm: QueueManager, session: Session, queue: str, bodies: list[Any], details: dict[str, Any]
) -> list[Receipt]:
    receipts = []
    unit = session.current_unit()
    persistent = details.get("persistent")
    plain = not details.keys() - {"persistent"}
    for body in bodies:
        message = None
        if plain and type(body) is bytes:
            message = session.put_quick(
                queue, None, body, persistent, None, None, session.context, unit, clock()
            )
        if message is None:
            receipts.append(qm.put(queue, body, **details))
        else:
            receipts.append(session.receipt(message, queue))
    return receipts


def target(session: Session, name: str) -> Callable[[], Queue]:
    """Return a way to find the queue behind a name again, whatever was redefined meanwhile."""

    def find() -> Queue:
        queue: Queue = session.way_to(name).queue
        return queue

    return find


def get_more(session: Session, queue: str, count: int, found: list[Message], match: Match | None) -> None:
    """Get messages behind the first that are there now, up to `count` in all."""
    unit = session.current_unit()
    fetched: list[Any] | None = None
    while len(found) < count:
        with session.step() as step:
            session.engine.step.again(fetched)
            enough = _take_more(session, queue, count, found, match, unit)
        fetched = step.to_load
        if fetched is None or enough:
            break
        session.host.load(fetched)


def _take_more(
    session: Session,
    queue: str,
    count: int,
    found: list[Message],
    match: Match | None,
    unit: UnitOfWork | None,
) -> bool:
    """Take what is there; True when something prevents it: what was found already is not lost."""
    now = clock()
    try:
        there = session.way_to(queue).queue
        while len(found) < count:
            message = session.engine.take(there, match, unit, now)
            if message is None:
                return False
            found.append(message)
    except MQError:
        return True
    return True
