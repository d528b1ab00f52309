# cython: nonecheck=True
"""Answers that wait for the disk: `Server` holds them, and releases them when their time has come.

An answer is an object of its client's protocol; `Server` uses only this interface. `Reply`
is that of Penstock's own protocol. Invariant: the answer to a conversation that has ended is dropped here,
and nowhere else. Compiled through `answers.pxd`: a persistent put means one of these.
"""

from __future__ import annotations

import logging
from typing import Any

import cython

from penstock.protocol import numbers as protocol

logger = logging.getLogger(__name__)

_DONE = protocol.DONE
_MESSAGE = protocol.MESSAGE
_MESSAGES = protocol.MESSAGES
_RECEIPT = protocol.RECEIPT
_RECEIPTS = protocol.RECEIPTS


class Answer:
    """What is sent to a client once the journal has reached a position."""

    def __init__(self, presses: bool, produces: bool) -> None:
        self.position = 0  # that the journal has to get to
        self.presses = presses  # the client waits for the disk; a get can wait for the next puts
        self.produces = produces  # the client puts message after message, most likely

    def release(self) -> None:
        """Send it: the confirmed change is on disk."""
        raise NotImplementedError

    def failed(self, failure: Exception) -> None:
        """End the connection: the answer could not be sent."""
        raise NotImplementedError


@cython.freelist(64)
@cython.cclass
class Reply(Answer):
    """A frame that answers a request; its subject is a message, several, or bytes."""

    def __init__(self, conversation: Any, kind: int, flags: int, request: int, subject: Any) -> None:
        self.position = 0
        self.presses = kind != _MESSAGE and kind != _MESSAGES
        self.produces = kind == _RECEIPT
        self.conversation = conversation
        self.kind = kind
        self.flags = flags
        self.request = request
        self.subject = subject

    def release(self) -> None:
        conversation, kind = self.conversation, self.kind
        if conversation.ended and kind != _DONE:
            return
        out, number = conversation.out, conversation.number
        if kind == _RECEIPT:
            out.receipt(number, self.request, self.subject, self.flags)
        elif kind == _MESSAGE:
            out.message(number, self.request, self.subject, self.flags)
        elif kind == _MESSAGES:
            out.messages(number, self.request, self.subject, self.flags)
        elif kind == _RECEIPTS:
            out.receipts(number, self.request, self.subject)
        else:
            out.frame(kind, self.flags, number, self.request, 0, self.subject)
        conversation.link.mark()

    def failed(self, failure: Exception) -> None:
        link = self.conversation.link
        logger.error("answer_failed peer=%s", link.peer, exc_info=failure)
        link.abort(f"an answer could not be written: {failure}")
