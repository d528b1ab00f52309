# cython: nonecheck=True
"""The engine: every verb of a queue manager, as one object.

The face of room `qmgr`. It adds to the core what the verbs mean (each in its own module) and
wires the parts together; it holds no logic of its own. Callers: `host` (under the engine lock) and
`admin`. Time comes in; I/O goes out as journal records, and as what `step` and `wishes`
ask for.
"""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.limits import APPLICATION_NAME_LENGTH, USER_ID_LENGTH
from penstock.model.message import Descriptor
from penstock.qmgr import authorization, definitions, emptying, getting, inquiring, opening, prepared, putting
from penstock.qmgr.batches.reservations import Reservations
from penstock.qmgr.catalogue.system_objects import system_definitions
from penstock.qmgr.channels import saved_status
from penstock.qmgr.channels.sync_book import SyncBook
from penstock.qmgr.clusters import cluster_opening
from penstock.qmgr.clusters.clusters import Clusters
from penstock.qmgr.connections import Connection, Handle
from penstock.qmgr.core import Core
from penstock.qmgr.effects import Effects
from penstock.qmgr.monitoring import accounting, change_events, events, status
from penstock.qmgr.monitoring.counting import Calls
from penstock.qmgr.names.name_resolution import Route, resolve
from penstock.qmgr.objects import Objects
from penstock.qmgr.pubsub import topic_opening
from penstock.qmgr.pubsub.publish_subscribe import PublishSubscribe
from penstock.qmgr.searching import browsing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.inquired import Inquired
    from penstock.model.message import Message, Receipt
    from penstock.model.status import (
        ConnectionStatus,
        HandleStatus,
        MessageChannelStatus,
        OpenObjectStatus,
        QmgrStatus,
        QueueStatus,
    )
    from penstock.qmgr.channels.batches import Batch
    from penstock.qmgr.interfaces import Journal
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork


