# cython: nonecheck=True
"""One connection to the engine: its state, its open units, and the short way of a put or get.

What `QueueManager`, handles, subscriptions and a server's conversations share: each holds a session. The
short way is a plain message, a local queue, one call of the engine. The gate is held for the engine's call;
waiting for the disk comes after, as the session's `caller` does it (`waiting`). Compiled through
`session.pxd`: this is the path that most messages take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.face import units
from penstock.face._clock import now as clock
from penstock.face._clock import recently
from penstock.face.units import Scope, Scopes
from penstock.host.plain_route import PlainRoute
from penstock.model import constants as mq
from penstock.model._interrupts import begin, end, python_follows
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, Message, plain_message, plain_receipt
from penstock.qmgr.selectors.evaluations import MustEvaluate

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from penstock.host.host import Host
    from penstock.host.waiting import Caller
    from penstock.model.message import Receipt
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match, Waiter
    from penstock.telemetry._sampling import Sampler

ROUTES_KEPT = 1000  # resolved names in a connection's memory
SPILLED = Message(None)  # represents a message whose body must be read first


class Session:
    """A connection to the engine, and how its calls wait."""

    def __init__(self, host: Host, connection: Connection, caller: Caller) -> None:
        self.host = host
        self.caller = caller
        self.engine = host.engine
        self.gate = host.gate
        self.name = host.engine.name
        self.connection = connection
        self.context = connection.context
        self.routes: dict[str, PlainRoute] = {}
        self.account = connection.account
        self.sampler: Sampler | None = None  # records puts and gets, of a program with telemetry
        self._put_route: PlainRoute | None = None  # of the last put, and of the last get:
        self._get_route: PlainRoute | None = None  # most programs repeat a name
        self.scopes = Scopes()
        self.waiters: set[Waiter] = set()
        self.open_scopes = 0
        self.closed = False

    def put_quick(
        self,
        queue: str,
        route: PlainRoute | None,
        body: bytes,
        persistent: bool | None,
        correl_id: bytes | None,
        msg_id: bytes | None,
        context: Any,
        unit: UnitOfWork | None,
        now: float,
        properties: dict[str, Any] | None = None,
    ) -> Message | None:
        """Put a plain message to a queue, found by name unless its route is known.

        `context` is its descriptor, the connection's own for most; `properties` are correct, and its own.
        None when it needs the long way. What is returned has an onward part when the queue is at another
        queue manager.
        """
        engine = self.engine
        gate = self.gate
        gate.enter()
        try:
            if route is None:
                route = self._put_route
                if route is None or route.name is not queue or not route.is_current():
                    route = self._put_route = self._known_route(queue)
                    if route is None:
                        return None
            elif not route.is_current():
                return None
            if not route.plain or route.queue.deleted:
                return None
            if persistent is not None and type(persistent) is not bool:
                return None
            lasting = route.persistent if persistent is None else persistent
            if lasting:
                self.host.check_room(len(body))
            if correl_id is None:
                correl_id = NO_ID
            engine.step.begin_for(self.account)
            if route.away:
                message = self._put_away(
                    route, body, lasting, correl_id, msg_id, context, unit, now, properties
                )
            else:
                message = engine.put_plain(
                    route.queue,
                    body,
                    msg_id,
                    correl_id,
                    lasting,
                    route.priority,
                    context,
                    unit,
                    now,
                    properties,
                )
            position = engine.step.end()
        finally:
            gate.release()
        if lasting or engine.wishes.spilling:
            self.finish(position)
        return message

    def _put_away(
        self,
        route: PlainRoute,
        body: bytes,
        persistent: bool,
        correl_id: bytes,
        msg_id: bytes | None,
        context: Any,
        unit: UnitOfWork | None,
        now: float,
        properties: dict[str, Any] | None,
    ) -> Message:
        """Put a message to the transmission queue; the message stored there is another one, with a header."""
        engine = self.engine
        message = plain_message(
            body,
            engine.ids.next() if msg_id is None else msg_id,
            correl_id,
            persistent,
            route.priority,
            now,
            context,
        )
        message.properties = properties
        python_follows()
        message.onward = engine.put_message(route.route, message, unit, now).onward
        return message

    def receipt(self, message: Message, queue: str) -> Receipt:
        """Return the receipt of a message that `put_quick` has put."""
        onward = message.onward
        if onward is None:
            return plain_receipt(message, queue, self.name)
        return plain_receipt(message, onward.queue, onward.qmgr)

    def put_many_quick(
        self, queue: str, bodies: list[bytes], persistent: bool | None, now: float
    ) -> list[Message] | None:
        """Put plain messages to a local queue, all or none; None when they need a unit of work."""
        engine = self.engine
        gate = self.gate
        gate.enter()
        try:
            route = self._known_route(queue)
            if route is None or not route.plain or route.away or route.queue.deleted:
                return None
            if route.persistent if persistent is None else persistent:
                return None
            engine.step.begin_for(self.account)
            put = engine.put_batch(route.queue, bodies, route.priority, self.context, now)
        finally:
            gate.release()
        if engine.wishes.spilling:
            self.finish(0)
        return put

    def step(self) -> ConnectionStep:
        """Return a step of the engine: `with self.step():` around the engine's call."""
        return ConnectionStep(self)

    def finish(self, position: int) -> None:
        """Do what a call needs outside the gate: wait for the disk up to a position, free memory."""
        self.caller.finish(position)

    def check_open(self) -> None:
        """Raise why this connection takes no more calls, if it takes none."""
        if self.closed or self.gate.closed:
            self.refuse()

    def refuse(self) -> None:
        """Raise why this connection takes no more calls."""
        if self.closed:
            raise error(mq.MQRC_HCONN_ERROR, "the connection is closed")
        raise self.gate.refusal()

    # -- units of work ---------------------------------------------------------------------

    def current_unit(self) -> UnitOfWork | None:
        """Return the unit that calls without syncpoint options are in."""
        scope = units.scope_of(self)
        return None if scope is None else scope.unit

    def new_scope(self, holds_all: bool = True) -> Scope:
        """Give this context a unit; without `holds_all` only calls with SYNCPOINT are in it."""
        if not holds_all:
            self.caller.check_own_unit()
        gate = self.gate
        gate.enter()
        try:
            scope = Scope(self, self.engine.new_unit(self.connection, clock()), holds_all)
            self.scopes.add(scope)
            self.open_scopes += 1
        finally:
            gate.release()
        units.enter(scope)
        return scope

    def end_current(self, commit: bool, counted: bool = True) -> None:
        """End this context's unit; nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            self.end_scope(scope, commit, counted)

    def end_scope(self, scope: Scope, commit: bool, counted: bool = True) -> None:
        """Commit or back out a unit; a signal that comes meanwhile is handled when that is done."""
        engine = self.engine
        gate = self.gate
        units.leave(scope)
        gate.acquire()
        try:
            self.scopes.discard(scope)
            self.open_scopes -= 1
            self.check_open()
            engine.step.begin_for(self.account)
            if commit:
                engine.commit(scope.unit, clock())
            else:
                if not counted:
                    scope.unit.spare()
                engine.backout(scope.unit, clock())
            position = engine.step.end()
        finally:
            gate.release()
        self.finish(position)

    def drop_scope(self, scope: Scope) -> None:
        """Back out the unit of a call that has failed."""
        if self.closed or self.gate.closed:
            with self.gate:
                self.leave_scope(scope)
        else:
            self.end_scope(scope, False)

    def leave_scope(self, scope: Scope) -> None:
        """Forget a unit that has ended otherwise. The gate is held."""
        units.leave(scope)
        self.scopes.discard(scope)
        self.open_scopes -= 1

    def abandon(self, scope: Scope) -> None:
        """Back out the unit of a context that is gone."""
        scope.ended = True
        self.scopes.discard(scope)
        self.open_scopes -= 1
        self.host.orphan(scope.unit)

    # -- routes ----------------------------------------------------------------------------

    def plain_route(self, handle: Any) -> PlainRoute:
        """Return what short puts by a handle need to know of its route."""
        with self.gate:
            handle.route = self.engine.reroute(handle)
            return PlainRoute(handle.name, handle.route, self.engine)

    def route_to(self, name: str) -> PlainRoute:
        """Return the current route of a name; it is resolved if it must be. The gate is held."""
        route = self.routes.get(name)
        if route is not None and route.is_current():
            return route
        python_follows()
        route = PlainRoute(name, self.engine.resolve(name, "", clock()), self.engine, self.connection)
        if len(self.routes) >= ROUTES_KEPT:
            self.routes.clear()  # replies to dynamic queues never use a name twice
        self.routes[name] = route
        return route

    def _known_route(self, name: str) -> PlainRoute | None:
        """Return the same; None when full repositories of a cluster must be asked first."""
        try:
            return self.route_to(name)
        except MQError as failure:
            if failure.fields.get("question") is None:
                raise
        return None

    def asking(self, call: Callable[[], Any]) -> Any:
        """Make a call; if something is to be known before, again after it was found out.

        Full repositories are asked for a name, or selectors are evaluated.
        """
        evaluation: Any = None  # its results are there as long as it is
        while True:
            try:
                return call()
            except MustEvaluate as needed:
                evaluation = needed.evaluation
                self.caller.evaluate_first(evaluation)
                continue
            except MQError as failure:
                question = failure.fields.pop("question", None)
                if question is None:
                    raise
            self.caller.await_answer(question)

    def way_to(self, queue: str) -> PlainRoute:
        """Return the route of gets from a queue, or raise what forbids them. The gate is held."""
        route = self._get_route
        if route is None or route.name is not queue or not route.is_current():
            route = self._get_route = self.route_to(queue)
        if not route.simple:
            python_follows()
            route.check_get(self.engine, clock())
        return route

    # -- gets ------------------------------------------------------------------------------

    def get_quick(self, queue: str, match: Match | None, unit: UnitOfWork | None) -> Message | None:
        """Take an available message; None if there is none, SPILLED if its body must be read first."""
        engine = self.engine
        gate = self.gate
        gate.enter()
        try:
            route = self.way_to(queue)
            now = clock() if unit is not None or route.queue.expiring else recently()
            engine.step.begin_for(self.account)
            if route.queue.shared is not None:
                return SPILLED
            message = engine.take(route.queue, match, unit, now)
            if message is None and engine.step.take_load() is not None:
                return SPILLED
            position = engine.step.end()
        finally:
            gate.release()
        if position:
            self.finish(position)
        return message

    def record_got(self, queue: str, message: Message, began_ns: int) -> None:
        """Have telemetry record a get, if the message may carry a trace context."""
        if self.sampler is not None and self.sampler.carries(message.properties, message.descriptor):
            self.sampler.got(queue, message, began_ns)

    def take_open(self, handle: Any, queue: Queue, match: Match | None, unit: UnitOfWork | None) -> Any:
        """Take a message by a plain handle; None when there is none or it needs the long way."""
        engine = self.engine
        gate = self.gate
        gate.enter()
        try:
            if handle.closed or handle.changed or queue.deleted or not queue.get_enabled:
                return None
            if queue.shared is not None:
                return None
            now = clock() if unit is not None or queue.expiring else recently()
            engine.step.begin_for(self.account)
            message = engine.take(queue, match, unit, now)
            position = engine.step.end()
        finally:
            gate.release()
        if position:
            self.finish(position)
        return message


class ConnectionStep:
    """One step of the engine for a connection: `with session.step() as step:`.

    Entering takes the gate and begins the step. Leaving releases the gate and finishes what the step needs:
    it waits for the disk, or a server notes what its answer has to wait for. A step that raises needs none
    of it. `to_load` has the bodies to read before the same step is made again. Signal handlers wait until
    the end.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.to_load: list[Message] | None = None

    def __enter__(self) -> Self:
        begin()
        try:
            self._session.gate.__enter__()
        except BaseException:
            end()
            raise
        self._session.engine.step.begin_for(self._session.account)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        step = self._session.engine.step
        self.to_load = step.take_load()
        position = step.end()
        self._session.gate.__exit__(kind, value, trace)
        try:
            if kind is None:
                self._session.finish(position)
        finally:
            end()
