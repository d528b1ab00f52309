# cython: nonecheck=True
"""The queue manager as a Python program sees it: what `penstock.embed` returns.

The public object reads arguments and calls its parts: the session, whose short way most puts and gets take,
`messaging` for the long one, `publishing` for topics, `administration`. Safe to share between threads.
Compiled through `queue_manager.pxd`.
"""

from __future__ import annotations

import getpass
import os
import sys
import threading
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Any

from penstock.admin.explanation import Question
from penstock.admin.mqsc import check_replies
from penstock.face import units
from penstock.face._clock import now as clock
from penstock.face.arguments import (
    DYNAMIC_NAME,
    bodies_of,
    check_count,
    check_names,
    check_open_details,
    folder_at,
    lines_of,
    name_of,
    open_details,
    options_of,
    outputs_of,
    place_of,
    text_of,
    whole_of,
)
from penstock.face.deadlines import deadline_of
from penstock.face.message_arguments import FIELDS, as_properties, body_and_fields, put_details, put_values
from penstock.face.receiving import Receiving
from penstock.host import administration, closing, connection_tags, messaging
from penstock.host.batches import Batches
from penstock.host.message_batch import put_in_new_unit, put_in_open_unit
from penstock.host.object_handle import ObjectHandle, make_match
from penstock.host.publishing import Topics
from penstock.host.session import SPILLED, Session
from penstock.host.subscription import Subscription, request_of
from penstock.host.unit_of_work import UnitOfWorkContext, prepare, resolve
from penstock.host.waiting import Caller, get_or_wait
from penstock.model import constants as mq
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import error
from penstock.model.message import NO_ID, plain_receipt
from penstock.model.peeked import FIRST, LAST
from penstock.qmgr import authorization
from penstock.qmgr.names import route_explanation
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX
from penstock.qmgr.putting import PutRequest
from penstock.telemetry.spans import active_sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Never

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.host.host import Host
    from penstock.model.message import Message, Receipt
    from penstock.model.message_handle import MessageHandle
    from penstock.model.peeked import Peeked
    from penstock.model.status import QueueFigures, Status


