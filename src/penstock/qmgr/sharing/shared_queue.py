"""A shared queue as one member sees it: settings, the depth of the group, and what was claimed a moment ago.

Its messages are in the facility. Its lanes hold only messages that a claim has made this member's and that no
get has taken yet: the get that wished them takes them when it is made again. So a checkpoint finds nothing
here. Made by `definitions.install` for QSGDISP(SHARED); the verbs are in `sharing`.
Invariant: a message in a lane is claimed in the facility by this member.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.catalogue.attributes import custom_values
from penstock.qmgr.queue import Queue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.sharing.wishes import Row

SHARED_IDS = 1 << 40  # a definition's id is its number in the facility plus this: no local object has it
HIGHEST = 9


class NoGroup:
    """Stands in for `Sharing` while a queue manager with shared queues is in no group."""

    def __getattr__(self, verb: str) -> Any:
        detail = "the queue is shared, and this queue manager is not connected to its group"
        raise error(mq.MQRC_CF_NOT_AVAILABLE, detail)


class SharedQueue(Queue):
    """A queue whose messages every member of the group may get."""

    def __init__(self, definition: Definition) -> None:
        self.structure = ""
        self.index_type = "NONE"
        self.wakes = 0  # how often something may have come since this member started
        self.member_inputs = 0  # of the other members
        self.member_outputs = 0
        self.claimed: dict[Message, tuple[Row, float]] = {}  # messages in lanes: their rows, when they came
        self.locks: dict[Handle, tuple[Row, Message]] = {}  # messages that browses have locked, in no lane
        super().__init__(definition)

    @property
    def number(self) -> int:
        """The queue's number in the facility."""
        return int(self.id - SHARED_IDS)

    def apply(self, definition: Definition) -> None:
        """Take over attributes, also those of shared queues."""
        super().apply(definition)
        self.structure = str(definition.attributes.get("CFSTRUCT", ""))
        self.index_type = str(definition.attributes.get("INDXTYPE", "NONE"))

    def take_in(self, message: Message, row: Row, now: float) -> None:
        """Link a message that is this member's now; its token is the same at every member."""
        self.link(message)
        message.place = message.seq
        self.claimed[message] = row, now

    def lane_of(self, message: Message) -> int:
        """Return the lane of a message in the facility: the first is delivered first."""
        priority = message.priority if self.by_priority else self.default_priority
        return HIGHEST - min(priority, HIGHEST)

    def key_of(self, message: Message) -> bytes | None:
        """Return the id that the queue is indexed by."""
        if self.index_type == "MSGID":
            return bytes(message.msg_id)
        if self.index_type == "CORRELID":
            return bytes(message.correl_id)
        if self.index_type == "GROUPID":
            return bytes(message.descriptor.group_id)
        return None


def refusal(attributes: Mapping[str, Any]) -> str:
    """Return why a queue with these attributes cannot be shared, empty if it can."""
    if "BACKOUT" in custom_values(str(attributes.get("CUSTOM", ""))):
        return "CUSTOM('BACKOUT(MOVE)') is not done for shared queues"
    return ""
