"""A subscription that a program has open: what `qm.subscribe` returns.

It holds two handles, MQ's hSub and the queue's hObj: messages are got by the second as from any queue, with
units of work, selectors and waits. Closing it ends a subscription that is not durable and keeps a durable
one. Usable from several threads; closed by `close` or at the end of a `with`. Compiled through
`subscription.pxd`, as `object_handle` is.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.face.arguments import check_names, options_of
from penstock.face.closing import Closing
from penstock.face.receiving import ReceivingPublications
from penstock.face.surface import SUBSCRIPTION, shown
from penstock.host.object_handle import ObjectHandle
from penstock.model import constants as mq
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import MQError, error
from penstock.qmgr.pubsub.subscribing import ACTIONS, SubscribeRequest

if TYPE_CHECKING:
    from typing import Never

    from penstock.host.queue_manager import QueueManager
    from penstock.host.session import Session
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.pubsub.subscription import Subscription as Subscribed

SCHEMES = {"topic": mq.MQSO_WILDCARD_TOPIC, "char": mq.MQSO_WILDCARD_CHAR}


def request_of(topic: str, details: dict[str, Any]) -> SubscribeRequest:
    """Make the engine's request from what `qm.subscribe` takes."""
    given = {name: value for name, value in details.items() if value is not None}
    options = options_of(given.pop("options", 0))
    durable = given.pop("durable", None)
    if durable is not None:
        if not isinstance(durable, str) or not durable:
            raise error(mq.MQRC_SUB_NAME_ERROR, 'durable is the name of the subscription: durable="prices"')
        given.setdefault("name", durable)
        options |= mq.MQSO_DURABLE
    if not options & ACTIONS:
        options |= mq.MQSO_CREATE | (mq.MQSO_RESUME if options & mq.MQSO_DURABLE else 0)
    if not given.get("queue") and options & mq.MQSO_CREATE:
        options |= mq.MQSO_MANAGED
    if given.pop("new_only", False):
        options |= mq.MQSO_NEW_PUBLICATIONS_ONLY
    if given.pop("on_request", False):
        options |= mq.MQSO_PUBLICATIONS_ON_REQUEST
    scheme = given.pop("wildcard", None)
    if scheme is not None:
        if not isinstance(scheme, str) or scheme not in SCHEMES:
            raise error(mq.MQRC_OPTIONS_ERROR, f'wildcard is "topic" or "char", not {scheme!r}')
        options |= SCHEMES[scheme]
    return SubscribeRequest(topic=topic, options=options, **given)