class QueueManager(Receiving):
    """A connection to a queue manager."""

    def __init__(
        self,
        host: Host,
        application: str | None = None,
        user: str | None = None,
        process: int = 0,
        caller: Caller | None = None,
    ) -> None:
        """Connect to a running queue manager, for a user with the rights in authority records.

        Without a user it is this process's, who embeds the queue manager and may do everything. `caller` is
        for a server: how its calls wait.
        """
        program = application or Path(sys.argv[0] or "python").name
        permissions = None if user is None else host.access.permissions(user)
        name = getpass.getuser() if user is None else user
        with host.gate:
            connection = host.engine.connect(name, program, process or os.getpid(), clock(), permissions)
            if host.engine.tracer is not None:
                host.renew_tracer()  # it may be one of a connection or a flow that is traced
        self.session = Session(host, connection, caller or Caller(host))
        if caller is None:
            self.session.sampler = active_sampler()
        self.topics = Topics(self.session)
        self.host = host
        self.engine = host.engine
        self.gate = host.gate
        self.name = host.engine.name
        self.connection = connection
        self.closing = threading.Lock()  # taken once, and kept, by the thread that closes

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self.session.closed

    @property
    def batches(self) -> Batches:
        """Exactly-once batches for an outside engine: reserve, read, prepare, commit."""
        return Batches(self)

    def check_open(self) -> None:
        """Raise why this connection takes no more calls, if it takes none."""
        self.session.check_open()

    def _check(self, call: Callable[..., Any], unknown: dict[str, Any]) -> None:
        """Raise why it takes no more calls, or what is wrong with the names of arguments that a call has."""
        self.session.check_open()
        if unknown:
            check_names(call, unknown)

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
        session = self.session
        if session.closed or session.gate.closed:
            session.refuse()
        plain = not (
            type(body) is not bytes
            or type(queue) is not str
            or expiry is not None
            or properties is not None
            or options
            or fields
            or priority is not None
            or (correl_id is not None and (type(correl_id) is not bytes or len(correl_id) != 24))
            or (msg_id is not None and (type(msg_id) is not bytes or len(msg_id) != 24 or msg_id == NO_ID))
        )
        span = None if session.sampler is None else session.sampler.of_put(queue, properties)
        if span is None:
            if plain:
                message = self._put_plain(queue, body, persistent, correl_id, msg_id, None)
                if message is not None:
                    return session.receipt(message, queue)
            given = put_values(options, persistent, correl_id, msg_id, priority, expiry, properties)
            return messaging.put_in_full(session, self.put, queue, body, fields, given)
        with span:
            carried = span.carried(as_properties(properties))
            if plain:
                message = self._put_plain(queue, body, persistent, correl_id, msg_id, carried)
                if message is not None:
                    return session.receipt(message, queue)
            given = put_values(options, persistent, correl_id, msg_id, priority, expiry, carried)
            return messaging.put_in_full(session, self.put, queue, body, fields, given)

    def _put_plain(
        self,
        queue: str,
        body: Any,
        persistent: bool | None,
        correl_id: bytes | None,
        msg_id: bytes | None,
        properties: dict[str, Any] | None,
    ) -> Message | None:
        """Put a plain message the short way; None when it needs the long one."""
        session = self.session
        unit = None if session.open_scopes == 0 else session.current_unit()
        return session.put_quick(
            queue, None, body, persistent, correl_id, msg_id, session.context, unit, clock(), properties
        )

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

        Outside a unit of work the message is gone for good when this returns.
        """
        session = self.session
        if session.closed or session.gate.closed:
            session.refuse()
        if unknown:
            check_names(self.get, unknown)
        match = None
        if correl_id is not None or msg_id is not None or selector is not None:
            match = make_match(correl_id, msg_id, selector)
        if type(queue) is not str:
            queue = name_of(queue)
        if wait != 0.0:
            deadline_of(wait)
        began_ns = 0  # of a get that waits, for telemetry
        unit = None if session.open_scopes == 0 else session.current_unit()
        # a selector may take a look through a long queue: the long way lets others in meanwhile
        message = SPILLED if selector is not None else session.get_quick(queue, match, unit)
        if message is SPILLED or (message is None and wait != 0.0):
            began_ns = 0 if session.sampler is None else time_ns()
            message = get_or_wait(session, messaging.target(session, queue), match, unit, wait)
        if session.sampler is not None and message is not None:
            session.record_got(queue, message, began_ns)
        return message

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
        as they are; 2136 has each in `fields["reasons"]`, or their reason when all fail alike.
        """
        details = put_details(
            self.put_list, correl_id, msg_id, priority, expiry, properties, options_of(options), fields
        )
        details |= {} if persistent is None else {"persistent": persistent}
        return messaging.put_list(self, destinations, body, details)

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
        queue, waiting = name_of(queue), list(bodies_of(bodies))
        details = put_details(
            self.put_many, correl_id, msg_id, priority, expiry, properties, options_of(options), fields
        )
        details |= {} if persistent is None else {"persistent": persistent}
        return messaging.put_many(self, queue, waiting, details)

    def put_messages(self, outputs: Iterable[tuple[str, Message, str, int]]) -> None:
        """Put whole messages, each with its queue, the queue's manager (or "") and put options, in one unit.

        Ids, persistence, priority, expiry, properties and descriptor are those of the message. Outside a
        unit all are there or none; inside one a failure leaves those before it, and the unit is to be backed
        out. The error's `fields["index"]` tells which message it is about.
        """
        outputs = list(outputs_of(outputs))
        with uninterrupted:
            if units.scope_of(self.session) is not None:
                put_in_open_unit(self, outputs)
            else:
                put_in_new_unit(self, outputs)

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
                messaging.get_more(self.session, queue, count, found, wanted)
            return found

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
        self._check(self.open, unknown)
        name = name_of(name)
        details = open_details(object_type, qmgr, dynamic_name, selector, alternate_user, object_string)
        check_open_details(details)
        with uninterrupted:
            opened: ObjectHandle = self.session.asking(lambda: self._open(name, options, details))
            return opened

    def _open(self, name: str, options: int, details: dict[str, Any]) -> ObjectHandle:
        with self.session.step():
            wanted = options_of(options) or ObjectHandle.usual_options(self.session, name, details)
            handle = self.engine.open(self.connection, name, wanted, clock(), **details)
        return ObjectHandle(self.session, handle)

    # -- topics ----------------------------------------------------------------------------

    def publish(
        self,
        topic: str,
        body: bytes | str,
        *,
        retain: bool = False,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        topic_object: str = "",
        level: int = LEVEL_MAX,
        options: int = 0,
        **fields: Any,
    ) -> Receipt:
        """Publish to a topic; every subscription that matches gets a copy.

        `retain` keeps the publication for those who subscribe later. A persistent publication is on disk
        when this returns, or when the unit of work it is in has committed. `fields` are those of `put`
        (reply_to, format ...), `topic_object` names a TOPIC object whose string `topic` goes on from,
        `level` is the publication's level. The receipt's `warning` is 2550 when nobody subscribes and
        MQPMO_WARN_IF_NO_SUBS_MATCHED asks for it.
        """
        session = self.session
        if session.closed or session.gate.closed:
            session.refuse()
        if (
            type(body) is bytes
            and type(topic) is str
            and not (retain or options or fields or topic_object)
            and correl_id is None
            and msg_id is None
            and priority is None
            and expiry is None
            and properties is None
            and level == LEVEL_MAX
        ):
            unit = None if session.open_scopes == 0 else session.current_unit()
            message = self.topics.publish_quick(topic, body, persistent, unit)
            if message is not None:
                return plain_receipt(message, topic, session.name)
        wanted = options_of(options) | (mq.MQPMO_RETAIN if retain else 0)
        data, described, _, source = body_and_fields(self.publish, body, fields)
        request = PutRequest(
            data,
            wanted,
            msg_id,
            correl_id,
            persistent,
            priority,
            expiry,
            described,
            as_properties(properties),
            level=whole_of(level, "level"),
            context_from=source,
        )
        return self.topics.publish_in_full(topic, name_of(topic_object), request)

    def subscribe(
        self,
        topic: str = "",
        *,
        durable: str | None = None,
        name: str | None = None,
        selector: str | None = None,
        queue: str | None = None,
        qmgr: str | None = None,
        topic_object: str | None = None,
        wildcard: str | None = None,
        level: int | None = None,
        user_data: str | None = None,
        expiry: float | None = None,
        correl_id: bytes | None = None,
        priority: int | None = None,
        persistence: str | None = None,
        properties: str | None = None,
        accounting_token: bytes | None = None,
        appl_identity_data: str | None = None,
        new_only: bool = False,
        on_request: bool = False,
        options: int = 0,
        **unknown: Never,
    ) -> Subscription:
        """Subscribe to a topic, or to all that a pattern fits; see `Subscription`.

        `durable="name"` makes, or resumes, a subscription that outlives this connection; without it the
        subscription ends with its `close`. `queue` and `qmgr` are a destination of the caller's instead of
        a managed one, `wildcard` is "topic" or "char", `properties` "MSGPROP", "NONE", "RFH2" or "COMPAT",
        `options` MQ's own, MQSO_.
        """
        self._check(self.subscribe, unknown)
        details = {
            "durable": durable,
            "name": name,
            "selector": selector,
            "queue": queue,
            "qmgr": qmgr,
            "topic_object": topic_object,
            "wildcard": wildcard,
            "level": level,
            "user_data": user_data,
            "expiry": expiry,
            "correl_id": correl_id,
            "priority": priority,
            "persistence": persistence,
            "properties": properties,
            "accounting_token": accounting_token,
            "appl_identity_data": appl_identity_data,
            "new_only": new_only,
            "on_request": on_request,
            "options": options,
        }
        return Subscription(self, request_of(topic, details))

    def unsubscribe(self, name: str) -> None:
        """Remove a durable subscription that is not open, with its messages."""
        self.session.check_open()
        text_of(name, "a subscription's name")
        with self.session.step():
            self.engine.pubsub.remove(self.connection, name, clock())

    # -- units of work ---------------------------------------------------------------------

    def unit_of_work(self) -> UnitOfWorkContext:
        """Enter a unit of work: commit at the end, back out on an exception; nesting raises 2128."""
        return UnitOfWorkContext(self)

    def unit_aside(self) -> UnitOfWorkContext:
        """Enter a unit beside the one that is open, if there is one."""
        return UnitOfWorkContext(self, aside=True)

    def in_unit(self) -> bool:
        """Say whether calls without syncpoint options are in a unit of work."""
        return units.scope_of(self.session) is not None

    def begin(self) -> int:
        """Start a unit of work in this context (MQBEGIN); 2128 when it has one.

        Returns MQ's warning 2121: no resource manager outside takes part.
        """
        session = self.session
        session.check_open()
        if units.current(session) is not None:
            raise error(mq.MQRC_UOW_IN_PROGRESS, "this context is in a unit of work already")
        session.new_scope()
        return mq.MQRC_NO_EXTERNAL_PARTICIPANTS

    def commit(self) -> None:
        """Commit this context's unit of work (MQCMIT); nothing to do without one."""
        self.session.end_current(True)

    def backout(self) -> None:
        """Back this context's unit of work out (MQBACK); nothing to do without one."""
        self.session.end_current(False)

    def backout_uncounted(self) -> None:
        """Back this context's unit out for a reason that is not its messages': their counts stay."""
        self.session.end_current(False, counted=False)

    def prepare(self, xid: str) -> None:
        """Prepare this context's unit under an external id; it survives a restart until resolved."""
        prepare(self, xid)

    def commit_prepared(self, xid: str) -> None:
        """Commit a prepared unit."""
        resolve(self, xid, True)

    def backout_prepared(self, xid: str) -> None:
        """Back a prepared unit out."""
        resolve(self, xid, False)

    def prepared(self) -> list[dict[str, Any]]:
        """List the prepared units."""
        self.session.check_open()
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        with self.gate:
            found = self.engine.list_prepared()
        sharing = self.host.sharing
        return found if sharing is None else sharing.with_held_units(found)

    def take_connection_tag(self, tag: str) -> None:
        """Make this the only connection of the queue-sharing group with a tag, until it ends.

        2271 while another one has it, or messages of the one that had it are not free yet: try again.
        """
        connection_tags.take(self, tag)

    # -- administration --------------------------------------------------------------------

    def mqsc(self, text: str, *, check: bool = False, **unknown: Never) -> list[Reply]:
        """Run MQSC commands; a command's failure is in its reply.

        With `check` all commands run, and then the first failure is raised as a `CommandError` (3008).
        """
        self._check(self.mqsc, unknown)
        replies = administration.run(self, text_of(text, "MQSC"))
        if check:
            check_replies(replies)
        return replies

    def mqsc_script(
        self, lines: Iterable[str], *, verify: bool = False, **unknown: Never
    ) -> Iterator[Echo | Reply | Summary]:
        """Run MQSC as its lines come: yield echoes, replies and, last, a summary.

        Others go on between commands. What a command did is on disk when its last reply was yielded;
        `verify` only looks whether the commands are right.
        """
        self._check(self.mqsc_script, unknown)
        return administration.script(self, lines_of(lines), verify)

    def export(self, everything: bool = False, **unknown: Never) -> str:
        """Return the MQSC that makes every object again; SYSTEM objects only where they were changed."""
        self._check(self.export, unknown)
        authorization.check_administrator(self.engine, self.connection)
        return administration.export(self, everything)

    def explain_access(
        self,
        user: str,
        *,
        channel: str = "",
        address: str = "",
        host: str = "",
        peer: str = "",
        issuer: str = "",
        object: str = "",
        object_type: str = "",
        verb: str = "",
        **unknown: Never,
    ) -> dict[str, Any]:
        """Explain why a user may or may not connect and do something: `allowed`, `user`, and the steps.

        Coming in: `channel`, `address`, `host`, `peer`, `issuer`. Doing: `object`, `object_type`, `verb`.
        """
        self._check(self.explain_access, unknown)
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        question = Question(user, channel, address, host, peer, issuer, object, object_type, verb)
        return administration.explain_access(self, question)

    def explain_route(self, name: str, qmgr: str = "", **unknown: Never) -> dict[str, Any]:
        """Explain where messages put to a name go: the definitions looked up, and queue or reason."""
        self._check(self.explain_route, unknown)
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        queue, owner = text_of(name, "the name of a queue"), text_of(qmgr, "the name of a queue manager")
        with self.gate:
            return route_explanation.explain(self.engine, queue, owner)

    def status(self) -> Status:
        """Return figures about the queue manager: log, syncs, units, waiters, queues."""
        self.session.check_open()
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        return administration.status(self.host)

    def queues(self, pattern: str = "*", **unknown: Never) -> list[QueueFigures]:
        """Return depth, oldest message, readers and writers of the local queues that you may display."""
        self._check(self.queues, unknown)
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        return list(administration.queues(self, text_of(pattern, "pattern")))

    def peek(
        self,
        queue: str,
        *,
        after: tuple[int, int] | None = None,
        count: int = 50,
        body_bytes: int = 256,
        backwards: bool = False,
        **unknown: Never,
    ) -> list[Peeked]:
        """Look at messages behind a place (`lane`, `place`), also held ones; nothing changes or expires."""
        self._check(self.peek, unknown)
        start = (LAST if backwards else FIRST) if after is None else place_of(after)
        sizes = (whole_of(count, "count"), whole_of(body_bytes, "body_bytes"))
        return administration.peek(self, text_of(queue, "queue"), start, *sizes, bool(backwards))

    def trace(
        self, kind: str, name: str, after: int = 0, seconds: float = 0.0, **unknown: Never
    ) -> list[dict[str, Any]]:
        """Watch a CHANNEL, QUEUE, CONNECTION, FLOW or ALL, and return recorded events behind a number.

        The watch lasts for `seconds`, or some seconds if 0; a negative number ends it.
        """
        self._check(self.trace, unknown)
        authorization.check_administrator(self.engine, self.connection)
        about = (text_of(kind, "kind"), text_of(name, "name"), options_of(after), float(seconds))
        with self.gate:
            found = self.host.trace.read(*about)
            self.host.renew_tracer()
        return found

    def checkpoint(self) -> None:
        """Take a checkpoint now."""
        self.session.check_open()
        authorization.check_administrator(self.engine, self.connection)
        with uninterrupted:
            administration.checkpoint(self)

    def backup(self, target: str | os.PathLike[str]) -> Path:
        """Copy the queue manager, as it is now, to a folder that can be restored from."""
        self.session.check_open()
        authorization.check_administrator(self.engine, self.connection)
        return administration.backup(self, folder_at(target))

    def record_image(self, *names: str, object_type: str = "all") -> dict[str, Any]:
        """Record a media image of all objects, or of some, for linear logging; return needed log files.

        A name may end in an asterisk. `object_type` is one of rcdmqimg's: queue, channel, topic and so on.
        """
        self.session.check_open()
        authorization.check_administrator(self.engine, self.connection)
        return administration.record_image(self, names, object_type)

    # -- the end ---------------------------------------------------------------------------

    def close(self) -> None:
        """Disconnect: commit what is open, close handles; the last connection stops the queue manager."""
        with uninterrupted:
            closing.close(self)

    disconnect = close

    def __repr__(self) -> str:
        return f"<QueueManager {self.name}{' closed' if self.closed else ''}>"
