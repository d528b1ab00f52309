"""A message as the arguments of a call: head and body, as the journal writes them. Used by both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.store.message_format import decode_head, encode_head

if TYPE_CHECKING:
    from penstock.model.message import Message


def pack_message(message: Message) -> list[bytes]:
    """Return a message as head and body."""
    return [encode_head(message), message.body or b""]


def unpack_message(packed: list[bytes]) -> Message:
    """Return the message of a head and a body."""
    head, body = packed
    return decode_head(head, body, len(body))
