# cython: nonecheck=True
"""Answers that wait for the disk: `Server` holds them, and releases them when their time has come.

An answer is an object of the protocol that its client speaks; `Server` knows nothing else about it. `Reply`
(`replies`) is that of Penstock's own protocol. Compiled through `answers.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.model.errors import MQError


class Answer:
    """What is sent to a client once the journal has reached a position."""

    def __init__(self, presses: bool, produces: bool) -> None:
        self.position = 0  # that the journal has to get to
        self.presses = presses  # the client waits for the disk; a get can wait for the next puts
        self.produces = produces  # the client puts message after message, most likely

    def release(self) -> None:
        """Send it: the confirmed change is on disk."""
        raise NotImplementedError

    def refused(self, failure: MQError) -> None:
        """Inform the client that its request was not carried out."""
        raise NotImplementedError

    def failed(self, failure: Exception) -> None:
        """End the connection: the answer could not be sent."""
        raise NotImplementedError
