"""Client connections of a uniform cluster, moved between its members until each has the same number.

A client that can be moved says so in its greeting: it reconnects to any host of several. It is sent a GOODBYE
with the name of the member that lacks instances; then it may finish units of work, and everything else is
refused with 2161, so the client moves at its next call and nothing is lost or done twice. The counts and
the plan are `qmgr.clusters.applications`'. DISPLAY APSTATUS shows them. Runs in the loop.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from penstock.model.status import ApplicationStatus
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable, Iterator

    from penstock.admin.mqsc import Request
    from penstock.admin.replies import Pause, Reply
    from penstock.protocol.hello import Greeting
    from penstock.qmgr.clusters.applications import Counts
    from penstock.serve.link import Link
    from penstock.serve.server import Server

LOOK_SECONDS = 1.0
SETTLE_SECONDS = 3.0  # after moves of an application: their arrival is reported meanwhile
NOT_AGAIN_SECONDS = 600.0  # a client that did not get to the member that it was sent to stays


class Balancing:
    """The movable clients of one server."""

    verbs: frozenset[str] = frozenset()

    def __init__(self, server: Server) -> None:
        self._server = server
        self._applications = server.engine.clusters.applications
        self._movable: WeakKeyDictionary[Link, float] = WeakKeyDictionary()  # from when on
        self._moved: dict[
            str, float
        ] = {}  # when an application was moved last; of the clock that nobody sets
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
        if hello.facts.get("moves") is True:
            sent_to = hello.text("sent_to")
            came_back = bool(sent_to) and sent_to != self._server.engine.name
            self._movable[link] = self._server.clock() + (NOT_AGAIN_SECONDS if came_back else 0.0)

    # -- counting and moving ---------------------------------------------------------------

    def _look(self) -> None:
        server = self._server
        self._timer = server.loop.call_later(LOOK_SECONDS, self._look)
        found = self._links()
        counts = self._counts(found)
        moment = server.clock()
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
            self._move(found.get(name, []), to, number)

    def _links(self) -> dict[str, list[Link]]:
        """Return the client connections by application."""
        found: dict[str, list[Link]] = {}
        for link in self._server.links:
            if link.welcome and not link.closed and not link.ending and not link.commands_only:
                for conversation in link.conversations.values():
                    found.setdefault(conversation.qm.connection.application, []).append(link)
                    break
        return found

    def _counts(self, found: dict[str, list[Link]]) -> Counts:
        counts = {}
        for name, links in found.items():
            remote = [each for each in links if not each.peer.local]
            instances = sum(len(each.conversations) for each in remote)
            movable = sum(len(each.conversations) for each in remote if self._may_move(each))
            if instances:
                counts[name] = (instances, movable)
        return counts

    def _may_move(self, link: Link) -> bool:
        since = self._movable.get(link)
        return since is not None and self._server.clock() >= since

    def _move(self, links: list[Link], to: str, number: int) -> None:
        """Send instances of an application to another member; those without a unit of work first."""
        for link in sorted(links, key=lambda each: each.has_units()):
            instances = len(link.conversations)
            if number >= instances > 0 and self._may_move(link) and not link.ending and to:
                number -= instances
                send_to(link, to)

    # -- DISPLAY APSTATUS ------------------------------------------------------------------

    def command(self, request: Request) -> Iterable[Reply | Pause]:
        """There are no commands."""
        return ()

    def status(self) -> Iterator[ApplicationStatus]:
        """Return rows of all three types: of an application, of its members, of its local instances."""
        applications, now = self._applications, time.time()
        found = self._links()
        applications.own = self._counts(found)
        for name in applications.names(now):
            yield from self._rows(name, now)
            for link in found.get(name, ()):
                if not link.peer.local:
                    yield self._local_row(name, link)

    def _rows(self, name: str, now: float) -> Iterator[ApplicationStatus]:
        applications = self._applications
        counts, quotas = applications.of(name, now), applications.quotas(name, now)
        cluster = applications.cluster
        even = all(count == quotas[qmid] for qmid, (count, _) in counts.items())
        yield ApplicationStatus(
            applname=name,
            type="APPL",
            cluster=cluster,
            balanced=("YES" if even else "NO") if cluster else "NOTAPPLIC",
            count=sum(count for count, _ in counts.values()),
            movcount=sum(movable for _, movable in counts.values()),
        )
        for qmid, (count, movable) in sorted(counts.items()):
            state = "HIGH" if count > quotas[qmid] else "LOW" if count < quotas[qmid] else "OK"
            yield ApplicationStatus(
                applname=name,
                type="QMGR",
                cluster=cluster,
                qmname=applications.name_of(qmid),
                qmid=qmid,
                active="YES",
                balstate=state if cluster else "NOTAPPLIC",
                count=count,
                movcount=movable,
            )

    def _local_row(self, name: str, link: Link) -> ApplicationStatus:
        movable = self._may_move(link)
        reason = "NONE" if movable else ("MOVING" if link in self._movable else "NOTRECONN")
        return ApplicationStatus(
            applname=name,
            type="LOCAL",
            cluster=self._applications.cluster,
            channel=link.channel,
            conns=len(link.conversations),
            movable="YES" if movable else "NO",
            immreasn=reason if self._applications.cluster else "NOTUNIFORM",
        )


def send_to(link: Link, member: str) -> None:
    """Send a client to another member."""
    link.ending = "move"
    link.out.frame(protocol.GOODBYE, 0, 0, 0, 0, f"move {member}".encode())
    link.write()
    for conversation in list(link.conversations.values()):
        conversation.gets.quiesce()
