"""What a command may touch: the engine, the time, and what runs around the engine.

`Engine` lists the methods of the queue manager that MQSC uses; what may run beside it (channels, listeners,
services) is in `machinery`. A host passes its runtime in; without one every such command is answered by a
reply that says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from penstock.model.errors import MQError
from penstock.qmgr.catalogue.authority import OBJECT_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from penstock.admin.access import Access
    from penstock.admin.group import Group
    from penstock.admin.machinery import Runtime
    from penstock.admin.replies import Pause, Reply
    from penstock.model.status import (
        ConnectionStatus,
        HandleStatus,
        MessageChannelStatus,
        OpenObjectStatus,
        QmgrStatus,
        QueueStatus,
    )
    from penstock.qmgr.catalogue.attributes import Value
    from penstock.qmgr.clusters.clusters import Clusters
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.names.dependencies import Dependencies
    from penstock.qmgr.objects import Definition, Objects
    from penstock.qmgr.pubsub.publish_subscribe import PublishSubscribe
    from penstock.qmgr.step import Step


class Engine(Protocol):
    """The part of the queue manager's engine that administration calls, under the engine's lock."""

    host_facts: Callable[[QmgrStatus], None] | None  # adds where program, data and log are
    media_logs: Callable[[], Callable[[Definition], str]] | None  # oldest log file for an object's image

    @property
    def dependencies(self) -> Dependencies:
        """What resolved names depend on."""

    @property
    def step(self) -> Step:
        """What the call that is in the engine needs."""

    @property
    def objects(self) -> Objects:
        """All definitions."""

    @property
    def queues(self) -> Mapping[str, Any]:
        """Local queues by name."""

    @property
    def clusters(self) -> Clusters:
        """What is known of clusters."""

    @property
    def pubsub(self) -> PublishSubscribe:
        """Topics and subscriptions."""

    @property
    def access(self) -> Access:
        """Who gets in and may do what."""

    def define(
        self, kind: str, name: str, attributes: dict[str, Value], now: float, replace: bool = False
    ) -> Definition:
        """Make or replace an object; the attributes are complete."""

    def alter(
        self, definition: Definition, changes: dict[str, Value], now: float, force: bool = False
    ) -> None:
        """Change attributes of an object, with `force` also those that open handles cannot follow."""

    def delete(self, definition: Definition, now: float, purge: bool = False) -> None:
        """Remove an object."""

    def clear_queue(self, name: str, now: float) -> Iterable[None]:
        """Remove the messages of a queue, some at each step."""

    def purge(self, definition: Definition, now: float) -> Iterable[None]:
        """Remove the messages of a queue that is about to be deleted, some at each step."""

    def command_run(self, verb: str, text: str, connection: Connection | None, now: float) -> None:
        """Write the event of a command that was carried out."""

    def write_statistics(self, now: float) -> None:
        """Write statistics messages now."""

    def queue_status(self, name: str, now: float) -> QueueStatus:
        """Yield depth, handles, times of a local queue."""

    def handles(self, name: str) -> Iterable[HandleStatus | None]:
        """Yield who has a queue open; None as a pause."""

    def open_objects(self) -> Iterable[OpenObjectStatus | None]:
        """Yield the open objects of connections; None as a pause."""

    def connections(self) -> Iterable[ConnectionStatus]:
        """Yield the connections."""

    def saved_channels(self) -> Iterable[MessageChannelStatus]:
        """Return the synch records of channels."""

    def qmgr_status(self) -> QmgrStatus:
        """Return the status of the queue manager."""


class NotRunning(MQError):
    """The machinery for a command does not run in this queue manager."""


@dataclass(frozen=True, slots=True)
class Context:
    """What one command works with."""

    engine: Engine
    now: float
    runtime: Runtime
    connection: Connection | None = None  # whose command it is; its permissions count

    @property
    def group(self) -> Group | None:
        """The queue-sharing group, if the queue manager is a member of one."""
        return getattr(self.engine, "group", None)

    def may_see(self, object_type: str, name: str) -> bool:
        """Return whether a display of many objects may show this one.

        Subscriptions have no authority records: the command has checked DSP for the queue manager.
        """
        permissions = self.connection.permissions if self.connection is not None else None
        return (
            permissions is None
            or object_type not in OBJECT_TYPES
            or not permissions.refusal(object_type, name, ("DSP",))
        )

    def qmgr(self) -> Definition:
        """Return the queue manager's own definition."""
        return self.engine.objects.all("QMGR")[0]


Action: TypeAlias = "Callable[[Context], Iterator[Reply | Pause]]"  # a command that was read
