# cython: nonecheck=True
"""The messages of a connection: put, get, request, batches of them, and handles for everything finer.

Each method takes the gate, calls the engine, and waits for the disk outside the gate where the engine says
so. `put` and `get` have a short way for the usual case (`short_way`). `QueueManager` extends it. Compiled
through `messaging.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.face import units
from penstock.face._clock import now as clock
from penstock.face.arguments import (
    DYNAMIC_NAME,
    bodies_of,
    check_count,
    check_names,
    check_open_details,
    name_of,
    open_details,
    options_of,
    outputs_of,
)
from penstock.face.deadlines import deadline_of
from penstock.face.message_arguments import FIELDS, as_properties, body_and_fields, put_details
from penstock.face.units import CallUnit
from penstock.host.committing import Committing
from penstock.host.distribution import Outcome
from penstock.host.message_batch import put_in_unit
from penstock.host.object_handle import ObjectHandle, make_match
from penstock.host.short_way import SPILLED
from penstock.host.waiting import attempt_or_wait, get_or_wait
from penstock.model import constants as mq
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID
from penstock.qmgr.putting import PutRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Never

    from penstock.model.message import Message, Receipt
    from penstock.model.message_handle import MessageHandle
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match, Waiter


class Messaging(Committing):
    """A connection, as far as messages need it."""

    def put(
        self,
        queue: str,
        body: bytes | str,
        *,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        options: int = 0,
        **fields: Any,
    ) -> Receipt:
        """Put a message to a queue.

        A persistent message is on disk when this returns, or when the unit of work it is in has
        committed. `fields` are those of `Descriptor`: reply_to, format, msg_type, report ...
        A `str` is sent as UTF-8 text with format MQSTR.
        """
        if self.closed or self.gate.closed:
            self._refuse()
        now = clock()
        if (
            type(body) is not bytes
            or type(queue) is not str
            or expiry is not None
            or properties is not None
            or options
            or fields
            or priority is not None
            or (correl_id is not None and (type(correl_id) is not bytes or len(correl_id) != 24))
            or (msg_id is not None and (type(msg_id) is not bytes or len(msg_id) != 24 or msg_id == NO_ID))
        ):
            return self._put_in_full(
                queue, body, persistent, correl_id, msg_id, priority, expiry, properties, options, fields, now
            )
        unit = None if self.open_scopes == 0 else self.current_unit()
        message = self.put_quick(queue, None, body, persistent, correl_id, msg_id, self.context, unit, now)
        if message is None:
            return self._put_in_full(
                queue, body, persistent, correl_id, msg_id, priority, expiry, properties, options, fields, now
            )
        return self.receipt(message, queue)

    def _put_in_full(
        self,
        queue: str,
        body: Any,
        persistent: bool | None,
        correl_id: bytes | None,
        msg_id: bytes | None,
        priority: int | None,
        expiry: float | None,
        properties: Any,
        options: int,
        fields: dict[str, Any],
        now: float,
    ) -> Receipt:
        data, described, qmgr, source = body_and_fields(self.put, body, fields)
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
        )
        request.context_from = source
        with uninterrupted:
            with CallUnit(self, request.options) as call:
                return self._put_one(name_of(queue), qmgr, request, call.unit, now)

    def _put_one(
        self, queue: str, qmgr: str, request: PutRequest, unit: UnitOfWork | None, now: float
    ) -> Receipt:
        with self.step():
            route = self.engine.resolve(queue, qmgr, now)
            if request.persistent or (request.persistent is None and route.default_persistent):
                self.host.check_room(len(request.body))
            if route.first is not None and route.first.kind == "QMODEL":
                raise error(
                    mq.MQRC_UNKNOWN_OBJECT_NAME,
                    f"{queue} is a model queue: open it to make a dynamic queue",
                    object=queue,
                )
            return self.engine.put1(self.connection, route, request, unit, now)

    def get(
        self,
        queue: str,
        *,
        wait: float | None = 0.0,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Message | None:
        """Get a message, or None when there is none (after `wait` seconds; None waits for ever).

        Outside a unit of work the message is removed when this returns.
        """
        if self.closed or self.gate.closed:
            self._refuse()
        if unknown:
            check_names(self.get, unknown)
        match = None
        if correl_id is not None or msg_id is not None or selector is not None:
            match = make_match(correl_id, msg_id, selector)
        if type(queue) is not str:
            queue = name_of(queue)
        if wait != 0.0:
            deadline_of(wait)
        unit = None if self.open_scopes == 0 else self.current_unit()
        # a selector may take a look through a long queue: the long way lets others in meanwhile
        message = SPILLED if selector is not None else self.get_quick(queue, match, unit)
        if message is SPILLED or (message is None and wait != 0.0):
            return get_or_wait(self, self.target(queue), match, unit, wait)
        return message

    def attempt_or_wait(
        self,
        attempt: Callable[[], Message | None],
        register: Callable[[Callable[[Waiter], None]], Waiter],
        wait: float | None,
    ) -> Message | None:
        """Attempt a get until it succeeds or time is up; a caller that may not sleep has its own way."""
        return attempt_or_wait(self, attempt, register, wait)

    def target(self, name: str) -> Callable[[], Queue]:
        """Return a way to find the queue behind a name again, whatever was redefined meanwhile."""

        def find() -> Queue:
            queue: Queue = self.way_to(name).queue
            return queue

        return find

    def request(
        self,
        queue: str,
        body: bytes | str,
        reply_to: str,
        *,
        wait: float | None = 30.0,
        persistent: bool | None = None,
        **fields: Any,
    ) -> Message | None:
        """Put a request and get its reply: what `reply_to` holds with the request's id as correlation id.

        None if no reply arrives in time. Outside all units: an uncommitted request would be invisible.
        """
        deadline_of(wait)  # before the request is put
        if fields:
            check_names(self.request, fields, FIELDS)
        fields = {"msg_type": mq.MQMT_REQUEST, **fields, "reply_to": reply_to}
        outside = mq.MQGMO_NO_SYNCPOINT
        with uninterrupted:
            receipt = self.put(queue, body, persistent=persistent, options=mq.MQPMO_NO_SYNCPOINT, **fields)
            with self.open(reply_to, mq.MQOO_INPUT_SHARED) as replies:
                return replies.get(options=outside, wait=wait, correl_id=receipt.msg_id, quiet=True)

    def put_list(
        self,
        destinations: Iterable[Any],
        body: bytes | str,
        *,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        options: int = 0,
        **fields: Any,
    ) -> list[Receipt]:
        """Put one message to several queues (a distribution list); return a receipt for each.

        A destination is a name, a pair of queue and queue manager, or a dictionary with `queue`, `qmgr`,
        `msg_id`, `correl_id` and what else an MQPMR has. Queues that do not take the message leave the others
        as they are; 2136 tells of each in `fields["reasons"]`, or their reason when all fail alike.
        """
        details = put_details(
            self.put_list, correl_id, msg_id, priority, expiry, properties, options_of(options), fields
        )
        details |= {} if persistent is None else {"persistent": persistent}
        outcome = Outcome(destinations, details)
        for each in outcome.destinations:
            try:
                outcome.add(self.put(each.queue, body, **each.details(details)))
            except MQError as failure:
                outcome.add(failure)
        return outcome.receipts()

    def put_many(
        self,
        queue: str,
        bodies: Iterable[bytes | str],
        *,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        options: int = 0,
        **fields: Any,
    ) -> list[Receipt]:
        """Put several messages in one unit of work; all are there or none.

        Arguments are those of `put`. The unit is the one that `put` would be in, or one of their own.
        """
        queue, bodies = name_of(queue), list(bodies_of(bodies))
        options = options_of(options)
        details = put_details(self.put_many, correl_id, msg_id, priority, expiry, properties, options, fields)
        with uninterrupted:
            with CallUnit(self, options) as call:
                if call.unit is not None:
                    return self._put_each(queue, bodies, persistent, details)
            with self.unit_aside():
                return self._put_each(queue, bodies, persistent, units.within_own_unit(details))

    def _put_each(
        self, queue: str, bodies: Iterable[Any], persistent: bool | None, details: dict[str, Any]
    ) -> list[Receipt]:
        receipts = []
        unit = self.current_unit()
        for body in bodies:
            message = None
            if not details and type(body) is bytes:
                message = self.put_quick(
                    queue, None, body, persistent, None, None, self.context, unit, clock()
                )
            if message is None:
                receipts.append(self.put(queue, body, persistent=persistent, **details))
            else:
                receipts.append(self.receipt(message, queue))
        return receipts

    def put_messages(self, outputs: Iterable[tuple[str, Message, str, int]]) -> None:
        """Put whole messages, each with its queue, the queue's manager (or "") and put options, in one unit.

        Ids, persistence, priority, expiry, properties and descriptor are those of the message. Outside a
        unit all are there or none; inside one a failure leaves those before it, and the unit is to be backed
        out. The error's `fields["index"]` tells which message it is about.
        """
        outputs = list(outputs_of(outputs))
        with uninterrupted:
            if units.scope_of(self) is not None:
                put_in_unit(self, outputs, self.current_unit())
                return
            with self.unit_aside():
                put_in_unit(self, outputs, self.current_unit())

    def get_many(
        self,
        queue: str,
        count: int,
        *,
        wait: float | None = 0.0,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> list[Message]:
        """Get up to `count` messages, as soon as there are any."""
        if unknown:
            check_names(self.get_many, unknown)
        check_count(count)
        queue = name_of(queue)
        with uninterrupted:
            first = self.get(queue, wait=wait, correl_id=correl_id, msg_id=msg_id, selector=selector)
            if first is None:
                return []
            found = [first]
            if count > 1:
                matched = correl_id is not None or msg_id is not None or selector is not None
                wanted = make_match(correl_id, msg_id, selector) if matched else None
                self._get_more(queue, count, found, wanted)
            return found

    def _get_more(self, queue: str, count: int, found: list[Message], wanted: Match | None) -> None:
        unit = self.current_unit()
        while len(found) < count:
            with self.step() as step:
                enough = self._take_more(queue, count, found, wanted, unit)
            if step.to_load is None or enough:
                break
            self.host.load(step.to_load)

    def _take_more(
        self, queue: str, count: int, found: list[Message], match: Match | None, unit: UnitOfWork | None
    ) -> bool:
        """Take the available messages; True if a call failed: messages found before are not lost."""
        now = clock()
        try:
            target = self.way_to(queue).queue
            while len(found) < count:
                message = self.engine.take(target, match, unit, now)
                if message is None:
                    return False
                found.append(message)
        except MQError:
            return True
        return True

    def open(
        self,
        name: str,
        options: int = 0,
        *,
        object_type: int = mq.MQOT_Q,
        qmgr: str = "",
        dynamic_name: str = DYNAMIC_NAME,
        selector: str | None = None,
        alternate_user: str = "",
        object_string: str = "",
        **unknown: Never,
    ) -> ObjectHandle:
        """Open an object with MQ's open options; see `ObjectHandle`.

        Without options a queue is opened for input, browse, output, inquire and set as it allows.
        """
        self.check_open()
        if unknown:
            check_names(self.open, unknown)
        name = name_of(name)
        details = open_details(object_type, qmgr, dynamic_name, selector, alternate_user, object_string)
        check_open_details(details)
        with uninterrupted:
            with self.step():
                wanted = options_of(options) or ObjectHandle.usual_options(self, name, details)
                handle = self.engine.open(self.connection, name, wanted, clock(), **details)
            return ObjectHandle(self, handle)
