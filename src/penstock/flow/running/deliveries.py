"""What a listener remembers of messages between their deliveries, for the newest of them.

Backouts that a batch does not hold against its messages: a process was killed with all of them, or another
instance has put a batch back. Also the last failure of each, and how often it ran again after a refused
destination list. Other instances may have finished a message, so what is remembered is limited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.running.unit_runner import AGAIN_MAX
from penstock.model import constants as mq

if TYPE_CHECKING:
    from penstock.model.errors import MessageFailed
    from penstock.model.message import Message

# From SUSPICIOUS backouts on messages run one by one, so that one that kills a process is found.
SUSPICIOUS, EXCUSED_MAX = 5, 20
REMEMBERED_MAX = 10_000  # messages


class Deliveries:
    """The messages of one input, by id."""

    def __init__(self) -> None:
        self.excused: dict[bytes, int] = {}  # backouts that are not the message's fault
        self.last_failures: dict[bytes, MessageFailed] = {}
        self._again: dict[bytes, int] = {}  # runs of messages whose destination lists were refused

    def excuse_elsewhere(self, messages: list[Message]) -> bool:
        """Ignore backouts of messages that happened elsewhere; True if they should run one by one."""
        suspicious = False
        for message in messages:
            count = message.backout_count
            if count and message.msg_id not in self.excused:
                self._excuse(message, min(count, EXCUSED_MAX))
                suspicious = suspicious or count >= SUSPICIOUS
        return suspicious

    def excuse(self, message: Message) -> None:
        """Ignore one more backout of a message."""
        self._excuse(message, self.excused.get(message.msg_id, 0) + 1)

    def count(self, message: Message) -> int:
        """Return how many backouts count against a message."""
        return max(0, message.backout_count - self.excused.get(message.msg_id, 0))

    def blame(self, message: Message, failure: MessageFailed) -> None:
        """Remember why a message was backed out: this backout is its own."""
        self.note_failure(message, failure)
        self._excuse(message, self.excused.get(message.msg_id, 0))

    def note_failure(self, message: Message, failure: MessageFailed) -> None:
        """Remember the last failure of a message."""
        self.last_failures[message.msg_id] = failure
        _keep_newest(self.last_failures)

    def runs_again(self, message: Message, failure: MessageFailed) -> bool:
        """Return whether a message runs again after a refused list, which may name other queues each time."""
        if failure.reason != mq.PSRC_FLOW_LIST_AGAIN:
            return False
        self._again[message.msg_id] = turns = self._again.get(message.msg_id, 0) + 1
        _keep_newest(self._again)
        return turns <= AGAIN_MAX

    def forget(self, message: Message) -> None:
        """Forget a message that is done."""
        self._again.pop(message.msg_id, None)
        self.excused.pop(message.msg_id, None)
        self.last_failures.pop(message.msg_id, None)

    def _excuse(self, message: Message, backouts: int) -> None:
        self.excused[message.msg_id] = backouts
        _keep_newest(self.excused)


def _keep_newest(known: dict[bytes, Any]) -> None:
    if len(known) > REMEMBERED_MAX:
        del known[next(iter(known))]
