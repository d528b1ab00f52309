# cython: nonecheck=True
"""A subscription as a publish sees it: its conditions and its destination.

Made from a SUB definition by `subscribing`; `topic_matcher` and `topic_tree` index it, `publishing` asks
`wants` and reads the rest. `plain` says that a copy needs nothing special: no selector, no expiry, a
local queue, properties as properties. Compiled through `subscription.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model._interrupts import python_follows

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.pubsub.topic_string import Pattern
    from penstock.qmgr.queue import Queue

PROXY = "PROXY"  # SUBTYPE
HEADED = ("RFH2", "COMPAT")  # PSPROP that gives a copy a body of its own: a header and the publication's
HEADED_COST = 8  # of such a copy; 1 of others
AS_PUBLISHED, AS_QUEUE = -3, -1  # PUBPRTY(ASPUB), PUBPRTY(ASQDEF)


class Subscription:
    """One subscription in force."""

    def __init__(self, definition: Definition, pattern: Pattern, id: bytes) -> None:
        self.definition = definition
        self.pattern = pattern
        self.id = id
        self.queue: Queue | None = None  # the local queue its messages go to
        self.route: Any = None  # where they go otherwise, until a definition changes
        self.managed = False
        self.durable = True
        self.correl_id: bytes | None = None  # None: as the publisher gave it
        self.user = ""
        self.token: bytes | None = None
        self.identity_data = ""
        self.priority = AS_PUBLISHED
        self.persistence = "ASPUB"  # of its copies (PUBPSIST)
        self.level = 1
        self.selector: Any = None
        self.properties = "MSGPROP"
        self.user_data = ""
        self.on_request = False
        self.expires_at = 0.0
        self.plain = True
        self.grouped = False  # one copy for all of a queue and correlation id (MQSO_GROUP_SUB)
        self.dressed = False  # copies have an identity or properties of their own
        self.removed = False
        self.connection: Any = None  # who has it open
        self.handle: Any = None
        self.resumed = 0.0
        self.last_message = 0.0
        self.count = 0
        self.proxy = False  # it represents the subscriptions of another queue manager
        self.neighbour = ""  # of a proxy: the key of that relation
        self.sent: Any = None  # of a proxy: properties as published and as sent (`republishing.leave`)

    @property
    def name(self) -> str:
        """The name it is found by; a generated one if none was given."""
        return self.definition.name

    def wants(self, message: Message, now: float, evaluations: Any = None) -> bool:
        """Return whether a publication on a topic of its own is for this subscription.

        `evaluations` may have the result of its selector.
        """
        if self.on_request or (self.expires_at and self.expires_at <= now):
            return False
        if self.selector is None:
            return True
        python_follows()
        if evaluations is not None:
            return bool(evaluations.matches(message, self.selector))
        return bool(self.selector.matches(message))

    def __repr__(self) -> str:
        return f"<Subscription {self.definition.name!r} to {self.pattern.text!r}>"