class Subscription(ReceivingPublications, Closing):
    """One open subscription."""

    def __init__(self, qm: QueueManager, request: SubscribeRequest) -> None:
        self.qm = qm
        self.session = session = qm.session
        if request.selector:
            session.caller.compile_first(request.selector)
        with uninterrupted:
            self.handle, self._queue = _subscribe(session, request)

    @property
    def _subscribed(self) -> Subscribed:
        found: Subscribed = self.handle.subscription
        return found

    @property
    def name(self) -> str:
        """The subscription's name; empty when it has none."""
        name: str = self._subscribed.name
        return "" if name.startswith("\x1f") else name

    @property
    def id(self) -> bytes:
        """The subscription's id (SUBID), 24 bytes."""
        return bytes(self._subscribed.id)

    @property
    def topic(self) -> str:
        """The topic string or pattern that it is made to."""
        return str(self._subscribed.pattern.text)

    @property
    def queue(self) -> str:
        """The queue that its messages go to."""
        return str(self._subscribed.definition.attributes["DEST"])

    @property
    def durable(self) -> bool:
        """Whether it outlives its connection."""
        return bool(self._subscribed.durable)

    @property
    def options(self) -> int:
        """The options it was made with (MQSO_)."""
        return int(self.handle.options)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return bool(self.handle.closed)

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
        **unknown: Never,
    ) -> Message | None:
        """Get a publication, or None when there is none (after `wait` seconds; None waits for ever)."""
        if unknown:
            check_names(self.get, unknown)
        if self._queue is None:
            raise error(
                mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
                f"the messages of {self.name} go to {self.queue}, which is not here",
            )
        return self._queue.get(
            options=options,
            wait=wait,
            max_length=max_length,
            msg_id=msg_id,
            correl_id=correl_id,
            group_id=group_id,
            seq_number=seq_number,
            offset=offset,
            token=token,
            selector=selector,
            ccsid=ccsid,
            encoding=encoding,
            quiet=True,
        )

    def request(self) -> int:
        """Request retained publications (MQSUBRQ); return their number.

        Only for a subscription made with `on_request` (2046); 2437 when nothing is retained.
        """
        self.session.check_open()
        if self.handle.closed:
            raise error(mq.MQRC_HOBJ_ERROR, "the subscription is closed")
        if not self._subscribed.on_request:
            raise error(
                mq.MQRC_OPTIONS_ERROR, "MQSUBRQ is for subscriptions made with PUBLICATIONS_ON_REQUEST"
            )
        with uninterrupted:
            count = _deliver(self.session, self.handle)
        if not count:
            raise error(mq.MQRC_NO_RETAINED_MSG, f"nothing is retained for {self.topic}", topic=self.topic)
        return count

    def alter(
        self,
        *,
        selector: str | None = None,
        user_data: str | None = None,
        expiry: float | None = None,
        priority: int | None = None,
        persistence: str | None = None,
        properties: str | None = None,
        level: int | None = None,
        correl_id: bytes | None = None,
        queue: str = "",
        qmgr: str = "",
        **unknown: Never,
    ) -> None:
        """Change the given attributes only (MQSO_ALTER)."""
        if unknown:
            check_names(self.alter, unknown)
        request = SubscribeRequest(
            name=self._subscribed.name,
            options=mq.MQSO_ALTER | (mq.MQSO_DURABLE if self.durable else 0),
            selector=selector,
            user_data=user_data,
            expiry=expiry,
            priority=priority,
            persistence=persistence,
            properties=properties,
            level=level,
            correl_id=correl_id,
            queue=queue,
            qmgr=qmgr,
        )
        session = self.session
        session.check_open()
        if request.selector:
            session.caller.compile_first(request.selector)
        with session.step():
            session.engine.pubsub.alter(self.handle, request, time.time())

    def describe(self) -> dict[str, Any]:
        """Return the attributes of the subscription as plain data."""
        return {
            "name": self.name,
            "id": self.id.hex().upper(),
            "topic": self.topic,
            "queue": self.queue,
            "durable": self.durable,
            "options": self.options,
        }

    def close(self, *, remove: bool = False) -> None:
        """Close the subscription: a durable one stays, unless it is to be removed."""
        session = self.session
        session.check_open()
        with session.step():
            now = time.time()
            if self._queue is not None and not self._queue.handle.closed:
                session.engine.close(self._queue.handle, 0, now)
            if not self.handle.closed:
                session.engine.close(self.handle, mq.MQCO_REMOVE_SUB if remove else 0, now)

    def __dir__(self) -> list[str]:
        return shown(self, SUBSCRIPTION)

    def is_usable(self) -> bool:
        """Return whether it can still be closed."""
        return not self.handle.closed and not self.session.closed and not self.session.host.closed

    def __repr__(self) -> str:
        return f"<Subscription {self.name or self.topic!r}{' closed' if self.handle.closed else ''}>"


def _subscribe(session: Session, request: SubscribeRequest) -> tuple[Handle, ObjectHandle | None]:
    """Create or resume the subscription, open its queue, and deliver retained publications."""
    begun = session.caller.under_way()
    if begun is None:
        begun = _begin(session, request)
    handle, queue, new, delivery = begun
    try:
        if delivery is not None:
            session.caller.take_steps(session, delivery, begun)
    except MQError:
        with session.gate:
            _give_up(session.engine, handle, queue, new, time.time())
        raise
    return handle, None if queue is None else ObjectHandle(session, queue)


def _begin(session: Session, request: SubscribeRequest) -> tuple[Any, ...]:
    """Make or resume the subscription and open its queue; return that, and what is to be delivered."""
    engine = session.engine
    with session.step():
        now = time.time()
        handle, new = engine.pubsub.subscribe(session.connection, request, now)
        queue = delivery = None
        try:
            if handle.subscription.queue is not None:
                queue = engine.open(session.connection, handle.subscription.queue.name, INPUT, now)
            if new and not request.options & UNASKED:
                delivery = engine.pubsub.deliver_retained(handle, now)
        except MQError:
            _give_up(engine, handle, queue, new, now)
            raise
    return handle, queue, new, delivery


def _give_up(engine: Engine, handle: Handle, queue: Handle | None, new: bool, now: float) -> None:
    """Undo a failed subscribe; a subscription that existed before stays."""
    if queue is not None and not queue.closed:
        engine.close(queue, 0, now)
    engine.close(handle, mq.MQCO_REMOVE_SUB if new else 0, now)


UNASKED = mq.MQSO_NEW_PUBLICATIONS_ONLY | mq.MQSO_PUBLICATIONS_ON_REQUEST  # retained ones do not come
INPUT = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_BROWSE | mq.MQOO_INQUIRE


def _deliver(session: Session, handle: Handle) -> int:
    """Deliver retained publications to a subscription; return their number."""
    delivery = session.caller.under_way()
    if delivery is None:
        with session.gate:
            delivery = session.engine.pubsub.deliver_retained(handle, time.time())
    session.caller.take_steps(session, delivery, delivery)
    return int(delivery.sent)
