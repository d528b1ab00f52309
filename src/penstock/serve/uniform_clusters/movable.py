"""Client connections that a uniform cluster may move: what they have asked for (MQBNO), when they are ended.

A client is asked to go by GOODBYE. Then it may finish units of work; everything else is refused with 2161,
and it goes. One that awaits replies decides itself when to go. When time is up an open unit is backed out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from penstock.protocol.hello import Greeting
    from penstock.serve.link import Link

NOT_AGAIN_SECONDS = 600.0  # a client that did not get to the member that it was sent to stays
DEFAULT = ["SIMPLE", 10.0, False]  # MQBNO's, for a client that sends none
TAG_LENGTH_MAX = 128


@dataclass(slots=True, weakref_slot=True)
class Movable:
    """One client that can be moved."""

    since: float  # from when on, by the server's clock
    returned: bool  # it did not get to the member that it was sent to
    type: str
    timeout: float  # infinite: never interrupted
    ignores_units: bool
    tag: str
    asked: float = math.inf  # when it was asked to go

    def may_move(self, moment: float) -> bool:
        """Return whether it may be asked now."""
        return moment >= self.since and self.asked == math.inf

    def ask(self, link: Link, member: str, moment: float) -> None:
        """Send the client to another member."""
        self.asked = moment
        link.out.frame(protocol.GOODBYE, 0, 0, 0, 0, f"move {member}".encode())
        link.write()
        if self.type != "REQREP":
            _refuse(link)

    def hurry(self, link: Link, moment: float) -> None:
        """Interrupt a client that has been asked and whose time is up."""
        in_unit = any(each.units.units for each in link.conversations.values())
        patience = 0.0 if in_unit and self.ignores_units else self.timeout
        if moment - self.asked < patience or link.closed:
            return
        if in_unit:
            link.close_when_written(moment)
        elif not link.ending:
            _refuse(link)


@dataclass(slots=True)
class Instance:
    """An instance of an application: one socket, or those of movable clients with the same connection tag."""

    application: str
    tag: str = ""
    clients: list[tuple[Link, Movable | None]] = field(default_factory=list)

    def add(self, link: Link, client: Movable | None) -> None:
        """Add a socket."""
        self.clients.append((link, client))
        self.tag = client.tag if client is not None else ""

    @property
    def connections(self) -> int:
        """How many connections it has."""
        return sum(len(link.conversations) for link, _ in self.clients)

    @property
    def size(self) -> int:
        """As how many instances it counts: connections that share a socket without a tag are one each."""
        return 1 if self.tag else self.connections

    def may_move(self, moment: float) -> bool:
        """Return whether it may be asked to go now."""
        return all(client is not None and client.may_move(moment) for _, client in self.clients)

    def goes(self) -> bool:
        """Return whether it ends, or was asked to go."""
        return any(link.ending or (client and client.asked < math.inf) for link, client in self.clients)

    def in_unit(self) -> bool:
        """Return whether it has a unit of work, or a long call under way."""
        return any(link.has_units() for link, _ in self.clients)

    def ask(self, member: str, moment: float) -> None:
        """Send it to another member."""
        for link, client in self.clients:
            if client is not None:
                client.ask(link, member, moment)


def _refuse(link: Link) -> None:
    """Refuse everything but open units of work."""
    link.ending = "move"
    for conversation in list(link.conversations.values()):
        conversation.gets.quiesce()


def movable(hello: Greeting, own_name: str, moment: float) -> Movable | None:
    """Return what a greeting says about moving; None if the client cannot move, ValueError for nonsense."""
    if hello.facts.get("moves") is not True:
        return None
    given = hello.facts.get("balancing", DEFAULT)
    if not (isinstance(given, list) and len(given) == len(DEFAULT)):
        raise ValueError("balancing is not of three values")
    kind, timeout, ignores = given
    seconds = math.inf if timeout is None else timeout
    if kind not in ("SIMPLE", "REQREP") or not isinstance(seconds, (int, float)) or not seconds >= 0:
        raise ValueError("balancing is of an unknown type, or its timeout is no number")
    sent_to = hello.text("sent_to")
    returned = bool(sent_to) and sent_to != own_name
    tag = hello.text("connection_tag")[:TAG_LENGTH_MAX]
    since = moment + (NOT_AGAIN_SECONDS if returned else 0.0)
    return Movable(since, returned, kind, float(seconds), ignores is True, tag)
