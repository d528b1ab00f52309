# cython: nonecheck=True
"""Publishing, as a connection does it: what is behind `qm.publish`.

A body without frills takes the short way: one call of the engine under the gate; the rest is a request, as
of a put. Waiting for the disk comes after the gate is released. Compiled through `publishing.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.face._clock import now as clock
from penstock.face.units import CallUnit
from penstock.host.session import ROUTES_KEPT
from penstock.model._interrupts import python_follows, uninterrupted
from penstock.qmgr import authorization
from penstock.qmgr.names.dependencies import SECURITY, all_valid
from penstock.qmgr.pubsub.topic_opening import topic_named, topic_route

if TYPE_CHECKING:
    from penstock.host.session import Session
    from penstock.model.message import Message, Receipt
    from penstock.qmgr.names.dependencies import Dependency
    from penstock.qmgr.putting import PutRequest
    from penstock.qmgr.unit_of_work import UnitOfWork

SHORT_BYTES_MAX = 1 << 20


class Topics:
    """What a session publishes, and the topics that its user may publish to."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.publisher = session.host.engine.pubsub.publisher
        self.restricted = session.connection.permissions is not None
        self.allowed: dict[str, tuple[Dependency, ...]] = {}  # topics that a restricted user may publish to

    def publish_quick(
        self, topic: str, body: bytes, persistent: bool | None, unit: UnitOfWork | None
    ) -> Message | None:
        """Publish a plain body; None when it needs the long way."""
        if persistent is not None and type(persistent) is not bool:
            return None
        session = self.session
        host = session.host
        if persistent is None and (host.disk_low or host.log_stuck or len(body) > SHORT_BYTES_MAX):
            return None  # whether the topic's default needs room on disk is looked at there
        engine = session.engine
        gate = session.gate
        now = clock()
        gate.enter()
        try:
            if self.restricted and not self._may_publish(topic):
                return None
            if persistent:
                host.check_room(len(body))
            engine.step.begin_for(session.account)
            message = self.publisher.publish_plain(topic, body, persistent, session.context, unit, now)
            position = engine.step.end()
        finally:
            gate.release()
        if position or engine.wishes.spilling or (message is not None and message.persistent):
            session.finish(position)
        return message

    def _may_publish(self, topic: str) -> bool:
        """Return whether the user may publish to a topic; yes is cached until topics or authority change."""
        asked = self.allowed.get(topic)
        if asked is not None and all_valid(asked):
            return True
        python_follows()
        engine: Any = self.session.engine
        permissions = self.session.connection.permissions
        assert permissions is not None
        if authorization.topic_refusal(engine, permissions, topic, "PUB"):
            return False
        if len(self.allowed) >= ROUTES_KEPT:
            self.allowed.clear()
        self.allowed[topic] = engine.dependencies.on("TOPIC"), engine.dependencies.on(SECURITY)
        return True

    def publish_in_full(self, topic: str, topic_object: str, request: PutRequest) -> Receipt:
        """Publish what a request has; `topic_object` names a TOPIC object that `topic` goes on from."""
        session = self.session
        with uninterrupted:
            with CallUnit(session, request.options) as call:
                receipt: Receipt = session.asking(
                    lambda: self._publish(topic, topic_object, request, call.unit, clock())
                )
            return receipt

    def _publish(
        self, topic: str, topic_object: str, request: PutRequest, unit: UnitOfWork | None, now: float
    ) -> Receipt:
        session = self.session
        engine: Any = session.engine
        persistent = request.persistent
        with session.step():
            text = topic_named(engine, topic_object, topic)
            route = topic_route(engine, topic_object, text)
            if persistent or (persistent is None and route.default_persistent):
                session.host.check_room(len(request.body))
            receipt: Receipt = engine.put1(session.connection, route, request, unit, now)
            return receipt
