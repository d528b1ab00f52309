"""Queue managers and the message channels between them, as a map with the number of waiting messages.

`network` joins the channels of several queue managers. It opens no queue manager and prints nothing:
`penstock map` does both. A target is known by the running channel, by the remote queues that use its
transmission queue, or by the name of that queue; otherwise it is shown by its address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from penstock.tools.channel_facts import SENDING, ChannelFacts

if TYPE_CHECKING:
    from collections.abc import Iterable


NOWHERE = "?"  # where a channel without XMITQ and CONNAME leads


class Member(msgspec.Struct, frozen=True):
    """A queue manager of the map."""

    name: str
    state: str  # Running, Stopped ..., or "not in this home"


class NetworkMap(msgspec.Struct, frozen=True):
    """All of it; `channels` are those that send, from their queue manager to their partner."""

    queue_managers: list[Member]
    channels: list[ChannelFacts]


def network(states: dict[str, str], channels: Iterable[ChannelFacts]) -> NetworkMap:
    """Return the map of queue managers with these states and of those that they send to."""
    sending = [_leading_somewhere(each) for each in channels if each.type in SENDING]
    sending.sort(key=lambda each: (each.queue_manager, each.partner, each.channel))
    names = dict.fromkeys([*states, *(each.partner for each in sending)])
    states = {NOWHERE: "no transmission queue", **states}
    return NetworkMap([Member(name, states.get(name, "not in this home")) for name in names], sending)


def _leading_somewhere(channel: ChannelFacts) -> ChannelFacts:
    return channel if channel.partner else msgspec.structs.replace(channel, partner=NOWHERE)
