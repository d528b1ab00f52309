"""PING CHANNEL: the greeting of a channel without its effects, then data that is sent back unchanged.

Both ends, as state machines: no I/O and no clock. Nothing is resynchronised, adopted or counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.channel import frames, terms
from penstock.channel.line import Frame
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from penstock.channel.line import Line
    from penstock.channel.terms import Terms

DATA_BYTES_MAX = 32768


class Pinging:
    """The end that pings."""

    def __init__(self, facts: dict[str, Any], offer: Terms, data: bytes, line: Line) -> None:
        self._facts = facts
        self._offer = offer
        self._data = data
        self._line = line
        self.partner = ""
        self.failure: MQError | None = None
        self.answered = False

    def start(self) -> None:
        """Send the greeting."""
        facts = {**self._facts, "role": "ping", **self._offer.facts()}
        self._line.send(frames.greeting(protocol.HELLO, facts))

    def on_frame(self, frame: Frame, now: float) -> None:
        """Handle a frame of the other end."""
        try:
            if frame.kind == protocol.FAILED:
                raise frames.read_failed(frame)
            if frame.kind == protocol.WELCOME:
                facts = frames.read_greeting(frame)
                terms.agreed(self._offer, terms.read(facts))
                self.partner = str(facts.get("qmgr", ""))
                self._line.send(Frame(protocol.PROBE, self._data))
                return
            if frame.kind != protocol.PROBED or frame.payload != self._data:
                raise error(mq.PSRC_CHANNEL_FRAME, "the data came back changed")
            self.answered = True
            self._line.end(None)
        except MQError as failure:
            self.failure = failure
            self._line.end(failure)

    def pump(self, now: float) -> None:
        """Do nothing: there are no messages."""

    def lost(self, now: float) -> None:
        """Do nothing: there is nothing to undo."""


class Pinged:
    """The end that answers."""

    def __init__(self, facts: dict[str, Any], offer: Terms, line: Line) -> None:
        self._facts = facts
        self._offer = offer
        self._line = line

    def on_frame(self, frame: Frame, now: float) -> None:
        """Answer a greeting and a PROBE."""
        if frame.kind == protocol.HELLO:
            facts = {**self._facts, **self._offer.facts()}
            self._line.send(frames.greeting(protocol.WELCOME, facts))
        elif frame.kind == protocol.PROBE and len(frame.payload) <= DATA_BYTES_MAX:
            self._line.send(Frame(protocol.PROBED, frame.payload))
        else:
            self._line.end(frames.unexpected(frame, "PING"))

    def pump(self, now: float) -> None:
        """Do nothing: there are no messages."""

    def lost(self, now: float) -> None:
        """Do nothing: there is nothing to undo."""
