"""COMPMSG: bodies of messages, compressed on their way. zlib alone; other values of COMPMSG are passed over.

Bodies that are short or do not shrink are sent as they are, and so are long ones: both ends would hold up
other channels for too long. A flag of the frame shows whether its body is compressed; the reader takes no
more than the limit, whatever the bytes would become.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.channel.counts import Meter

BYTES_MIN = 256
BYTES_MAX = 1 << 20
LEVELS = {"ZLIBFAST": 1, "ZLIBHIGH": 6}
NUMBERS = {"ZLIBFAST": 2, "ZLIBHIGH": 4}  # as in PCF
BITS = {**{name: (bit,) for name, bit in NUMBERS.items()}, "ANY": tuple(NUMBERS.values())}


def level_of(wanted: tuple[str, ...], agreed: int) -> int:
    """Return zlib's level for the first entry of the sender's COMPMSG that both ends know; 0 for none."""
    for entry in wanted:
        for name, bit in NUMBERS.items():
            if bit in BITS.get(entry, ()) and bit & agreed:
                return LEVELS[name]
        if entry == "NONE":
            return 0
    return 0


def compressed(body: bytes, level: int, meter: Meter | None = None) -> bytes | None:
    """Return a body compressed; None if compression does not help. A meter records the result."""
    if not level or not BYTES_MIN <= len(body) <= BYTES_MAX:
        return None
    began = meter.clock() if meter is not None else 0.0
    made = zlib.compress(body, level)
    if meter is not None:
        meter.add(len(body), min(len(made), len(body)), meter.clock() - began)
    return made if len(made) < len(body) else None


def expanded(body: bytes, meter: Meter | None = None) -> bytes:
    """Decompress a body; ValueError if it is not compressed data, or longer than allowed."""
    began = meter.clock() if meter is not None else 0.0
    reader = zlib.decompressobj()
    try:
        found = reader.decompress(body, BYTES_MAX + 1)
    except zlib.error as failure:
        raise ValueError(f"a compressed body cannot be read: {failure}") from None
    if len(found) > BYTES_MAX or not reader.eof or reader.unused_data:
        raise ValueError(f"a compressed body is cut off or has more than {BYTES_MAX} bytes")
    if meter is not None:
        meter.add(len(found), len(body), meter.clock() - began)
    return found
