"""A subscription at the other end of a socket: what both clients' subscriptions know, and their verbs.

The names are those of the embedded one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client import calls, recovery
from penstock.client.core import verbs
from penstock.client.core.steps import Call
from penstock.face.arguments import options_of
from penstock.face.declared import AlterParameters, PublicationGetParameters
from penstock.face.keywords import ALTER, PUBLICATION_GET, completed, takes
from penstock.face.surface import SUBSCRIPTION, shown
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from typing import Unpack

    from penstock.client.core.steps import Connection, Steps
    from penstock.model.message import Message


class SubscriptionFacts:
    """A subscription, as the queue manager described it when it was made."""

    def __init__(self, qm: Connection[Any, Any], facts: list[Any], arguments: dict[str, Any]) -> None:
        self.qm: Any = qm  # each client says what its own are
        self.number, described = facts
        self.arguments = arguments
        self.closed = False
        self.lost: MQError | None = None  # why it could not be made again
        self.describe_as(described)

    def describe_as(self, described: dict[str, Any]) -> None:
        """Take over the queue manager's description of the subscription."""
        self.name: str = described["name"]
        self.id = bytes.fromhex(described["id"])
        self.topic: str = described["topic"]
        self.queue: str = described["queue"]
        self.durable: bool = described["durable"]
        self.options: int = described["options"]

    @property
    def where(self) -> dict[str, Any]:
        """What a call names the subscription by."""
        return {"subscription": self.number}

    def check(self) -> None:
        """Raise 2018 or 2019 when the connection or the subscription is closed, or why it is lost."""
        self.qm.check_open()
        if self.closed:
            raise error(mq.MQRC_HOBJ_ERROR, "the subscription is closed")
        if self.lost is not None:
            raise error(self.lost.reason, self.lost.detail)

    def reopen(self) -> Steps[None]:
        """Subscribe on a new link; what is durable is resumed as it is."""
        if self.closed:
            return
        arguments = recovery.resuming(self.arguments) if self.durable else self.arguments
        try:
            self.number, described = yield Call("subscribe", arguments)
        except MQError as failure:
            if failure.reason in calls.GONE:
                raise
            self.lost = recovery.not_reopened(self.name or self.topic, failure)
        else:
            self.lost = None
            self.describe_as(described)

    def is_usable(self) -> bool:
        """Return whether it can still be closed."""
        return not self.closed and not self.qm.closed and self.qm.link.failure is None

    def describe(self) -> dict[str, Any]:
        """Return the attributes of the subscription as plain data."""
        names = ("name", "topic", "queue", "durable", "options")
        return {"id": self.id.hex().upper(), **{name: getattr(self, name) for name in names}}

    def __dir__(self) -> list[str]:
        return shown(self, SUBSCRIPTION)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name or self.topic!r}{' closed' if self.closed else ''}>"


@takes(PublicationGetParameters, PUBLICATION_GET)
def get(self: SubscriptionFacts, **parameters: Unpack[PublicationGetParameters]) -> Steps[Message | None]:
    """Get a publication, or None when there is none (after `wait` seconds; None waits for ever)."""
    self.check()
    asked = completed(get, PUBLICATION_GET, parameters)
    wanted = asked["options"] = options_of(asked["options"])
    given = calls.get_details(asked)
    return (yield from verbs.get_in_full(self.qm, self.where, given, wanted, self.queue))


def request(self: SubscriptionFacts) -> Steps[int]:
    """Request retained publications (MQSUBRQ); return their number."""
    self.check()
    return int((yield Call("request_retained", self.where)))


@takes(AlterParameters, ALTER)
def alter(self: SubscriptionFacts, **parameters: Unpack[AlterParameters]) -> Steps[None]:
    """Change the given attributes only (MQSO_ALTER)."""
    self.check()
    changes = completed(alter, ALTER, parameters)
    yield Call("alter_subscription", {**self.where, "changes": changes})


def close(self: SubscriptionFacts, *, remove: bool = False) -> Steps[None]:
    """Close the subscription: a durable one stays, unless it is to be removed."""
    self.qm.check_open()
    if not self.closed:
        yield Call("close_subscription", {**self.where, "remove": remove})
        self.closed = True
