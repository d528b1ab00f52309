# cython: nonecheck=True
"""A resolved name, kept ready for short puts and gets until something that it depends on changes.

Made by sessions and by object handles. It knows whether a message may go along without a look at
the path; the path itself is `name_resolution`'s. Compiled through `plain_route.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr import authorization, getting
from penstock.qmgr.clusters.cluster_names import COMMAND
from penstock.qmgr.messages.new_message import expiry_cap
from penstock.qmgr.names.dependencies import SECURITY, all_valid

if TYPE_CHECKING:
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.dependencies import Dependency


class PlainRoute:
    """A resolved name, kept for one-shot puts and gets while it `is_current`."""

    def __init__(self, name: str, route: Any, engine: Engine, connection: Connection | None = None) -> None:
        """Keep a route; with a connection whose permissions have not been asked yet, ask them now."""
        self.name = name
        self._all = engine.dependencies
        self._changes = self._all.changes
        self.dependencies = route.dependencies
        self.queue = route.queue
        self.persistent = route.default_persistent
        self.priority = route.default_priority
        self.route = route
        inhibited = route.put_inhibited_by() is not None
        capped = any(expiry_cap(definition) is not None for definition in route.path)
        model = route.first is not None and route.first.kind == "QMODEL"
        shared = route.queue is not None and route.queue.shared is not None
        self.plain = not (shared or route.topic or inhibited or capped or model or route.queue is None)
        if route.choice is not None and not route.remote:
            self.plain = False  # a queue here, or another instance of it
        if self.queue is not None and self.queue.name == COMMAND:
            self.plain = False
        self.away = bool(route.remote)  # to another queue manager
        self.local = not (route.remote or route.topic or model)
        self.simple = self.local and len(route.path) == 1
        first: Any = {} if route.first is None else route.first.attributes
        self.asynchronous = first.get("DEFPRESP") == "ASYNC"  # both are for clients of a network
        self.read_ahead = first.get("DEFREADA") == "YES"
        self.alike: dict[int, tuple[Any, Any]] = {}  # what descriptors became, by put options
        self.alike_while: tuple[Dependency, ...] = ()  # these are valid
        self.checked: Connection | None = None  # the connection that has no authority to get by this route
        if connection is not None and connection.permissions is not None:
            self._ask(engine, connection)

    def is_current(self) -> bool:
        """Return whether nothing has changed that the route depends on."""
        changes = self._all.changes
        if self._changes != changes:
            if not all_valid(self.dependencies):
                return False
            self._changes = changes
        return True

    def _ask(self, engine: Engine, connection: Connection) -> None:
        """Send what is not allowed the long way, where it is refused."""
        permissions = connection.permissions
        assert permissions is not None
        asked = [engine.dependencies.on(SECURITY)]
        if self.route.topic is not None:
            asked.append(engine.dependencies.on("TOPIC"))
        self.dependencies = (*self.dependencies, *asked)
        if authorization.queue_refusal(engine, connection, permissions, self.route, ("PUT",)):
            self.plain = False
        if authorization.queue_refusal(engine, connection, permissions, self.route, ("GET",)):
            self.simple = False
            self.checked = connection

    def check_get(self, engine: Engine, now: float) -> None:
        """Raise what forbids gets along the route."""
        if not self.local:
            raise error(
                mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
                f"{self.route.first.name} is not a local queue",
                object=self.route.first.name,
            )
        if self.checked is not None:
            authorization.check_get(engine, self.checked, self.route, now)
        getting.check_inhibited(engine, self.route, now)
