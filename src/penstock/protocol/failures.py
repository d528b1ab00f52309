"""Failures as bytes: an error of one end is raised unchanged at the other.

Reason, text and fields travel; the class of the exception follows from the reason. Used by both ends.
"""

from __future__ import annotations

import msgspec

from penstock.model.errors import MQError, class_of

# Exceptions that wrong arguments of a call raise; they may come from any client.
WRONG_ARGUMENTS = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode
_decode = msgspec.msgpack.Decoder().decode


def pack(failure: MQError) -> bytes:
    """Return a failure as bytes."""
    return _encode([failure.reason, failure.detail, failure.fields, failure.comp])


def unpack(data: bytes) -> MQError:
    """Return the failure that bytes encode; ValueError if they are invalid."""
    try:
        reason, detail, fields, comp = _decode(data)
    except (msgspec.MsgspecError, TypeError, ValueError) as cause:
        raise ValueError("a failure that cannot be read") from cause
    if not isinstance(reason, int) or not isinstance(detail, str) or not isinstance(fields, dict):
        raise ValueError("a failure that makes no sense")
    return class_of(reason)(reason, detail, fields, int(comp))
