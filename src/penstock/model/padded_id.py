"""Message, correlation and group ids as programs give them, made the ids that MQ compares.

Both ends of a connection use it, the embedded one and the client's; a client has no need of the engine for
that. It knows length alone, not what an id is for: the caller says which reason a wrong one has.
"""

from __future__ import annotations

from penstock.model.errors import error
from penstock.model.message import NO_ID


def padded_id(value: bytes | None, reason: int) -> bytes | None:
    """Return an id of full length; None, which matches anything, for one of zeros as in MQ.

    Raises `reason` for one that is too long or no bytes.
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