class Engine(Core):
    """One queue manager."""

    def __init__(self, name: str, journal: Journal, now: float) -> None:
        super().__init__(name, journal, Objects(), now)
        self.effects = Effects(self)
        self.reservations = Reservations(self)
        self.sync_book = SyncBook(self)
        self.clusters = Clusters(self)
        self.in_doubt: dict[str, dict[Batch, UnitOfWork]] = {}  # of message channels, prepared, by channel
        self.next_connection = 1
        self.calls = Calls()
        self.seed = int(now * 1_000_000)  # of message ids; greater at every start
        self.content_filters: Any = None  # compile(text) -> matches(message), for selectors on bodies
        self.pubsub = PublishSubscribe(self)
        self.access: Any = None  # who may do what; the host plugs it in
        self.state = "RUNNING"  # or STARTING, QUIESCING, ENDING, set by the host
        self.incarnation = ""  # an id that no copy of this queue manager has; the host sets it
        self.runtime: Any = None  # listeners and channels, where a server runs
        self.group: Any = None  # the queue-sharing group, as commands see it, of a member
        self.host_facts: Any = (
            None  # () -> where log and data are, as QMSTATUS shows it; the host plugs it in
        )
        self.media_logs: Any = None  # () -> (definition -> log file that its media image needs); likewise

    def make_system_objects(self, now: float) -> None:
        """Give a new queue manager its attributes and SYSTEM.* objects."""
        for definition in system_definitions(self.name, now):
            definition.id = self.next_object
            self.next_object += 1
            definitions.store(self, definition, now)

    # -- objects ---------------------------------------------------------------------------

    def define(
        self, kind: str, name: str, attributes: dict[str, Any], now: float, replace: bool = False
    ) -> Definition:
        return definitions.define(self, kind, name, attributes, now, replace)

    def alter(self, definition: Definition, changes: dict[str, Any], now: float, force: bool = False) -> None:
        definitions.alter(self, definition, changes, now, force)

    def delete(self, definition: Definition, now: float, purge: bool = False) -> None:
        definitions.delete(self, definition, now, purge)

    def clear_queue(self, name: str, now: float) -> Iterator[None]:
        return emptying.clear_queue(self, name, now)

    def purge(self, definition: Definition, now: float) -> Iterator[None]:
        """Remove the messages of a queue that is to be deleted, many at a step; 2042 as for `delete`."""
        definitions.check_deletable(self, definition, True)
        yield from emptying.in_parts(self, self.queues[definition.name])

    def empty_queue(self, queue: Queue, now: float) -> int:
        return emptying.empty(self, queue, now)

    def remove_queue(self, queue: Queue, now: float) -> None:
        """Remove a dynamic queue with whatever is on it."""
        emptying.empty(self, queue, now)
        definitions.delete_unchecked(self, queue.definition)
        if queue.temporary:
            self.pubsub.queued.queue_removed(queue.name, now)
        else:
            authorization.forget_queue(self, queue, now)

    # -- connections and handles -----------------------------------------------------------

    def connect(
        self,
        user: str,
        application: str,
        process: int,
        now: float,
        permissions: authorization.Permissions | None = None,
    ) -> Connection:
        """Connect a user; with `permissions` every action is checked, beginning with this connect."""
        number = self.next_connection
        self.next_connection += 1
        context = Descriptor(
            user_id=user[:USER_ID_LENGTH],
            put_appl_type=mq.MQAT_UNIX,
            put_appl_name=application[:APPLICATION_NAME_LENGTH],
            ccsid=self.definition.attributes["CCSID"],
        )
        if permissions is not None:
            try:
                authorization.check_connect(self, permissions, events.culprit(context, user), now)
            except MQError:
                self.calls.connects_failed += 1
                raise
        connection = Connection(number, user, application, now, process, context, permissions=permissions)
        connection.account.by_queue = accounting.is_on(self)
        self.connected[number] = connection
        self.calls.connects += 1
        self.calls.connected_max = max(self.calls.connected_max, len(self.connected))
        return connection

    def disconnect(self, connection: Connection, now: float, most: int = sys.maxsize) -> bool:
        """Close what a connection has open, at most this many handles; return whether all are closed.

        Its units are the host's to end first.
        """
        connection.closed = True
        for handle in list(islice(connection.handles.values(), most)):
            if not handle.closed:  # by the one before
                opening.close(self, handle, 0, now)
        if connection.handles:
            return False
        if self.connected.pop(connection.number, None) is not None:
            self.calls.disconnects += 1
            if self.sharing is not None:
                self.sharing.tags.disconnected(connection)
            accounting.write(self, connection, now, True)
        return True

    def open(self, connection: Connection, name: str, options: int, now: float, **details: Any) -> Handle:
        kind = details.get("object_type", mq.MQOT_Q)
        try:
            handle = opening.open_object(self, connection, name, options, now, **details)
            self.calls.opens[kind] += 1
            return handle
        except MQError as failure:
            self.calls.opens_failed[kind] += 1
            self.effects.open_failed(name, failure.reason, now, details.get("qmgr", ""), connection)
            raise

    def close(self, handle: Handle, options: int, now: float) -> int:
        self.calls.closes[mq.MQOT_TOPIC if handle.topic else mq.MQOT_Q] += 1
        return opening.close(self, handle, options, now)

    def resolve(self, name: str, qmgr: str = "", now: float = 0.0) -> Route:
        """Resolve a name; with `now`, as an application's call whose failure may be an event."""
        try:
            return resolve(self, name, qmgr)
        except MQError as failure:
            if now:
                self.effects.open_failed(name, failure.reason, now, qmgr)
            raise

    def reroute(self, handle: Handle) -> Route:
        """Look a handle's definitions up again after some changed; the queue stays the same."""
        handle.check()
        route = handle.route
        assert route is not None
        if handle.topic:
            return topic_opening.reroute(self, handle, route)
        if route.choice is not None or route.channel:
            return cluster_opening.reroute(self, handle, route)
        looked_up = [(definition.namespace, definition.name) for definition in route.path]
        current = [self.objects.find(*key) for key in looked_up]
        route.path = tuple(new or old for new, old in zip(current, route.path, strict=True))
        route.first = route.path[0]
        if route.topic is not None:
            looked_up.append(("TOPIC", route.topic.name))
            route.topic = self.objects.find("TOPIC", route.topic.name) or route.topic
        if self.clusters.inside and route.path:
            looked_up.append(("CLUSTER", route.path[-1].name))
        route.dependencies = tuple(self.dependencies.on(*key) for key in looked_up)
        return cluster_opening.released(self, handle, route) or route

    # -- messages --------------------------------------------------------------------------

    def put(
        self, handle: Handle, request: putting.PutRequest, unit: UnitOfWork | None, now: float
    ) -> Receipt:
        return putting.put(self, handle, request, unit, now)

    def put1(
        self,
        connection: Connection,
        route: Route,
        request: putting.PutRequest,
        unit: UnitOfWork | None,
        now: float,
    ) -> Receipt:
        if connection.permissions is not None:
            authorization.check_put1(self, connection, route, request.options, now)
        return putting.put_to(self, connection, route, request, unit, now)

    def put_message(
        self, route: Route, message: Message, unit: UnitOfWork | None, now: float, hops: int = 0
    ) -> Message:
        """Put a finished message along a route and return it as it is on its queue.

        One that leaves this queue manager gets an onward part; `hops` counts the queue managers that have
        forwarded it.
        """
        if route.choice is not None:
            route = self.clusters.workload.for_put(None, route, message)
        queue = route.local_queue()
        if route.remote:
            message = putting.for_transmission(self, route, message, now, hops)
        self.check_put(queue, message, unit)
        self.enqueue(queue, message, unit)
        return message

    def get(
        self, handle: Handle, request: getting.GetRequest, unit: UnitOfWork | None, now: float
    ) -> Message | None:
        return getting.get(self, handle, request, unit, now)

    def unlock(self, handle: Handle, now: float) -> None:
        browsing.unlock(self, handle, now)

    def inquire(self, handle: Handle, selectors: tuple[str | int, ...], now: float) -> Inquired:
        self.calls.inquires[mq.MQOT_Q] += 1
        return inquiring.inquire(self, handle, selectors, now)

    def set(self, handle: Handle, values: dict[str | int, Any], now: float) -> None:
        self.calls.sets[mq.MQOT_Q] += 1
        inquiring.set_attributes(self, handle, values, now)

    def command_run(self, verb: str, text: str, connection: Connection | None, now: float) -> None:
        """Write the event of a command that was carried out."""
        change_events.command_run(self, verb, text, connection, now)

    def write_statistics(self, now: float) -> None:
        """Write statistics messages now instead of at the end of the interval."""
        self.effects.statistics.write_now(now)

    # -- prepared units --------------------------------------------------------------------

    def prepare(self, unit: UnitOfWork, xid: str, now: float) -> None:
        prepared.prepare(self, unit, xid, now)

    def resolve_prepared(self, xid: str, commit: bool, now: float, user: str | None = None) -> None:
        prepared.resolve(self, xid, commit, now, user)

    def list_prepared(self) -> list[dict[str, Any]]:
        return prepared.listing(self)

    # -- time and status -------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Do what only time brings about: expiry, trigger and service intervals, marks."""
        self.effects.tick(now)
        self.pubsub.tick(now)
        self.clusters.tick(now)

    def queue_status(self, name: str, now: float) -> QueueStatus:
        return status.queue_status(self, name, now)

    def reset_queue_statistics(self, name: str, now: float) -> dict[str, int]:
        """Start the counts of a queue again and return them; they count while PERFMEV is on."""
        return status.reset_queue_statistics(self, name, now)

    def handles(self, name: str) -> Iterator[HandleStatus | None]:
        return status.handles(self, name)

    def open_objects(self) -> Iterator[OpenObjectStatus | None]:
        return status.open_objects(self)

    def connections(self) -> Iterator[ConnectionStatus]:
        return status.connections(self)

    def saved_channels(self) -> Iterator[MessageChannelStatus]:
        return saved_status.saved(self)

    def qmgr_status(self) -> QmgrStatus:
        return status.qmgr_status(self)
