# cython: nonecheck=True
"""Publishing and subscribing, as a connection does it: `qm.publish` and `qm.subscribe`.

The part of `QueueManager` that is about topics. A plain body takes the short way: one call of
the engine under the gate; the rest builds a request as `put` does. Waiting for the disk comes after the
gate is let go. Compiled through `publishing.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.face._clock import now as clock
from penstock.face.arguments import check_names, name_of, options_of, text_of, whole_of
from penstock.face.message_arguments import as_properties, body_and_fields
from penstock.face.units import CallUnit
from penstock.host.short_way import ROUTES_KEPT, ShortWay
from penstock.host.subscription import Subscription, request_of
from penstock.model import constants as mq
from penstock.model._interrupts import python_follows, uninterrupted
from penstock.model.message import plain_receipt
from penstock.qmgr import authorization
from penstock.qmgr.dependencies import SECURITY, all_valid
from penstock.qmgr.pubsub.topic_opening import topic_named, topic_route
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX
from penstock.qmgr.putting import PutRequest
from penstock.qmgr.selectors.content_selection import compile_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Never

    from penstock.host.host import Host
    from penstock.model.message import Message, Receipt
    from penstock.model.message_handle import MessageHandle
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.dependencies import Dependency
    from penstock.qmgr.unit_of_work import UnitOfWork


SHORT_BYTES_MAX = 1 << 20


class Publishing(ShortWay):
    """A connection, as far as topics are concerned."""

    def __init__(self, host: Host, connection: Connection) -> None:
        super().__init__(host, connection)
        self.publisher = host.engine.pubsub.publisher
        self.restricted = connection.permissions is not None
        self.allowed: dict[str, tuple[Dependency, ...]] = {}  # topics that a restricted user may publish to

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

        `retain` keeps the publication for later subscribers. A persistent publication is on disk
        when this returns, or when the unit of work it is in has committed. `fields` are those of `put`
        (reply_to, format ...), `topic_object` names a TOPIC object whose string `topic` goes on from,
        `level` is the publication's level. The receipt's `warning` is 2550 if there is no subscriber and
        MQPMO_WARN_IF_NO_SUBS_MATCHED is set.
        """
        if self.closed or self.gate.closed:
            refuse(self)
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
            unit = None if self.open_scopes == 0 else self.current_unit()
            message = self.publish_quick(topic, body, persistent, unit)
            if message is not None:
                return plain_receipt(message, topic, self.name)
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
        return self._publish_in_full(topic, name_of(topic_object), request)

    def publish_quick(
        self, topic: str, body: bytes, persistent: bool | None, unit: UnitOfWork | None
    ) -> Message | None:
        """Publish a plain body; None when it needs the long way."""
        if persistent is not None and type(persistent) is not bool:
            return None
        host = self.host
        if persistent is None and (host.disk_low or host.log_stuck or len(body) > SHORT_BYTES_MAX):
            return None  # whether the topic's default needs room on disk is looked at there
        engine = self.engine
        gate = self.gate
        now = clock()
        gate.acquire()
        try:
            if gate.closed:
                raise gate.refusal()
            if self.restricted and not self._may_publish(topic):
                return None
            if persistent:
                host.check_room(len(body))
            engine.step.begin()
            message = self.publisher.publish_plain(topic, body, persistent, self.context, unit, now)
            position = engine.step.end()
        finally:
            gate.release()
        if position or engine.wishes.spilling or (message is not None and message.persistent):
            self.finish(position)
        return message

    def _may_publish(self, topic: str) -> bool:
        """Return whether the user may publish to a topic; yes is cached until topics or authority change."""
        asked = self.allowed.get(topic)
        if asked is not None and all_valid(asked):
            return True
        python_follows()
        engine: Any = self.engine
        permissions = self.connection.permissions
        assert permissions is not None
        if authorization.topic_refusal(engine, permissions, topic, "PUB"):
            return False
        if len(self.allowed) >= ROUTES_KEPT:
            self.allowed.clear()
        self.allowed[topic] = engine.dependencies.on("TOPIC"), engine.dependencies.on(SECURITY)
        return True

    def _publish_in_full(self, topic: str, topic_object: str, request: PutRequest) -> Receipt:
        persistent = request.persistent
        qm: Any = self
        now = clock()
        with uninterrupted:
            with CallUnit(self, request.options) as call, self.step():
                text = topic_named(qm.engine, topic_object, topic)
                route = topic_route(qm.engine, topic_object, text)
                if persistent or (persistent is None and route.default_persistent):
                    self.host.check_room(len(request.body))
                receipt: Receipt = qm.engine.put1(self.connection, route, request, call.unit, now)
            return receipt

    def compile_first(self, selector: str) -> None:
        """Compile a subscription's selector, without holding the engine up; 2459 for a bad one."""
        compile_for(self.engine, selector)

    def under_way(self) -> Any:
        """Return the state of a repeated call; None for a first call."""
        return None

    def take_steps(self, work: Any, begun: Any) -> None:
        """Take the steps of long work, and let others to the engine between two; `begun` is of a server."""
        done = False
        while not done:
            with self.step() as step:
                done = work.step(clock())
            if step.to_load is not None:
                self.host.load(step.to_load)

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
        qm: Any = self
        qm.check_open()
        if unknown:
            check_names(self.subscribe, unknown)
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
        return Subscription(qm, request_of(topic, details))

    def unsubscribe(self, name: str) -> None:
        """Remove a durable subscription that is not open, with its messages."""
        qm: Any = self
        qm.check_open()
        text_of(name, "a subscription's name")
        with self.step():
            qm.engine.pubsub.remove(self.connection, name, clock())


def refuse(connection: Any) -> None:
    """Raise why a connection takes no more calls."""
    connection.check_open()
