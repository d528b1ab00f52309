"""MQEPH: PCF in front of other data, which keeps its own format (MQHEPCF).

Activity reports and trace-route messages may have it. The PCF is in the encoding of the message; the header's
own encoding, CCSID and format describe the data behind it. Wrong lengths raise 2420.
"""

from __future__ import annotations

from typing import NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.pcf import Pcf, decode_pcf, encode_pcf
from penstock.model.structure import Layout

MQEPH = Layout(
    "MQEPH",
    "EPH ",
    mq.MQRC_EPH_ERROR,
    "Version:i StrucLength:i Encoding:i CodedCharSetId:i Format:8 Flags:i",
)
VERSION = 1


class Embedded(NamedTuple):
    """PCF, and the data behind it with its description."""

    pcf: Pcf
    data: bytes = b""
    encoding: int = 0
    ccsid: int = 0
    format: str = ""


def pack_embedded(found: Embedded, encoding: int, ccsid: int) -> bytes:
    """Return the header, the PCF and the data."""
    pcf = encode_pcf(found.pcf, encoding, ccsid)
    values = (VERSION, MQEPH.length + len(pcf), found.encoding, found.ccsid, found.format, 0)
    return MQEPH.pack(values, encoding, ccsid) + pcf + found.data


def unpack_embedded(body: bytes, encoding: int, ccsid: int) -> Embedded:
    """Read a body that begins with the header."""
    _, total, own_encoding, own_ccsid, own_format, _ = MQEPH.unpack(body, encoding, ccsid)
    length = int(total)
    if not MQEPH.length < length <= len(body):
        raise error(mq.MQRC_EPH_ERROR, f"MQEPH says it is {length} bytes long, the message has {len(body)}")
    pcf = decode_pcf(body[MQEPH.length : length], encoding, ccsid)
    return Embedded(pcf, body[length:], int(own_encoding), int(own_ccsid), str(own_format))
