# cython: nonecheck=True
"""The queue manager as a Python program sees it: `penstock.embed` and what it returns.

Each method takes the gate, calls the engine, and waits for the disk outside the gate where the
engine says so. `put` and `get` have a short way for the usual case; everything else goes through
handles and requests. Safe to share between threads. Compiled through `queue_manager.pxd`.
"""

from __future__ import annotations

import getpass
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.admin.explanation import Question, explain
from penstock.host import administration, registry, units
from penstock.host._gate import now as clock
from penstock.host.arguments import (
    bodies_of,
    check_count,
    check_open_details,
    folder_at,
    lines_of,
    name_of,
    options_of,
    outputs_of,
    text_of,
)
from penstock.host.flows import Flows
from penstock.host.folder import existing_folder, folder_of
from penstock.host.message_batch import put_in_unit
from penstock.host.object_handle import ObjectHandle, make_match
from penstock.host.publishing import Publishing
from penstock.host.short_way import SPILLED
from penstock.host.starting import create as create_qmgr
from penstock.host.subject import as_properties, body_and_fields
from penstock.host.units import Scope, UnitOfWorkContext
from penstock.host.waiting import attempt_or_wait, deadline_of, get_or_wait
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, plain_receipt
from penstock.qmgr import authorization
from penstock.qmgr.putting import PutRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.host.host import Host
    from penstock.model.message import Message, Receipt
    from penstock.model.message_handle import MessageHandle
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match, Waiter
    from penstock.store.faults import Faults


def embed(
    name: str,
    create: bool = False,
    *,
    home: str | os.PathLike[str] | None = None,
    application: str | None = None,
    user: str | None = None,
    faults: Faults | None = None,
    **options: Any,
) -> QueueManager:
    """Open a queue manager in this process and connect to it.

    Whoever embeds a queue manager may do everything; with `user` only what that user may do.

    `create=True` makes it first when it is not there; options are those of its log and buffers
    (`primary_files=3, file_pages=4096, log_type="LINEAR"` ...). Raises 2058 when there is none,
    8001 when another process holds the folder.
    """
    if create and not folder_of(name, home).exists():
        create_qmgr(name, home, **options)
    elif options and not create:
        raise error(2046, f"options {', '.join(options)} are for creating a queue manager")
    return _connect(registry.enter(existing_folder(name, home), faults), application, user)


def _connect(host: Host, application: str | None, user: str | None) -> QueueManager:
    try:
        return QueueManager(host, application, user)
    except MQError:
        registry.leave(host)
        raise


