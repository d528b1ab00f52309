# cython: nonecheck=True
"""Answers that waited for the disk, written when their time has come.

Kept apart from `Server` so that it knows no frame kinds, and from `Conversation` so that an answer for
one that has ended is dropped in one place. Compiled through `answers.pxd`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from penstock.serve.remote_units import RemoteUnits


def write(conversation: RemoteUnits, kind: int, request: int, subject: Any) -> None:
    """Write the answer to a request; its subject is a message, several, or bytes.

    `kind` has the frame's flags above its lowest eight bits.
    """
    if conversation.ended and kind != protocol.DONE:
        return
    out, number = conversation.out, conversation.number
    flags, kind = kind >> 8, kind & 0xFF
    if kind == protocol.RECEIPT:
        out.receipt(number, request, subject, flags)
    elif kind == protocol.MESSAGE:
        out.message(number, request, subject, flags)
    elif kind == protocol.MESSAGES:
        out.messages(number, request, subject, flags)
    elif kind == protocol.RECEIPTS:
        out.receipts(number, request, subject)
    else:
        out.frame(kind, flags, number, request, 0, subject)
    conversation.link.mark()


def empty_bell(fd: int) -> None:
    """Take the note of new syncs off the journal's descriptor."""
    try:
        os.read(fd, 4096)
    except BlockingIOError:
        pass
