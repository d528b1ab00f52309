"""Client connections of a uniform cluster, moved between its members until each has the same number.

A client that can be moved says so in its greeting: it reconnects to any host of several. It is sent a GOODBYE
with the name of the member that lacks instances; then it may finish units of work, and everything else is
refused with 2161, so the client moves at its next call and nothing is lost or done twice. `movable.py` is one
client; connections with the same tag are one instance, and move together. The counts and the plan are
`qmgr.clusters.applications`'. `application_status.py` shows them. Runs in the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from penstock.serve.uniform_clusters import application_status
from penstock.serve.uniform_clusters.movable import Instance, Movable, movable

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable, Iterator

    from penstock.admin.mqsc import Request
    from penstock.admin.replies import Pause, Reply
    from penstock.model.status import ApplicationStatus
    from penstock.protocol.hello import Greeting
    from penstock.qmgr.clusters.applications import Counts
    from penstock.serve.link import Link
    from penstock.serve.server import Server

LOOK_SECONDS = 1.0
SETTLE_SECONDS = 3.0  # after moves of an application: their arrival is reported meanwhile


class Balancing:
    """The movable clients of one server."""

    verbs: frozenset[str] = frozenset()

    def __init__(self, server: Server) -> None:
        self._server = server
        self._applications = server.engine.clusters.applications
        self._movable: WeakKeyDictionary[Link, Movable] = WeakKeyDictionary()
        self._moved: dict[str, float] = {}  # when an application was moved last, by the server's clock
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, cluster: str) -> None:
        """Balance clients in a uniform cluster; without one they are only counted."""
        self._applications.cluster = cluster
        if cluster:
            self._look()

    def close(self) -> None:
        """Stop; the loop ends."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def enter(self, link: Link, hello: Greeting) -> None:
        """Note whether a new client can be moved."""
        client = movable(hello, self._server.engine.name, self._server.clock())
        if client is not None:
            self._movable[link] = client

    # -- counting and moving ---------------------------------------------------------------

    def _look(self) -> None:
        server = self._server
        self._timer = server.loop.call_later(LOOK_SECONDS, self._look)
        moment = server.clock()
        for link, client in list(self._movable.items()):
            client.hurry(link, moment)
        found = self._by_application()
        counts = self._counts(found)
        due: list[tuple[str, str, int]] = []

        def look(now: float) -> None:
            self._applications.count(counts, now)
            for name in counts:
                if moment - self._moved.get(name, -1e9) >= SETTLE_SECONDS:
                    own = self._applications.clusters.qmid
                    moves = [each for each in self._applications.moves(name, now) if each[0] == own]
                    due.extend((name, self._applications.name_of(to), number) for _, to, number in moves)
                    if moves:
                        self._moved[name] = moment

        server.message_channels.step(look)
        for name, to, number in due:
            if to:
                self._move(found.get(name, []), to, number)

    def instances(self) -> list[Instance]:
        """Return all instances of applications over a network, also those that are asked to go."""
        found: dict[object, Instance] = {}
        for link in self._server.links:
            if not (link.welcome and link.conversations and not link.closed) or link.commands_only:
                continue
            client = self._movable.get(link)
            application = next(iter(link.conversations.values())).qm.connection.application
            key = (application, client.tag) if client is not None and client.tag else link
            if not link.peer.local:
                found.setdefault(key, Instance(application)).add(link, client)
        return list(found.values())

    def _by_application(self) -> dict[str, list[Instance]]:
        """Return the instances that stay, by application."""
        found: dict[str, list[Instance]] = {}
        for each in self.instances():
            if not each.goes():
                found.setdefault(each.application, []).append(each)
        return found

    def _counts(self, found: dict[str, list[Instance]]) -> Counts:
        moment = self._server.clock()
        return {
            name: (
                sum(each.size for each in instances),
                sum(each.size for each in instances if each.may_move(moment)),
            )
            for name, instances in found.items()
        }

    def _move(self, instances: list[Instance], to: str, number: int) -> None:
        """Send instances of an application to another member; those without a unit of work first."""
        moment = self._server.clock()
        for each in sorted(instances, key=Instance.in_unit):
            if number >= each.size and each.may_move(moment):
                number -= each.size
                each.ask(to, moment)

    # -- DISPLAY APSTATUS ------------------------------------------------------------------

    def command(self, request: Request) -> Iterable[Reply | Pause]:
        """There are no commands."""
        return ()

    def status(self) -> Iterator[ApplicationStatus]:
        """Return rows of all three types: of an application, of its members, of its local instances."""
        self._applications.own = self._counts(self._by_application())
        return application_status.rows(self._applications, self.instances(), self._server.clock())