class QueueManager(Publishing):
    """A connection to a queue manager."""

    def __init__(
        self, host: Host, application: str | None = None, user: str | None = None, process: int = 0
    ) -> None:
        """Connect to a running queue manager, for a user who may do what authority records say.

        Without a user it is this process's, who embeds the queue manager and may do everything.
        """
        program = application or Path(sys.argv[0] or "python").name
        permissions = None if user is None else host.access.permissions(user)
        name = getpass.getuser() if user is None else user
        with host.gate:
            connection = host.engine.connect(name, program, process or os.getpid(), clock(), permissions)
        super().__init__(host, connection)
        self._closing = threading.Lock()  # taken once, for ever, by whoever closes

    # -- messages --------------------------------------------------------------------------

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
        return plain_receipt(message, queue, self.name)

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
        data, described, qmgr, source = body_and_fields(body, fields)
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
        before = units.current(self)
        scope = self.scope_for(request.options, now)
        try:
            unit = None if scope is None else scope.unit
            receipt, position = self._put_one(name_of(queue), qmgr, request, unit, now)
        except MQError:
            if scope is not None and scope is not before:
                self.backout()  # the call failed, so it has not started a unit
            raise
        self.finish(position)
        return receipt

    def _put_one(
        self, queue: str, qmgr: str, request: PutRequest, unit: UnitOfWork | None, now: float
    ) -> tuple[Receipt, int]:
        with self.gate:
            self.engine.position = 0
            route = self.engine.resolve(queue, qmgr, now)
            if request.persistent or (request.persistent is None and route.default_persistent):
                self.host.check_room(len(request.body))
            if route.first is not None and route.first.kind == "QMODEL":
                raise error(2085, f"{queue} is a model queue: open it to make a dynamic queue", object=queue)
            receipt = self.engine.put1(self.connection, route, request, unit, now)
            return receipt, self.engine.position

    def get(
        self,
        queue: str,
        *,
        wait: float | None = 0.0,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
    ) -> Message | None:
        """Get a message, or None when there is none (after `wait` seconds; None waits for ever).

        Outside a unit of work the message is gone for good when this returns.
        """
        if self.closed or self.gate.closed:
            self._refuse()
        match = None
        if correl_id is not None or msg_id is not None or selector is not None:
            match = make_match(correl_id, msg_id, selector)
        if type(queue) is not str:
            queue = name_of(queue)
        if wait != 0.0:
            deadline_of(wait)
        unit = None if self.open_scopes == 0 else self.current_unit()
        message = self.get_quick(queue, match, unit)
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

        None when no reply came in time. Outside all units: nobody could see a request that is not committed.
        """
        fields = {"msg_type": mq.MQMT_REQUEST, **fields, "reply_to": reply_to}
        receipt = self.put(queue, body, persistent=persistent, options=mq.MQPMO_NO_SYNCPOINT, **fields)
        with self.open(reply_to, mq.MQOO_INPUT_SHARED) as replies:
            return replies.get(options=mq.MQGMO_NO_SYNCPOINT, wait=wait, correl_id=receipt.msg_id, quiet=True)

    def put_many(self, queue: str, bodies: Iterable[bytes | str], **details: Any) -> list[Receipt]:
        """Put several messages in one unit of work; all are there or none."""
        queue, bodies = name_of(queue), bodies_of(bodies)
        if units.current(self) is not None:
            return self._put_each(queue, bodies, details)
        with self.unit_of_work():
            return self._put_each(queue, bodies, details)

    def _put_each(self, queue: str, bodies: Iterable[Any], details: dict[str, Any]) -> list[Receipt]:
        receipts = []
        unit = self.current_unit()
        quick = details.keys() <= {"persistent"}
        lasting = details.get("persistent")
        for body in bodies:
            message = None
            if quick and type(body) is bytes:
                message = self.put_quick(queue, None, body, lasting, None, None, self.context, unit, clock())
            if message is None:
                receipts.append(self.put(queue, body, **details))
            else:
                receipts.append(plain_receipt(message, queue, self.name))
        return receipts

    def put_messages(self, outputs: Iterable[tuple[str, Message, str, int]]) -> None:
        """Put whole messages, each with its queue, the queue's manager (or "") and put options, in one unit.

        Ids, persistence, priority, expiry, properties and descriptor are those of the message. Outside a
        unit all are there or none; inside one a failure leaves those before it, and the unit is to be backed
        out. The error's `fields["index"]` tells which message it is about.
        """
        outputs = outputs_of(outputs)
        if units.current(self) is not None:
            put_in_unit(self, outputs, self.current_unit())
            return
        with self.unit_of_work():
            put_in_unit(self, outputs, self.current_unit())

    def get_many(self, queue: str, count: int, *, wait: float | None = 0.0, **match: Any) -> list[Message]:
        """Get up to `count` messages, as soon as there are any."""
        check_count(count)
        queue = name_of(queue)
        first = self.get(queue, wait=wait, **match)
        if first is None:
            return []
        found = [first]
        if count > 1:
            self._get_more(queue, count, found, match)
        return found

    def _get_more(self, queue: str, count: int, found: list[Message], match: dict[str, Any]) -> None:
        wanted = make_match(**match) if match else None
        scope = units.current(self)
        unit = None if scope is None else scope.unit
        position = 0
        while len(found) < count:
            with self.gate:
                self.engine.position = 0
                enough = self._take_more(queue, count, found, wanted, unit)
                position = max(position, self.engine.position)
                loading, self.engine.to_load = self.engine.to_load, None
            if loading is None or enough:
                break
            self.host.load(loading)
        self.finish(position)

    def _take_more(
        self, queue: str, count: int, found: list[Message], match: Match | None, unit: UnitOfWork | None
    ) -> bool:
        """Take what is there; True when something stands in the way: what is found already is not lost."""
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

    def open(self, name: str, options: int = 0, **details: Any) -> ObjectHandle:
        """Open an object with MQ's open options; see `ObjectHandle`.

        Without options a queue is opened for input, browse, output, inquire and set as it allows.
        """
        self.check_open()
        name = name_of(name)
        if details:
            check_open_details(details)
        with self.gate:
            self.engine.position = 0
            wanted = options_of(options) or ObjectHandle.usual_options(self, name, details)
            handle = self.engine.open(self.connection, name, wanted, clock(), **details)
            position = self.engine.position
        self.finish(position)
        return ObjectHandle(self, handle)

    # -- units of work ---------------------------------------------------------------------

    def unit_of_work(self) -> UnitOfWorkContext:
        """Enter a unit of work: commit at the end, back out on an exception; nesting raises 2128."""
        return UnitOfWorkContext(self)

    def begin(self) -> None:
        """Start a unit of work in this context (MQBEGIN); 2128 when it has one."""
        self.check_open()
        if units.current(self) is not None:
            raise error(2128, "this context is in a unit of work already")
        self._new_scope()

    def _new_scope(self) -> Scope:
        with self.gate:
            scope = Scope(self, self.engine.new_unit(self.connection, clock()))
            self.scopes.add(scope)
            self.open_scopes += 1
        units.enter(scope)
        return scope

    def scope_for(self, options: int, now: float) -> Scope | None:
        """Return the scope a put or get with these options works in; SYNCPOINT starts one."""
        if options & mq.MQPMO_NO_SYNCPOINT:  # the same bit for put and get
            return None
        scope = units.current(self) if self.open_scopes else None
        if scope is None and options & mq.MQPMO_SYNCPOINT:
            scope = self._new_scope()
        return scope

    def commit(self) -> None:
        """Commit this context's unit of work (MQCMIT); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            self._end(scope, True)

    def backout(self) -> None:
        """Back this context's unit of work out (MQBACK); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            self._end(scope, False)

    def _end(self, scope: Scope, commit: bool) -> None:
        self._forget(scope)
        self.check_open()
        with self.gate:
            self.engine.position = 0
            if commit:
                self.engine.commit(scope.unit, clock())
            else:
                self.engine.backout(scope.unit, clock())
            position = self.engine.position
        self.finish(position)

    def _forget(self, scope: Scope) -> None:
        units.leave(scope)
        with self.gate:
            self.scopes.discard(scope)
            self.open_scopes -= 1

    def abandon(self, scope: Scope) -> None:
        """Back out the unit of a context that is gone."""
        scope.ended = True
        self.open_scopes -= 1
        self.host.orphan(scope.unit)

    def prepare(self, xid: str) -> None:
        """Prepare this context's unit under an outside id; it survives a restart until resolved."""
        self.check_open()
        scope = units.current(self)
        if scope is None:
            raise error(2046, "there is no unit of work to prepare")
        with self.gate:
            self.engine.position = 0
            self.engine.prepare(scope.unit, xid, clock())
            position = self.engine.position
        self._forget(scope)
        self.finish(position)

    def commit_prepared(self, xid: str) -> None:
        """Commit a prepared unit."""
        self._resolve(xid, True)

    def backout_prepared(self, xid: str) -> None:
        """Back a prepared unit out."""
        self._resolve(xid, False)

    def _resolve(self, xid: str, commit: bool) -> None:
        self.check_open()
        text_of(xid, "an outside id")
        with self.gate:
            self.engine.position = 0
            authorization.check_resolve(self.engine, self.connection, xid)
            self.engine.resolve_prepared(xid, commit, clock())
            position = self.engine.position
        self.finish(position)

    def prepared(self) -> list[dict[str, Any]]:
        """List the prepared units."""
        self.check_open()
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        with self.gate:
            return self.engine.list_prepared()

    @property
    def flows(self) -> Flows:
        """Reservations of flows: exactly-once batches for an outside engine."""
        return Flows(self)

    # -- administration --------------------------------------------------------------------

    def mqsc(self, text: str) -> list[Reply]:
        """Run MQSC commands; a command's failure is in its reply."""
        self.check_open()
        return administration.run(self, text_of(text, "MQSC"))

    def mqsc_script(self, lines: Iterable[str], *, verify: bool = False) -> Iterator[Echo | Reply | Summary]:
        """Run MQSC as its lines come: yield echoes, replies and, last, a summary.

        Others go on between commands. What a command did is on disk when its last reply was yielded;
        `verify` only looks whether the commands are right.
        """
        self.check_open()
        return administration.script(self, lines_of(lines), verify)

    def export(self, everything: bool = False) -> str:
        """Return the MQSC that makes every object again; SYSTEM objects only where they were changed."""
        self.check_open()
        authorization.check_administrator(self.engine, self.connection)
        return administration.export(self, everything)

    def explain_access(self, user: str, **question: str) -> dict[str, Any]:
        """Tell why a user may or may not come in and do a thing: `allowed`, `user`, and the steps.

        Coming in: `channel`, `address`, `host`, `peer`, `issuer`. Doing: `object`, `object_type`, `verb`.
        """
        self.check_open()
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        for name, value in {"user": user, **question}.items():
            text_of(value, name)
        with self.gate:
            return explain(self.engine, self.host.access, Question(user, **question))

    def status(self) -> dict[str, Any]:
        """Return figures about the queue manager: log, syncs, units, waiters, queues."""
        self.check_open()
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        return administration.status(self.host)

    def checkpoint(self) -> None:
        """Take a checkpoint now."""
        self.check_open()
        authorization.check_administrator(self.engine, self.connection)
        administration.checkpoint(self)

    def backup(self, target: str | os.PathLike[str]) -> Path:
        """Copy the queue manager, as it is now, to a folder that can be restored from."""
        self.check_open()
        authorization.check_administrator(self.engine, self.connection)
        return administration.backup(self, folder_at(target))

    # -- the end ---------------------------------------------------------------------------

    def check_open(self) -> None:
        if self.closed or self.gate.closed:
            self._refuse()

    def _refuse(self) -> None:
        if self.closed:
            raise error(2018, "the connection is closed")
        raise self.gate.refusal()

    def close(self) -> None:
        """Disconnect: commit what is open, close handles; the last connection stops the queue manager."""
        if not self._closing.acquire(blocking=False):
            return  # it is closed, or another thread is at it
        if self.gate.closed:
            self.closed = True
            if self.host.failure is not None:
                registry.leave(self.host)
            return
        try:
            self._end_all()
        finally:
            try:
                self._disconnect()
            finally:
                self.closed = True
                registry.leave(self.host)

    def _end_all(self) -> None:
        """Commit what is open, as MQDISC does; a unit that was backed out raises when all are done."""
        failure = None
        with self.gate:
            scopes = list(self.scopes)
        for scope in scopes:
            try:
                self._end(scope, True)
            except MQError as problem:
                failure = problem
        if failure is not None:
            raise failure

    def _disconnect(self) -> None:
        with self.gate:
            self.engine.position = 0
            for waiter in list(self.waiters):
                if waiter.active:
                    self.engine.fail_waiter(waiter.queue, waiter, 2018)
            self.engine.disconnect(self.connection, clock())
            position = self.engine.position
        self.finish(position)

    disconnect = close

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<QueueManager {self.name}{' closed' if self.closed else ''}>"
