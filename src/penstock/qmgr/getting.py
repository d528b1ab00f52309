"""MQGET in full: options, matching, truncation, conversion, properties.

`get` answers at once: a message, or None when there is nothing that fits (the host decides about
waiting), or None with `engine.step.to_load` set when a body must be read first. Browsing is next door
in `browsing`, logical order in `group_getting`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from penstock.model import constants as mq
from penstock.model import onward
from penstock.model.conversion import convert
from penstock.model.errors import error
from penstock.qmgr.groups import group_choice, group_getting
from penstock.qmgr.groups.logical_order import GROUPED as IN_GROUP
from penstock.qmgr.groups.logical_order import LogicalGet, assemble
from penstock.qmgr.messages import property_control
from penstock.qmgr.opening import INPUT
from penstock.qmgr.searching import browsing, marks
from penstock.qmgr.sharing import browse_locks, group_fetching
from penstock.qmgr.sharing import browsing as shared_browsing
from penstock.qmgr.states import GONE, UNCOMMITTED
from penstock.qmgr.waiters import Match

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.selectors.selector import Selector
    from penstock.qmgr.unit_of_work import UnitOfWork

SYNC = mq.MQGMO_SYNCPOINT | mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
BROWSE = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
GROUPED = group_choice.OPTIONS
PAIRS = (  # options that say the opposite
    (mq.MQGMO_MARK_BROWSE_HANDLE, mq.MQGMO_UNMARK_BROWSE_HANDLE),
    (mq.MQGMO_MARK_BROWSE_CO_OP, mq.MQGMO_UNMARK_BROWSE_CO_OP),
)
KNOWN = (
    SYNC
    | BROWSE
    | marks.OPTIONS
    | GROUPED
    | property_control.OPTIONS
    | mq.MQGMO_WAIT
    | mq.MQGMO_MSG_UNDER_CURSOR
    | mq.MQGMO_LOCK
    | mq.MQGMO_UNLOCK
    | mq.MQGMO_ACCEPT_TRUNCATED_MSG
    | mq.MQGMO_CONVERT
    | mq.MQGMO_FAIL_IF_QUIESCING
)


@dataclass(slots=True)
class GetRequest:
    """The request of one get."""

    options: int = 0
    match: Match | None = None
    max_length: int | None = None
    ccsid: int = 0  # convert to; 0 the queue manager's
    encoding: int = mq.MQENC_NATIVE


def check(handle: Handle, request: GetRequest) -> None:
    """Check the request of a get before it reads the queue."""
    options = request.options
    handle.check()
    _check_options(options)
    if options & (BROWSE | mq.MQGMO_UNLOCK) and not handle.has(mq.MQOO_BROWSE):
        raise error(mq.MQRC_NOT_OPEN_FOR_BROWSE, f"{handle.name} is not open for browse", object=handle.name)
    if options & mq.MQGMO_MSG_UNDER_CURSOR and not handle.has(mq.MQOO_BROWSE):
        raise error(
            mq.MQRC_NOT_OPEN_FOR_BROWSE, "a message under the cursor needs BROWSE too", object=handle.name
        )
    if not options & (BROWSE | mq.MQGMO_UNLOCK) and not handle.has(INPUT):
        raise error(mq.MQRC_NOT_OPEN_FOR_INPUT, f"{handle.name} is not open for input", object=handle.name)
    if options & marks.CO_OP and not handle.has(mq.MQOO_CO_OP):
        raise error(mq.MQRC_OPTIONS_ERROR, "marks for cooperating browsers need a handle opened with CO_OP")
    if request.max_length is not None and request.max_length < 0:
        raise error(mq.MQRC_BUFFER_LENGTH_ERROR, f"a buffer of {request.max_length} bytes cannot be")
    if handle.queue is None or handle.queue.deleted:
        raise error(mq.MQRC_Q_DELETED, f"queue {handle.name} was deleted", object=handle.name)


def _check_options(options: int) -> None:
    if options & ~KNOWN:
        raise error(mq.MQRC_OPTIONS_ERROR, f"unknown get options {options & ~KNOWN:#x}")
    if (options & SYNC).bit_count() > 1:
        raise error(mq.MQRC_OPTIONS_ERROR, "only one syncpoint option may be given")
    if (options & (BROWSE | mq.MQGMO_MSG_UNDER_CURSOR)).bit_count() > 1:
        raise error(mq.MQRC_OPTIONS_ERROR, "only one browse or cursor option may be given")
    if options & BROWSE and options & (mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT):
        raise error(mq.MQRC_OPTIONS_ERROR, "a browse is not part of a unit of work")
    if options & mq.MQGMO_LOCK and not options & BROWSE:
        raise error(mq.MQRC_OPTIONS_ERROR, "LOCK needs a browse option")
    if options & mq.MQGMO_UNLOCK and options & (BROWSE | SYNC | mq.MQGMO_LOCK | mq.MQGMO_WAIT):
        raise error(mq.MQRC_OPTIONS_ERROR, "UNLOCK goes with no browse, lock, wait or syncpoint option")
    if options & marks.OPTIONS and not options & BROWSE:
        raise error(mq.MQRC_OPTIONS_ERROR, "mark options need a browse option")
    if any(options & one and options & other for one, other in PAIRS):
        raise error(mq.MQRC_OPTIONS_ERROR, "a browse marks a message or removes its mark, not both")
    if (options & property_control.OPTIONS).bit_count() > 1:
        raise error(mq.MQRC_OPTIONS_ERROR, "only one property option may be given")


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
        return _browse(engine, handle, request, match, now)
    if options & GROUPED and not options & mq.MQGMO_MSG_UNDER_CURSOR:
        if queue.shared is not None:
            return group_fetching.get(engine, handle, request, match, unit, now)
        return group_getting.get(engine, handle, request, match, unit, now)
    if options & mq.MQGMO_MSG_UNDER_CURSOR and queue.shared is not None:
        message = shared_browsing.under_cursor(engine, handle, now)
    elif options & mq.MQGMO_MSG_UNDER_CURSOR:
        message = _under_cursor(engine, handle, now)
    else:
        message = engine.select(queue, match, unit, now)
    if message is None:
        return None
    if too_long(message, handle, request) and not options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
        return refused(message, handle, request)
    if options & mq.MQGMO_MSG_UNDER_CURSOR:
        leave = browsing.leave if queue.shared is None else browse_locks.leave
        leave(handle, message)
    taken = take(engine, queue, message, request, unit, now)
    _note_group(handle, taken, unit)
    return hand_out(engine, handle, taken, request)


def _browse(
    engine: Engine, handle: Handle, request: GetRequest, match: Match | None, now: float
) -> Message | None:
    assert handle.queue is not None
    if handle.queue.shared is not None:
        return _browse_shared(engine, handle, request, match, now)
    found = browsing.find(engine, handle, request.options, match, now)
    if found is None:
        return None
    message, shown = found
    if too_long(shown, handle, request) and not request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
        return refused(shown, handle, request)
    browsing.arrive(engine, handle, message, shown, request.options, now)
    return hand_out(engine, handle, shown, request)


def _browse_shared(
    engine: Engine, handle: Handle, request: GetRequest, match: Match | None, now: float
) -> Message | None:

    def fits(parts: list[Message]) -> bool:
        truncated = request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG
        return bool(truncated) or not too_long(whole(parts), handle, request)

    found = shared_browsing.find(engine, handle, request.options, match, fits, now)
    if found is None:
        return None
    shown = shared_browsing.show(whole([message for _, message in found]), now)
    if too_long(shown, handle, request) and not request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
        return refused(shown, handle, request)
    shared_browsing.arrive(handle, found, shown, request.options)
    return hand_out(engine, handle, shown, request)


def whole(parts: list[Message]) -> Message:
    """Return the message that parts make."""
    return parts[0] if len(parts) == 1 else assemble(parts)


def _under_cursor(engine: Engine, handle: Handle, now: float) -> Message | None:
    message = browsing.under_cursor(engine, handle, now)
    if message.body is None:
        engine.step.load([message])
        return None
    if message.expires_at:
        message.remaining = message.expires_at - now
    return message


def _note_group(handle: Handle, taken: Message, unit: UnitOfWork | None) -> None:
    """Tell logical order of a get without it: a member got this way is where the group goes on."""
    state = handle.logical_get
    if state is None:
        if not taken.descriptor.flags & IN_GROUP:
            return
        state = handle.logical_get = LogicalGet()
    taken.warning = taken.warning or state.check(False, unit)
    state.enter(unit)
    state.took(taken, False, unit)


def take(
    engine: Engine, queue: Queue, message: Message, request: GetRequest, unit: UnitOfWork | None, now: float
) -> Message:
    """Remove a selected message, in the unit that the options and its persistence select."""
    if request.options & mq.MQGMO_SYNCPOINT_IF_PERSISTENT and not message.persistent:
        if message.state != UNCOMMITTED:  # a put of the unit itself can only leave with the unit
            unit = None
    queue.last_get = now
    taken = onward.shown(engine.remove(queue, message, unit, now))
    marks.forget(queue, message)
    return taken


def _check_get_enabled(engine: Engine, handle: Handle, queue: Queue, now: float) -> None:
    if not queue.get_enabled:
        _refuse_inhibited(engine, queue.name, now)
    if handle.route is not None and len(handle.route.path) > 1:
        if not handle.route.is_current():
            handle.route = engine.reroute(handle)
        check_inhibited(engine, handle.route, now)


def check_inhibited(engine: Engine, route: Route, now: float) -> None:
    """Refuse a get along a route that is GET(DISABLED) somewhere: 2016, and an event if enabled."""
    inhibited = route.get_inhibited_by()
    if inhibited is not None:
        _refuse_inhibited(engine, inhibited, now)


def _refuse_inhibited(engine: Engine, name: str, now: float) -> NoReturn:
    engine.effects.get_inhibited(name, now)
    raise error(mq.MQRC_GET_INHIBITED, f"{name} is GET(DISABLED)", object=name)


class _Both:
    """The selector of the handle and that of the get: a message must suit both."""

    __slots__ = ("_first", "_second", "cost", "searches")

    def __init__(self, first: Selector, second: Selector) -> None:
        self._first = first
        self._second = second
        self.cost = first.cost + second.cost
        self.searches = first.searches + second.searches

    def matches(self, message: Message) -> bool:
        return self._first.matches(message) and self._second.matches(message)


def _match(handle: Handle, match: Match | None) -> Match | None:
    selector = handle.selector
    if selector is None:
        return match
    if match is None:
        return Match(selector=selector)
    return Match(
        match.msg_id,
        match.correl_id,
        match.group_id,
        match.seq_number,
        match.offset,
        match.token,
        selector if match.selector is None else _Both(selector, match.selector),
    )


def wanted(handle: Handle, request: GetRequest) -> Match | None:
    """Return what an arriving message must be to satisfy a waiting get; None if any may."""
    return None if request.options & GROUPED else _match(handle, request.match)


def too_long(message: Message, handle: Handle, request: GetRequest) -> bool:
    """Return whether what would be handed out, with its properties, is longer than the caller's buffer."""
    if request.max_length is None:
        return False
    return _presented(onward.shown(message), handle, request).length > request.max_length


