"""An engine without messages, for tests of MQSC: the registry, and the methods of the contract around it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from penstock.admin.access import Access
from penstock.host.users.user_directory import People
from penstock.model.errors import error
from penstock.model.status import ConnectionStatus, HandleStatus, QmgrStatus, QueueStatus
from penstock.qmgr.catalogue.system_objects import system_definitions
from penstock.qmgr.clusters.clusters import Clusters
from penstock.qmgr.names.dependencies import Dependencies
from penstock.qmgr.objects import Definition, Objects

NOW = 1_700_000_000.0
NO_USERS = Path("/nonexistent/users.auth")


class EngineDouble:
    def __init__(self, name: str = "QM1") -> None:
        self.objects = Objects()
        self.access = Access(self.objects, People(NO_USERS, "owner"))
        self.dependencies = Dependencies()
        self.host_facts = None
        self.media_logs: Any = None
        for definition in system_definitions(name, NOW):
            self.objects.put(definition)
        self.name = name
        self.definition = self.objects.all("QMGR")[0]
        self.clusters: Any = Clusters(self)  # type: ignore[arg-type]
        self.pubsub = SimpleNamespace(subscriptions={})  # nobody subscribes in earnest
        self.depths: dict[str, int] = {}
        self.in_use: set[str] = set()
        self.open_handles: dict[str, list[HandleStatus]] = {}
        self.connected: list[ConnectionStatus] = []

    def define(
        self, kind: str, name: str, attributes: dict[str, Any], now: float, replace: bool = False
    ) -> Definition:
        definition = Definition(kind, name, dict(attributes), self.objects.next_id, now, now)
        existing = self.objects.find(definition.namespace, name)
        if existing is not None:
            if not replace:
                raise error(2100, f"{kind} {name} exists already", object=name)
            if existing.kind != kind:
                raise error(2043, f"{name} is a {existing.kind}", object=name)
            definition.id, definition.created = existing.id, existing.created
        self.objects.put(definition)
        return definition

    def alter(self, definition: Definition, changes: dict[str, Any], now: float, force: bool = False) -> None:
        attributes = {**definition.attributes, **changes}
        self.objects.put(
            Definition(definition.kind, definition.name, attributes, definition.id, definition.created, now)
        )

    def delete(self, definition: Definition, now: float, purge: bool = False) -> None:
        if definition.name in self.in_use:
            raise error(2042, f"queue {definition.name} is open", object=definition.name)
        if self.depths.get(definition.name) and not purge:
            raise error(2055, f"queue {definition.name} holds messages", object=definition.name)
        self.objects.remove(definition)

    def clear_queue(self, name: str, now: float) -> list[None]:
        if name in self.in_use:
            raise error(2042, f"queue {name} is open", object=name)
        self.depths.pop(name, 0)
        return []

    def purge(self, definition: Definition, now: float) -> list[None]:
        return [] if definition.name in self.in_use else self.clear_queue(definition.name, now)

    def command_run(self, verb: str, text: str, connection: object, now: float) -> None:
        """No event is written."""

    def queue_status(self, name: str, now: float) -> QueueStatus:
        return QueueStatus(queue=name, curdepth=self.depths.get(name, 0))

    def handles(self, name: str) -> list[HandleStatus]:
        return self.open_handles.get(name, [])

    def connections(self) -> list[ConnectionStatus]:
        return self.connected

    def saved_channels(self):
        return iter(())

    def qmgr_status(self) -> QmgrStatus:
        return QmgrStatus(qmname="QM1", conns=len(self.connected))
