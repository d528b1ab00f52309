"""Who has sent a repository message: noted by the receiving channel where no program can write.

The note is the message's onward part. Programs cannot set one on a message for a local queue, and copies
(reports, streams, publications) do not have it, so a message without it did not come by a cluster channel.
The channel knows its partner by the greeting that CHLAUTH has admitted; nothing in the message counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.model.onward import ARRIVED, Onward

if TYPE_CHECKING:
    from penstock.model.message import Message


class Sender(NamedTuple):
    """The partner of a cluster receiver channel."""

    qmid: str
    qmgr: str
    channel: str  # the CLUSRCVR


def sign(message: Message, sender: Sender) -> None:
    """Note on a message who has sent it."""
    message.properties = None
    channel = sender.channel.encode().ljust(24)
    message.onward = Onward(
        sender.qmgr, sender.qmid, message.descriptor, channel, message.put_time, 0, message.msg_id, ARRIVED
    )


def sender_of(message: Message) -> Sender | None:
    """Return who has sent a message; None if no cluster channel has put it."""
    onward = message.onward
    if onward is None or onward.bind != ARRIVED:
        return None
    return Sender(onward.qmgr, onward.queue, onward.correl_id.decode("ascii", "replace").strip())
