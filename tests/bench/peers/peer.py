"""What the comparison needs of a system: start and stop its servers, and play the roles of its clients.

A role is a method that connects, calls `role.ready()`, then works for ever and counts; it runs in a process
of its own and ends by being killed. A system that has no such role leaves it out and the scenario passes
it over. Nothing here knows what is compared with what.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.lab.load.crew import Role
    from penstock.lab.load.server_process import ServerProcess


@dataclass(frozen=True)
class Work:
    """What one run is about; the name is new in each run, so that no backlog leaks into the next."""

    name: str
    body: bytes
    durable: bool = False


class Peer:
    """A system under comparison."""

    key = ""  # how the command line calls it
    name = ""  # how the tables call it
    client = ""  # the distribution whose version the report names
    durability = "synced before the confirm"

    def __init__(self) -> None:
        self.servers: list[ServerProcess] = []

    @property
    def sessions(self) -> set[int]:
        """The sessions whose processor time is the server's."""
        return {server.session for server in self.servers}

    def missing(self) -> str:
        """Say what has to be installed before this system can run; empty when it can."""
        return ""

    def version(self) -> str:
        """Return the server's version."""
        return ""

    def start(self, folder: Path) -> None:
        """Start its servers on ports of their own, with their data in a new folder."""
        raise NotImplementedError

    def stop(self) -> None:
        """Stop what was started, in reverse order."""
        while self.servers:
            self.servers.pop().stop()

    def prepare(self, work: Work) -> None:
        """Define the queue of a run."""

    def clean(self, work: Work) -> None:
        """Remove the queue of a run and what is left on it."""

    def requester(self, role: Role, work: Work) -> None:
        """Send a request, wait for its reply, count, and again."""
        raise NotImplementedError

    def replier(self, role: Role, work: Work) -> None:
        """Answer requests with their own body."""
        raise NotImplementedError

    def producer(self, role: Role, work: Work) -> None:
        """Send as fast as the client allows, in batches where it has them."""
        raise NotImplementedError

    def consumer(self, role: Role, work: Work) -> None:
        """Receive and count; acknowledge when the work is durable."""
        raise NotImplementedError

    def confirmed_producer(self, role: Role, work: Work) -> None:
        """Send durable messages one at a time, each after the confirm of the one before."""
        raise NotImplementedError

    def batch_producer(self, role: Role, work: Work) -> None:
        """Send durable messages a hundred at a time, each hundred after the confirms of the one before."""
        raise NotImplementedError

    def publisher(self, role: Role, work: Work) -> None:
        """Publish as fast as the client allows."""
        raise NotImplementedError

    def subscriber(self, role: Role, work: Work, subscriptions: int) -> None:
        """Hold some subscriptions and count what they deliver."""
        raise NotImplementedError


def version_line(text: str) -> str:
    """Return the first word of a text that looks like a version.

    >>> version_line("nats-server: v2.9.10"), version_line("Redis server v=7.0.15 sha=0")
    ('2.9.10', '7.0.15')
    """
    for word in text.replace("=", " ").split():
        number = word.lstrip("v")
        if number[:1].isdigit() and "." in number:
            return number
    return ""
