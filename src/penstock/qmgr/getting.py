"""MQGET in full: options, matching, truncation, conversion, properties.

`get` answers at once: a message, or None when there is nothing that fits (the host decides about
waiting), or None with `engine.to_load` set when a body must be read first. Browsing is next door
in `browsing`, logical order in `group_getting`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.conversion import convert
from penstock.model.errors import error
from penstock.model.rfh2 import attach_properties
from penstock.qmgr import browsing, group_getting
from penstock.qmgr.opening import INPUT
from penstock.qmgr.states import GONE
from penstock.qmgr.waiters import Match

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

SYNC = mq.MQGMO_SYNCPOINT | mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
BROWSE = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
MARKS = (
    mq.MQGMO_MARK_BROWSE_HANDLE
    | mq.MQGMO_MARK_BROWSE_CO_OP
    | mq.MQGMO_UNMARK_BROWSE_CO_OP
    | mq.MQGMO_UNMARK_BROWSE_HANDLE
    | mq.MQGMO_UNMARKED_BROWSE_MSG
)
GROUPED = (
    mq.MQGMO_LOGICAL_ORDER
    | mq.MQGMO_COMPLETE_MSG
    | mq.MQGMO_ALL_MSGS_AVAILABLE
    | mq.MQGMO_ALL_SEGMENTS_AVAILABLE
)
PROPERTIES = (
    mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    | mq.MQGMO_NO_PROPERTIES
    | mq.MQGMO_PROPERTIES_IN_HANDLE
    | mq.MQGMO_PROPERTIES_COMPATIBILITY
)
KNOWN = (
    SYNC
    | BROWSE
    | MARKS
    | GROUPED
    | PROPERTIES
    | mq.MQGMO_WAIT
    | mq.MQGMO_MSG_UNDER_CURSOR
    | mq.MQGMO_LOCK
    | mq.MQGMO_UNLOCK
    | mq.MQGMO_ACCEPT_TRUNCATED_MSG
    | mq.MQGMO_CONVERT
    | mq.MQGMO_FAIL_IF_QUIESCING
)
MATCH_ANY = Match()


@dataclass(slots=True)
class GetRequest:
    """What an application asks for in one get."""

    options: int = 0
    match: Match | None = None
    max_length: int | None = None
    ccsid: int = 0  # convert to; 0 the queue manager's
    encoding: int = mq.MQENC_NATIVE


def check(handle: Handle, request: GetRequest) -> None:
    """Raise what is wrong with a get before it looks at the queue."""
    options = request.options
    if handle.closed:
        raise error(2019, "the handle is closed")
    _check_options(options)
    if options & (BROWSE | mq.MQGMO_UNLOCK) and not handle.has(mq.MQOO_BROWSE):
        raise error(2036, f"{handle.name} is not open for browse", object=handle.name)
    if options & mq.MQGMO_MSG_UNDER_CURSOR and not handle.has(mq.MQOO_BROWSE):
        raise error(2036, "a message under the cursor needs BROWSE too", object=handle.name)
    if not options & (BROWSE | mq.MQGMO_UNLOCK) and not handle.has(INPUT):
        raise error(2037, f"{handle.name} is not open for input", object=handle.name)
    if request.max_length is not None and request.max_length < 0:
        raise error(2005, f"a buffer of {request.max_length} bytes cannot be")
    if handle.queue is None or handle.queue.deleted:
        raise error(2052, f"queue {handle.name} was deleted", object=handle.name)


def _check_options(options: int) -> None:
    if options & ~KNOWN:
        raise error(2046, f"unknown get options {options & ~KNOWN:#x}")
    if (options & SYNC).bit_count() > 1:
        raise error(2046, "only one syncpoint option may be given")
    if (options & (BROWSE | mq.MQGMO_MSG_UNDER_CURSOR)).bit_count() > 1:
        raise error(2046, "only one browse or cursor option may be given")
    if options & BROWSE and options & (mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT):
        raise error(2046, "a browse is not part of a unit of work")
    if options & mq.MQGMO_LOCK and not options & BROWSE:
        raise error(2046, "LOCK needs a browse option")
    if options & mq.MQGMO_UNLOCK and options & (BROWSE | mq.MQGMO_LOCK | mq.MQGMO_WAIT):
        raise error(2046, "UNLOCK goes with no browse, lock or wait option")
    if options & MARKS and not options & (BROWSE | mq.MQGMO_MSG_UNDER_CURSOR):
        raise error(2046, "mark options need a browse option")
    if (options & PROPERTIES).bit_count() > 1:
        raise error(2046, "only one property option may be given")


def get(
    engine: Engine, handle: Handle, request: GetRequest, unit: UnitOfWork | None, now: float
) -> Message | None:
    """Get or browse a message, or return None; `check` has passed."""
    queue = handle.queue
    assert queue is not None
    _check_get_enabled(engine, handle, queue, now)
    options = request.options
    match = _match(handle, request.match)
    if options & BROWSE:
        message = browsing.browse(engine, handle, options, match, now, request.max_length)
        return None if message is None else hand_out(engine, handle, queue, message, request)
    if options & GROUPED and not options & mq.MQGMO_MSG_UNDER_CURSOR:
        return group_getting.get(engine, handle, request, match, unit, now)
    if options & mq.MQGMO_MSG_UNDER_CURSOR:
        message = browsing.under_cursor(engine, handle, now)
    else:
        message = engine.select(queue, match, unit, now)
    if message is None:
        return None
    if _too_long(message, request) and not options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
        return refused(message, request)
    if options & mq.MQGMO_MSG_UNDER_CURSOR:
        browsing.leave(engine, handle, message)
    taken = take(engine, queue, message, request, unit, now)
    if handle.logical_get is not None:
        taken.warning = handle.logical_get.check(False, unit)
        handle.logical_get.took(taken, False, unit)
    return hand_out(engine, handle, queue, taken, request)


def take(
    engine: Engine, queue: Queue, message: Message, request: GetRequest, unit: UnitOfWork | None, now: float
) -> Message:
    """Remove a selected message, in the unit that the options and its persistence ask for."""
    if request.options & mq.MQGMO_SYNCPOINT_IF_PERSISTENT and not message.persistent:
        unit = None
    queue.last_get = now
    return engine.remove(queue, message, unit, now)


def _check_get_enabled(engine: Engine, handle: Handle, queue: Queue, now: float) -> None:
    inhibited = None if queue.get_enabled else queue.name
    if inhibited is None and handle.route is not None and len(handle.route.path) > 1:
        if handle.route.generation != engine.generation:
            handle.route = engine.reroute(handle)
        inhibited = handle.route.get_inhibited_by()
    if inhibited is not None:
        engine.effects.get_inhibited(inhibited, now)
        raise error(2016, f"{inhibited} is GET(DISABLED)", object=inhibited)


def _match(handle: Handle, match: Match | None) -> Match | None:
    if handle.selector is None:
        return match
    wanted = match or MATCH_ANY
    return Match(
        wanted.msg_id,
        wanted.correl_id,
        wanted.group_id,
        wanted.seq_number,
        wanted.offset,
        wanted.token,
        handle.selector,
    )


def _too_long(message: Message, request: GetRequest) -> bool:
    return request.max_length is not None and message.length > request.max_length


def refused(message: Message, request: GetRequest) -> Message:
    """Show what did not fit: the message stays, the caller sees its start and full length."""
    shown = message.snapshot()
    shown.body = (message.body or b"")[: request.max_length]
    shown.warning = 2080
    return shown


def hand_out(engine: Engine, handle: Handle, queue: Queue, message: Message, request: GetRequest) -> Message:
    """Finish the copy that the application sees: context, conversion, properties, truncation."""
    if handle.has(mq.MQOO_SAVE_ALL_CONTEXT) and not request.options & BROWSE:
        handle.saved_context = message
    if message.warning:
        return message
    options = request.options
    if options & (mq.MQGMO_CONVERT | PROPERTIES) or _too_long(message, request):
        message = message.snapshot() if message.state != GONE else message
        if options & PROPERTIES:
            _show_properties(message, options)
        if options & mq.MQGMO_CONVERT:
            _convert(engine, message, request)
        if _too_long(message, request):
            message.body = (message.body or b"")[: request.max_length]
            message.warning = 2079
    return message


def _show_properties(message: Message, options: int) -> None:
    if options & mq.MQGMO_NO_PROPERTIES:
        message.properties = None
    elif options & mq.MQGMO_PROPERTIES_FORCE_MQRFH2 and message.properties:
        message.body, message.descriptor = attach_properties(
            message.properties, message.body or b"", message.descriptor
        )
        message.properties = None
        message.length = len(message.body)


def _convert(engine: Engine, message: Message, request: GetRequest) -> None:
    descriptor = message.descriptor
    to_ccsid = request.ccsid or int(engine.definition.attributes["CCSID"])  # type: ignore[arg-type]
    if descriptor.ccsid == to_ccsid and descriptor.encoding == request.encoding:
        return
    done = convert(
        message.body or b"",
        descriptor.format,
        descriptor.ccsid,
        descriptor.encoding,
        to_ccsid,
        request.encoding,
    )
    if done.warning:
        message.warning = done.warning
        return
    message.body = done.body
    message.length = len(done.body)
    message.descriptor = descriptor.replace(ccsid=done.ccsid, encoding=done.encoding)
