"""Round trips between two queue managers: requesters at one, servers at the other, channels both ways.

Every pair of channels has a transmission queue at each end. A request goes to a remote queue of its channel,
the reply comes back by the partner of that channel to the common reply queue or to the requester's own. The
applications are local to their queue manager, as in the report. No clock and no connections here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.lab.load.arrangement import Arrangement, queue, rated, shares
from penstock.lab.load.roles import Spec

if TYPE_CHECKING:
    from penstock.lab.load.system_under_test import Subject

TRIGGER = "USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ)"
TLS = "SSLCIPH(ANY_TLS12_OR_HIGHER)"
SERVERS = 5


@dataclass(frozen=True)
class Channels:
    """The channels of one test between two queue managers: their names begin with a prefix."""

    prefix: str
    near: Subject
    far: Subject
    tls: bool

    def pair(self, number: int | str) -> tuple[list[str], list[str]]:
        """Return the definitions of a pair of channels at the near and at the far queue manager."""
        near, far = self._one_way(self.near, self.far, number), self._one_way(self.far, self.near, number)
        return near[0] + far[1], near[1] + far[0]

    def remote(self, source: Subject, name: str, target: str, number: int | str) -> str:
        """Return the definition of a remote queue whose messages take the channel of that number."""
        there = (self.far if source is self.near else self.near).name
        through = f"RQMNAME({there}) XMITQ('{self._transmission(there, number)}')"
        return f"DEFINE QREMOTE('{name}') RNAME('{target}') {through}"

    def _one_way(self, source: Subject, target: Subject, number: int | str) -> tuple[list[str], list[str]]:
        name = f"{self.prefix}{source.name[0]}.{target.name[0]}.{number}"
        through = self._transmission(target.name, number)
        tls = TLS if self.tls else ""
        sender = f"CHLTYPE(SDR) XMITQ('{through}') CONNAME('{target.place}') {tls}"
        receiver = f"CHLTYPE(RCVR) {tls} {'SSLCAUTH(OPTIONAL)' if tls else ''}"
        return (
            [queue(through, TRIGGER), f"DEFINE CHANNEL('{name}') {sender}"],
            [f"DEFINE CHANNEL('{name}') {receiver}"],
        )

    def _transmission(self, target: str, number: int | str) -> str:
        return f"{self.prefix}{target}.{number}"


def round_trips(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Requesters here and servers there; `channels` pairs for all, or a pair for each application."""
    applications, pace = int(load.get("applications", 1)), load.get("pace")
    channels = Channels(prefix, subject, subject.far, bool(load.get("tls")))
    if channels.tls:
        subject.trust_each_other()
    made = Arrangement("driver", "round trips")
    requests, replies, persistent = f"{prefix}REQUESTS", f"{prefix}REPLIES", bool(load.get("persistent"))
    made.definitions.append(queue(replies))
    made.elsewhere[channels.far.name].append(queue(requests))
    own_channel, common = load["work"] == "connections", int(load.get("channels", 1))
    for number in () if own_channel else range(common):
        _join(made, channels, number)
    server = {"requests": requests, "persistent": persistent, "unit": bool(load.get("unit"))}
    made.add_servers(subject.far, server, int(load.get("servers", SERVERS)), load.get("server_via", "local"))
    about = {"way": subject.way("local"), "size": int(load.get("bytes", 2048)), "persistent": persistent}
    for number, share in enumerate(shares(applications, bool(pace))):
        if own_channel:
            names = _channel_for_each(made, channels, number, share)
        else:
            names = _common_channel(made, channels, number, number % common, share, load.get("own_queue"))
        made.specs.append(Spec("driver", "request", {**about, **names, "applications": share, "pace": pace}))
    rated(made, pace, applications)
    made.messages = 2.0
    return made


def _join(made: Arrangement, channels: Channels, number: int | str) -> None:
    """Define a pair of channels, the way to the requests and the way back to the common reply queue."""
    prefix = channels.prefix
    near, far = channels.pair(number)
    near.append(channels.remote(channels.near, f"{prefix}REQUESTS.{number}", f"{prefix}REQUESTS", number))
    near.append(f"DEFINE QALIAS('{prefix}REPLIES.{number}') TARGET('{prefix}REPLIES')")
    far.append(channels.remote(channels.far, f"{prefix}REPLIES.{number}", f"{prefix}REPLIES", number))
    made.definitions += near
    made.elsewhere[channels.far.name] += far
    made.channel_ends += 4


def _channel_for_each(made: Arrangement, channels: Channels, number: int, share: int) -> dict[str, Any]:
    for place in range(share):
        _join(made, channels, f"{number}.{place}")
    prefix = channels.prefix
    return {
        "requests": f"{prefix}REQUESTS.{number}",
        "replies": f"{prefix}REPLIES.{number}",
        "own_channel": True,
    }


def _common_channel(
    made: Arrangement, channels: Channels, number: int, channel: int, share: int, own_queue: Any
) -> dict[str, Any]:
    prefix = channels.prefix
    names: dict[str, Any] = {"requests": f"{prefix}REQUESTS.{channel}"}
    if not own_queue:
        return {**names, "replies": f"{prefix}REPLIES.{channel}"}
    for reply in (f"{prefix}OWN.{number}.{place}" for place in range(share)):
        made.definitions.append(queue(reply))
        made.elsewhere[channels.far.name].append(channels.remote(channels.far, reply, reply, channel))
    return {**names, "replies": f"{prefix}OWN.{number}", "own_queue": True}
