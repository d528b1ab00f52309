"""Groups of requests: which replies belong to a group, and when it ends. No I/O, no clock.

GroupScatter and GroupGather keep events on the queue of the group: the requests that were sent, and every
reply. GroupComplete reads them, in any order: a reply may come before the event of its group.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.aggregation.stored_reply import StoredReply
from penstock.flow.events.event import PREFIX, Event
from penstock.model.message import Message as QueueMessage

if TYPE_CHECKING:
    from penstock.flow.ports import Ports

CREATED, REPLY = "created", "reply"  # what an event on the queue of a group is


class GroupRequest(NamedTuple):
    """A request of a group: the identifier that its reply will carry, and the folder for that reply."""

    reply_identifier: bytes
    folder: str


@dataclass
class Group:
    """A group of requests; `deadline` is None if it waits for ever."""

    identity: bytes
    requests: list[GroupRequest]
    deadline: float | None
    context: list[Any] | None
    persistent: bool
    replies: dict[bytes, Event] = field(default_factory=dict)

    def takes(self, event: Event) -> bool:
        """Return whether an event is a missing reply that came in time."""
        key = bytes.fromhex(event.group)
        late = self.deadline is not None and event.came > self.deadline
        return (
            not late
            and key not in self.replies
            and any(key == each.reply_identifier for each in self.requests)
        )

    @property
    def is_complete(self) -> bool:
        """Whether every request has its reply."""
        return len(self.replies) == len({each.reply_identifier for each in self.requests})


class Groups:
    """The groups of a GroupComplete, and the replies that belong to none."""

    def __init__(self) -> None:
        self.open: list[Group] = []
        self.unknown: dict[bytes, Event] = {}

    def add(self, event: Event) -> None:
        """Learn of a group or a reply."""
        if event.terminal == CREATED:
            self._create(group_of(event))
        elif event.terminal == REPLY:
            self._answer(event)

    def _create(self, group: Group) -> None:
        self.open.append(group)
        for event in [each for each in self.unknown.values() if group.takes(each)]:
            if group.takes(event):
                group.replies[bytes.fromhex(event.group)] = self.unknown.pop(event.identity)

    def _answer(self, event: Event) -> None:
        for group in self.open:
            if group.takes(event):
                group.replies[bytes.fromhex(event.group)] = event
                return
        self.unknown[event.identity] = event

    def complete(self) -> list[Group]:
        """Return the groups with all replies."""
        return [each for each in self.open if each.is_complete]

    def expired(self, now: float) -> list[Group]:
        """Return the groups whose time is over."""
        return [
            each
            for each in self.open
            if each.deadline is not None and each.deadline <= now and not each.is_complete
        ]

    def given_up(self, now: float) -> list[Event]:
        """Return the replies that have waited long enough for a group."""
        return [each for each in self.unknown.values() if unknown_until(each) <= now]

    def due(self) -> float | None:
        """Return when a group or an unknown reply is over; None for never."""
        times = [each.deadline for each in self.open if each.deadline is not None]
        return min([*times, *map(unknown_until, self.unknown.values())], default=None)


def unknown_until(event: Event) -> float:
    """Return until when a reply waits for its group; its number is the time in milliseconds."""
    return event.came + event.number / 1000


def queue_of_group(name: str) -> str:
    """Return the queue of a group's events."""
    return PREFIX + blake2b(f"group\0{name}".encode(), digest_size=8).hexdigest().upper()


def created(
    ports: Ports, requests: list[GroupRequest], timeout: float, context: list[Any] | None, persistent: bool
) -> Event:
    """Return the event of a new group; with `timeout` 0 it waits for ever."""
    now = ports.clock()
    facts = {
        "requests": [[each.reply_identifier.hex(), each.folder] for each in requests],
        "deadline": now + timeout if timeout else None,
        "context": context,
    }
    body = QueueMessage(json.dumps(facts).encode(), persistent=persistent)
    return Event(ports.new_id(), CREATED, "", 0, now, StoredReply(body, ("BLOB", "", "", "")))


def group_of(event: Event) -> Group:
    """Return the group in its event."""
    facts = json.loads(event.stored.body)
    requests = [GroupRequest(bytes.fromhex(each), folder) for each, folder in facts["requests"]]
    return Group(
        event.identity, requests, facts["deadline"], facts["context"], event.stored.message.persistent
    )
