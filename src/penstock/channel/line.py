"""What an end of a message channel needs from the connection to the other end.

The ends do no I/O: they call a `Line`, and the owner of the line calls them with the frames that arrive. A
server's line is a socket; the simulator's is a list of bytes. Frames have the header of all Penstock frames
(`protocol`), so both share one connection's framing. Compiled through `line.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from penstock.model.errors import MQError
    from penstock.model.message import Message


class Frame:
    """One frame; `request` and `unit` are the two numbers of its header."""

    def __init__(
        self, kind: int, payload: bytes = b"", flags: int = 0, request: int = 0, unit: int = 0
    ) -> None:
        self.kind = kind
        self.payload = payload
        self.flags = flags
        self.request = request
        self.unit = unit


class Line(Protocol):
    """The connection to the other end."""

    def send(self, frame: Frame) -> None:
        """Send a frame behind all earlier ones."""

    def full(self) -> bool:
        """Return whether too much is unsent to get more; `pump` is called when it is not."""

    def load(self, messages: list[Message]) -> None:
        """Read bodies from message files, then call the end's `pump`."""

    def end(self, failure: MQError | None) -> None:
        """Close the connection: the end has nothing more to send. A failure is logged."""
