"""Detection of lost peers: heartbeats on idle links, and the kernel's keepalive probes beneath them.

A client that waits for nothing does not read, so a blocking one cannot answer heartbeats while it is idle.
Only an end that said it always answers (FEATURE_HEARTBEATS) is given up for its silence. For the others the
kernel asks: it answers for a process that is busy or stopped, and not for a machine that is gone.
Used by both ends.
Invariant: no more than a few heartbeats lie unread at the other end.
"""

from __future__ import annotations

import socket
from enum import Enum

BEATS_UNANSWERED_MAX = 3
SILENCE_SECONDS_MIN = 10.0  # minimum time allowed for an answer to a heartbeat: machines are busy
PROBE_SECONDS = 10  # between the kernel's probes
PROBES = 3
IDLE_SECONDS_MIN, IDLE_SECONDS_MAX = 5, 300  # before the first probe


class Due(Enum):
    """What a look at a quiet link finds to do."""

    NOTHING = 0
    BEAT = 1
    GIVE_UP = 2


class Pulse:
    """The heartbeats of one link."""

    __slots__ = ("_beats", "_heard", "answers", "interval")

    def __init__(self, interval: int, answers: bool) -> None:
        self.interval = interval  # seconds; 0 for no heartbeats
        self.answers = answers
        self._beats = 0
        self._heard = 0.0

    def look(self, now: float, heard: float, spoken: float) -> Due:
        """Return what to do with a peer, by the times of the last receive and send."""
        if not self.interval:
            return Due.NOTHING
        if heard != self._heard:
            self._heard = heard
            self._beats = 0
        if self.answers and now - heard > silence_max(self.interval):
            return Due.GIVE_UP
        if now - max(heard, spoken) < self.interval or self._beats >= BEATS_UNANSWERED_MAX:
            return Due.NOTHING
        self._beats += 1
        return Due.BEAT


def silence_max(interval: float) -> float:
    """Return the seconds of silence after which a peer with heartbeats counts as lost."""
    return interval + max(interval, SILENCE_SECONDS_MIN)


def keep_alive(sock: socket.socket, interval: int) -> None:
    """Make the kernel probe the other machine; `interval` is the channel's HBINT."""
    idle = min(max(interval, IDLE_SECONDS_MIN), IDLE_SECONDS_MAX) if interval else IDLE_SECONDS_MAX
    lost_after = idle + PROBE_SECONDS * PROBES
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, idle)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, PROBE_SECONDS)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, PROBES)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, lost_after * 1000)