def _presented(message: Message, handle: Handle, request: GetRequest) -> Message:
    wanted = property_control.wish(handle, message, request.options)
    if not wanted:
        return message
    shown = message if message.state == GONE else message.snapshot()
    property_control.show(shown, wanted)
    return shown


def refused(message: Message, handle: Handle, request: GetRequest) -> Message:
    """Show what did not fit: the message stays, the caller sees its start and full length."""
    shown = _presented(onward.shown(message).snapshot(), handle, request)
    shown.body = (shown.body or b"")[: request.max_length]
    shown.warning = mq.MQRC_TRUNCATED_MSG_FAILED
    return shown


def hand_out(engine: Engine, handle: Handle, message: Message, request: GetRequest) -> Message:
    """Finish the copy that the application sees: context, properties, conversion, truncation."""
    options = request.options
    if handle.has(mq.MQOO_SAVE_ALL_CONTEXT) and not options & BROWSE:
        handle.saved_context = message
    if not (message.properties or options & mq.MQGMO_CONVERT or request.max_length is not None):
        return message
    message = _presented(message, handle, request)
    length, room = message.length, request.max_length
    if options & mq.MQGMO_CONVERT:
        message = message if message.state == GONE else message.snapshot()
        _convert(engine, message, request)
    if room is not None and message.length > room:
        message = message if message.state == GONE else message.snapshot()
        message.body = (message.body or b"")[:room]
        message.length = length
        message.warning = mq.MQRC_TRUNCATED_MSG_ACCEPTED
    return message


def _convert(engine: Engine, message: Message, request: GetRequest) -> None:
    descriptor, room = message.descriptor, request.max_length
    to_ccsid = request.ccsid or int(engine.definition.attributes["CCSID"])
    if descriptor.ccsid == to_ccsid and descriptor.encoding == request.encoding:
        return
    done = convert(
        message.body or b"",
        descriptor.format,
        descriptor.ccsid,
        descriptor.encoding,
        to_ccsid,
        request.encoding,
        room if room is not None and message.length <= room else None,
    )
    message.warning = done.warning or message.warning
    message.body = done.body
    message.length = len(done.body)
    message.descriptor = descriptor.replace(ccsid=done.ccsid, encoding=done.encoding)
