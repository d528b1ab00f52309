"""An open object with MQ's full options: what `qm.open` returns.

Where `qm.get` answers None, a handle raises (2033). Options are those of `penstock.Open`, `Put`,
`Get`, `Close`; matching is by the ids that are given. Compiled through `object_handle.pxd`: a plain put or
get runs no Python function that a signal could cut off; the others hold signal handlers back.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.face.arguments import attributes_of, check_names, options_of, whole_of
from penstock.face.closing import Closing
from penstock.face.deadlines import deadline_of
from penstock.face.message_arguments import as_properties, body_and_fields
from penstock.face.surface import HANDLE, shown
from penstock.face.units import CallUnit, syncpoint_of_get
from penstock.host.waiting import get_or_wait, register_retry
from penstock.model import constants as mq
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import error
from penstock.model.message import NO_ID, Receipt
from penstock.model.padded_id import padded_id
from penstock.qmgr import authorization, getting
from penstock.qmgr.getting import GetRequest
from penstock.qmgr.opening import INPUT
from penstock.qmgr.putting import PutRequest
from penstock.qmgr.selectors.selector import compile_selector
from penstock.qmgr.waiters import Match

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Never

    from penstock.host.plain_route import PlainRoute
    from penstock.host.session import Session
    from penstock.model.inquired import Inquired
    from penstock.model.message import Message
    from penstock.model.message_handle import MessageHandle
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Waiter

PLAIN_PUT = (0, mq.MQPMO_NO_SYNCPOINT)
PLAIN_GET = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_FAIL_IF_QUIESCING


class ObjectHandle(Closing):
    """One open object. Usable from several threads; closed by `close` or at the end of a `with`."""

    def __init__(self, session: Session, handle: Handle) -> None:
        self.session = session
        self.handle = handle

    @staticmethod
    def usual_options(session: Session, name: str, details: Mapping[str, Any]) -> int:
        """Return the options for a name opened without any: all that its kind and the user's rights allow."""
        engine = session.engine
        if details.get("object_type", mq.MQOT_Q) != mq.MQOT_Q:
            return mq.MQOO_INQUIRE
        definition = engine.objects.find("QUEUE", name)
        if (
            definition is None
            or definition.kind == "QREMOTE"
            or details.get("qmgr", "") not in ("", engine.name)
        ):
            return mq.MQOO_OUTPUT
        if definition.kind == "QALIAS" and engine.resolve(name).queue is None:
            return mq.MQOO_OUTPUT
        usual = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_BROWSE | mq.MQOO_OUTPUT | mq.MQOO_INQUIRE | mq.MQOO_SET
        return authorization.within(session.connection.permissions, definition, usual)

    @property
    def name(self) -> str:
        """The object's name; for a dynamic queue the one that was made."""
        return self.handle.name

    @property
    def options(self) -> int:
        """The options it was opened with (MQOO_)."""
        return self.handle.options

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self.handle.closed

    @property
    def resolved(self) -> tuple[str, str]:
        """The queue and queue manager that the name resolved to."""
        route = self.handle.route
        return (
            (self.name, self.session.name) if route is None else (route.resolved_queue, route.resolved_qmgr)
        )

    def put(
        self,
        body: bytes | str,
        *,
        options: int = 0,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        put_time: float | None = None,
        **fields: Any,
    ) -> Receipt:
        """Put a message to this object (MQPUT)."""
        session = self.session
        session.check_open()
        if options in PLAIN_PUT and not (fields or properties or put_time) and expiry is priority is None:
            receipt = self._put_plain(body, persistent, correl_id, msg_id, not options)
            if receipt is not None:
                return receipt
        data, described, _, source = body_and_fields(self.put, body, fields)
        request = PutRequest(
            data,
            options_of(options),
            msg_id,
            correl_id,
            persistent,
            priority,
            expiry,
            described,
            as_properties(properties),
            put_time,
        )
        request.context_from = source
        with uninterrupted:
            with CallUnit(session, request.options) as call:
                put: Receipt = session.asking(lambda: self._put(request, call.unit, time.time()))
                return put

    def _put(self, request: PutRequest, unit: UnitOfWork | None, now: float) -> Receipt:
        session, persistent = self.session, request.persistent
        with session.step():
            route = self.handle.route
            if persistent or (persistent is None and route is not None and route.default_persistent):
                session.host.check_room(len(request.body))
            return session.engine.put(self.handle, request, unit, now)

    def _put_plain(
        self,
        body: Any,
        persistent: bool | None,
        correl_id: bytes | None,
        msg_id: bytes | None,
        in_unit: bool,
    ) -> Receipt | None:
        """Put a plain message, in the open unit if requested; None if it needs the long way."""
        handle, session = self.handle, self.session
        route = handle.route
        if handle.closed or handle.changed or not handle.has(mq.MQOO_OUTPUT):
            return None
        if route is None or handle.logical_put is not None:
            return None
        if type(body) is not bytes or not _full(correl_id) or not _full(msg_id) or msg_id == NO_ID:
            return None
        plain: PlainRoute | None = handle.extra.get("route")
        if plain is None or not plain.is_current():
            plain = handle.extra["route"] = session.plain_route(handle)
        unit = session.current_unit() if in_unit and session.open_scopes else None
        message = session.put_quick(
            handle.name, plain, body, persistent, correl_id, msg_id, session.context, unit, time.time()
        )
        return None if message is None else Receipt(message, 0, route.resolved_queue, route.resolved_qmgr)

    def get(
        self,
        *,
        options: int = 0,
        wait: float | None = 0.0,
        max_length: int | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        seq_number: int = -1,
        offset: int = -1,
        token: bytes | None = None,
        selector: str | None = None,
        ccsid: int = 0,
        encoding: int = mq.MQENC_NATIVE,
        quiet: bool = False,
        **unknown: Never,
    ) -> Message | None:
        """Get or browse a message (MQGET); raises 2033 when there is none, unless `quiet`.

        A warning (2079, 2080, 2110 ...) is in the message's `warning`.
        """
        session = self.session
        session.check_open()
        if unknown:
            check_names(self.get, unknown)
        match = _match(msg_id, correl_id, group_id, seq_number, offset, token, selector)
        if type(options) is not int:
            options = options_of(options)
        if max_length is None and options & ~PLAIN_GET == 0 and self._plain():
            return self._get_plain(match, options, wait, quiet)
        if max_length is not None:
            whole_of(max_length, "max_length")
        request = GetRequest(options, match, max_length, ccsid, encoding)
        getting.check(self.handle, request)
        if request.options & mq.MQGMO_UNLOCK:
            self._unlock()
            return None
        message = self._get(request, wait)
        if message is None and not quiet:
            raise error(mq.MQRC_NO_MSG_AVAILABLE, f"no message that fits is on {self.name}", object=self.name)
        return message

    def _plain(self) -> bool:
        """Return whether gets by this handle need nothing but to take a message."""
        handle = self.handle
        route = handle.route
        return (
            not handle.closed
            and handle.selector is None
            and handle.logical_get is None
            and handle.has(INPUT)
            and not handle.has(mq.MQOO_SAVE_ALL_CONTEXT)
            and route is not None
            and len(route.path) == 1
            and handle.queue is not None
            and handle.queue.definition.attributes["PROPCTL"] != "FORCE"
        )

    def _get_plain(
        self, match: Match | None, options: int, wait: float | None, quiet: bool
    ) -> Message | None:
        """Take a message, or wait for one; None when there is none."""
        session, handle = self.session, self.handle
        deadline_of(wait)
        unit = None
        if session.open_scopes and not options & mq.MQGMO_NO_SYNCPOINT:
            unit = session.current_unit()
        message: Message | None = None
        if match is None or match.selector is None:
            message = session.take_open(handle, self._queue(), match, unit)
        if message is None:
            message = get_or_wait(session, self._queue, match, unit, wait, handle)
        if message is None and not quiet:
            raise error(mq.MQRC_NO_MSG_AVAILABLE, f"no message that fits is on {self.name}", object=self.name)
        return message

    def _queue(self) -> Queue:
        handle = self.handle
        handle.check()
        if handle.queue is None or handle.queue.deleted:
            raise error(mq.MQRC_Q_DELETED, f"queue {handle.name} was deleted", object=handle.name)
        return handle.queue

    def _get(self, request: GetRequest, wait: float | None) -> Message | None:
        with uninterrupted:
            return self._get_or_wait(request, wait)

    def _get_or_wait(self, request: GetRequest, wait: float | None) -> Message | None:
        session = self.session
        browses = request.options & getting.BROWSE
        call = CallUnit(session, mq.MQGMO_NO_SYNCPOINT if browses else syncpoint_of_get(request.options))

        def attempt() -> Message | None:
            getting.check(self.handle, request)
            return session.engine.get(self.handle, request, call.unit, time.time())

        def register(wake: Callable[[Waiter], None]) -> Waiter:
            assert self.handle.queue is not None
            wanted = getting.wanted(self.handle, request)
            return register_retry(self.handle.queue, attempt, wanted, session.engine, wake)

        with call:
            message = session.caller.attempt_or_wait(session, attempt, register, wait)
            if call.begun is not None and not call.begun.unit.count:
                call.give_up()  # nothing was taken in it: there is no unit to end
        return message

    def _unlock(self) -> None:
        with self.session.gate:
            self.session.engine.unlock(self.handle, time.time())

    def inquire(self, *selectors: str | int) -> Inquired:
        """Return attributes by MQSC name or MQIA_/MQCA_ number (MQINQ); all when none is named.

        The `warning` of what is returned is 2068 when an attribute is not for this type of queue.
        """
        self.session.check_open()
        with self.session.gate:
            return self.session.engine.inquire(self.handle, selectors, time.time())

    def set(self, values: Mapping[str | int, Any] | None = None, /, **named: Any) -> None:
        """Change attributes of the open queue (MQSET): GET, PUT, TRIGGER ..., by name or number."""
        self.session.check_open()
        with self.session.step():
            self.session.engine.set(self.handle, attributes_of(values, named), time.time())

    def close(self, options: int = 0) -> int:
        """Close the object (MQCLOSE); return a warning reason, such as 2241, or 0."""
        self.session.check_open()
        with self.session.step():
            return self.session.engine.close(self.handle, options_of(options), time.time())

    def __dir__(self) -> list[str]:
        return shown(self, HANDLE)

    def is_usable(self) -> bool:
        """Return whether it can still be closed."""
        return not self.handle.closed and not self.session.closed and not self.session.host.closed

    def __repr__(self) -> str:
        return f"<ObjectHandle {self.name}{' closed' if self.handle.closed else ''}>"


