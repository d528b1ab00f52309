"""Message, correlation and group ids: from a program's form to the form that MQ compares.

Both the embedded interface and the client use it; a client does not need the engine for that. It checks only
the length: the caller supplies the reason for an invalid one.
"""

from __future__ import annotations

from penstock.model.errors import error
from penstock.model.message import NO_ID


def padded_id(value: bytes | None, reason: int) -> bytes | None:
    """Return an id of full length; None, which matches anything, for one of zeros as in MQ.

    Raises `reason` for one that is too long or not bytes.
    """
    if value is None:
        return None
    if not isinstance(value, bytes | bytearray | memoryview):
        raise error(reason, f"an id is bytes, not {type(value).__name__}")
    given = bytes(value)
    if not given.strip(b"\0"):
        return None
    if len(given) > len(NO_ID):
        raise error(reason, f"an id of {len(given)} bytes; {len(NO_ID)} are the most")
    return given.ljust(len(NO_ID), b"\0")