def _full(value: bytes | None) -> bool:
    return value is None or (type(value) is bytes and len(value) == len(NO_ID))


def _match(
    msg_id: bytes | None,
    correl_id: bytes | None,
    group_id: bytes | None,
    seq_number: int,
    offset: int,
    token: bytes | None,
    selector: str | None,
) -> Match | None:
    if seq_number != -1 or offset != -1:
        seq_number, offset = whole_of(seq_number, "seq_number"), whole_of(offset, "offset")
    if token is not None and type(token) is not bytes:
        raise error(mq.MQRC_MSG_TOKEN_ERROR, f"a token is bytes, not {type(token).__name__}")
    if seq_number < 0 and offset < 0 and not any((msg_id, correl_id, group_id, token, selector)):
        return None
    return Match(
        padded_id(msg_id, mq.MQRC_MSG_ID_ERROR),
        padded_id(correl_id, mq.MQRC_CORREL_ID_ERROR),
        padded_id(group_id, mq.MQRC_GROUP_ID_ERROR),
        seq_number,
        offset,
        token,
        None if selector is None else compile_selector(selector),
    )


def make_match(
    correl_id: bytes | None = None, msg_id: bytes | None = None, selector: str | None = None
) -> Match:
    """Build the conditions of a get from what the caller gave; short ids are padded."""
    return Match(
        msg_id=padded_id(msg_id, mq.MQRC_MSG_ID_ERROR),
        correl_id=padded_id(correl_id, mq.MQRC_CORREL_ID_ERROR),
        selector=None if selector is None else compile_selector(selector),
    )
