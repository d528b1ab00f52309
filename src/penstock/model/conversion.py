"""MQGET with MQGMO_CONVERT: converts a body to another character set and encoding.

Texts (MQSTR) and MQ's own formats are converted, header by header: each header describes what follows it.
Nothing is raised: `convert` always returns a body, and a warning reason if a part could not be converted.
That part is then unchanged, and the fields that describe it say so (IBM's rule for messages of several
parts). `ccsid` knows the character sets. See docs/reference/conversion.md.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.ccsid import UTF16, decode, is_known, translate
from penstock.model.constants import (
    MQCCSI_EMBEDDED,
    MQCCSI_INHERIT,
    MQFMT_ADMIN,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_EVENT,
    MQFMT_MD_EXTENSION,
    MQFMT_PCF,
    MQFMT_RF_HEADER,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQFMT_TRIGGER,
    MQFMT_XMIT_Q_HEADER,
)
from penstock.model.descriptor_format import MQMD_1
from penstock.model.errors import MQError, error
from penstock.model.headers import MQDLH, MQMDE, MQTM, MQXQH
from penstock.model.pcf import Pcf, decode_pcf, encode_pcf
from penstock.model.pcf_parameters import Group, Parameter, String, StringFilter, StringList
from penstock.model.rfh1 import MQRFH1
from penstock.model.rfh2 import MQRFH2, check_fixed, name_value_codec, name_values
from penstock.model.structure import Layout, byte_order

if TYPE_CHECKING:
    from collections.abc import Callable

CHAIN_MAX = 100  # headers one after the other

# Reasons that convert passes on as they are; any other failure inside a header is bad format.
CONVERSION_REASONS = frozenset((*range(2110, 2121), mq.MQRC_CONVERTED_STRING_TOO_BIG))


@dataclass(frozen=True, slots=True)
class Converted:
    """A body, its format, encoding and CCSID, and a warning reason (0 if everything was converted)."""

    body: bytes
    ccsid: int
    encoding: int
    format: str
    warning: int = 0


class _Target(NamedTuple):
    ccsid: int
    encoding: int


def convert(
    body: bytes,
    format: str,
    ccsid: int,
    encoding: int,
    to_ccsid: int,
    to_encoding: int,
    length_max: int | None = None,
) -> Converted:
    """Convert a body; `length_max` is the caller's space for the result.

    Warnings: 2110 no format, an unknown one, or data that is not in its format; 2111 and 2115 unknown CCSID
    of the message and of the caller; 2112 and 2116 unknown integer encoding; 2119 characters that one of the
    sets does not have; 2120 longer than `length_max`; 2190 a text that outgrew its field. The caller resolves
    CCSID 0 before: it is the queue manager's.
    """
    whole = Converted(body, ccsid, encoding, format)
    result = _convert(memoryview(body), whole, _Target(to_ccsid, to_encoding), 0)
    if length_max is not None and len(result.body) > length_max and result.body is not body:
        return replace(whole, warning=mq.MQRC_CONVERTED_MSG_TOO_BIG)
    return result


def _convert(data: memoryview, part: Converted, target: _Target, depth: int) -> Converted:
    """Convert one part and everything after it; `part` describes it and has no body itself."""
    if not data or (part.ccsid == target.ccsid and part.encoding == target.encoding):
        return replace(part, body=_whole(data, part))
    try:
        body = _body(data, part, target, depth)
    except MQError as problem:
        reason = problem.reason if problem.reason in CONVERSION_REASONS else mq.MQRC_FORMAT_ERROR
        return replace(part, body=_whole(data, part), warning=reason)
    return body


def _body(data: memoryview, part: Converted, target: _Target, depth: int) -> Converted:
    name = part.format.rstrip(" \0")
    converter = _CONVERTERS.get(name)
    if converter is None or depth >= CHAIN_MAX:
        raise error(
            mq.MQRC_FORMAT_ERROR,
            f"format {name!r} cannot be converted" if name else "the message has no format",
        )
    if not is_known(part.ccsid) and not (part.ccsid == MQCCSI_EMBEDDED and converter is _pcf):
        raise error(mq.MQRC_SOURCE_CCSID_ERROR, f"CCSID {part.ccsid} is not known here")
    if not is_known(target.ccsid):
        raise error(mq.MQRC_TARGET_CCSID_ERROR, f"CCSID {target.ccsid} is not known here")
    return converter(data, part, target, depth)


def _text(data: memoryview, part: Converted, target: _Target, depth: int) -> Converted:
    if part.ccsid in UTF16:
        byte_order(part.encoding)
    if target.ccsid in UTF16:
        byte_order(target.encoding, mq.MQRC_TARGET_INTEGER_ENC_ERROR)
    body = translate(data, part.ccsid, target.ccsid, part.encoding, target.encoding)
    return Converted(body, target.ccsid, target.encoding, part.format)


def _trigger(data: memoryview, part: Converted, target: _Target, depth: int) -> Converted:
    raw = MQTM.unpack_raw(data, part.encoding, part.ccsid)
    if len(data) != MQTM.length:
        raise error(mq.MQRC_FORMAT_ERROR, f"MQTM is {MQTM.length} bytes long, not {len(data)}")
    body = MQTM.recode(raw, part.ccsid, target.encoding, target.ccsid)
    return Converted(body, target.ccsid, target.encoding, part.format)


def _pcf(data: memoryview, part: Converted, target: _Target, depth: int) -> Converted:
    pcf = decode_pcf(data, part.encoding, part.ccsid)
    retagged: Pcf = replace(pcf, parameters=_retagged(pcf.parameters, target.ccsid))
    body = encode_pcf(retagged, target.encoding, target.ccsid)
    return Converted(body, target.ccsid, target.encoding, part.format)


def _retagged(parameters: tuple[Parameter, ...], ccsid: int) -> tuple[Parameter, ...]:
    """Return the same parameters; those with their own CCSID get the new one."""
    result: list[Parameter] = []
    for each in parameters:
        if isinstance(each, Group):
            each = replace(each, parameters=_retagged(each.parameters, ccsid))
        elif isinstance(each, String | StringList | StringFilter) and each.ccsid:
            each = replace(each, ccsid=ccsid)
        result.append(each)
    return tuple(result)


def _header(layout: Layout) -> Callable[[memoryview, Converted, _Target, int], Converted]:
    """Return a converter for a fixed header whose Encoding, CodedCharSetId and Format describe the rest."""

    def convert_header(data: memoryview, part: Converted, target: _Target, depth: int) -> Converted:
        raw = layout.unpack_raw(data, part.encoding, part.ccsid)
        rest = _rest(data[layout.length :], layout, raw, part, target, depth)
        head = layout.recode(raw, part.ccsid, target.encoding, target.ccsid)
        return Converted(head + rest.body, target.ccsid, target.encoding, part.format, rest.warning)

    return convert_header


def _transmission(data: memoryview, part: Converted, target: _Target, depth: int) -> Converted:
    head = MQXQH.unpack_raw(data, part.encoding, part.ccsid)
    raw = MQMD_1.unpack_raw(data, part.encoding, part.ccsid, MQXQH.length)
    rest = _rest(data[MQXQH.length + MQMD_1.length :], MQMD_1, raw, part, target, depth)
    body = MQXQH.recode(head, part.ccsid, target.encoding, target.ccsid)
    body += MQMD_1.recode(raw, part.ccsid, target.encoding, target.ccsid)
    return Converted(body + rest.body, target.ccsid, target.encoding, part.format, rest.warning)


def _rules_1(data: memoryview, part: Converted, target: _Target, depth: int) -> Converted:
    raw = MQRFH1.unpack_raw(data, part.encoding, part.ccsid)
    length: Any = raw[1]
    if raw[0] != 1 or not MQRFH1.length <= length <= len(data):
        raise error(mq.MQRC_FORMAT_ERROR, f"MQRFH says {length} bytes, {len(data)} are there")
    text = translate(data[MQRFH1.length : length], part.ccsid, target.ccsid)
    text += translate(b" " * (-len(text) % 4), 819, target.ccsid)
    rest = _rest(data[length:], MQRFH1, raw, part, target, depth)
    raw[1] = MQRFH1.length + len(text)
    head = MQRFH1.recode(raw, part.ccsid, target.encoding, target.ccsid)
    return Converted(head + text + rest.body, target.ccsid, target.encoding, part.format, rest.warning)


def _rules_2(data: memoryview, part: Converted, target: _Target, depth: int) -> Converted:
    raw: list[Any] = MQRFH2.unpack_raw(data, part.encoding, part.ccsid)
    length, *_, name_value_ccsid = check_fixed(raw, len(data))
    source_codec = name_value_codec(name_value_ccsid, part.encoding)
    target_codec = name_value_codec(name_value_ccsid, target.encoding)
    order = byte_order(target.encoding, mq.MQRC_TARGET_INTEGER_ENC_ERROR)
    folders = bytearray()
    for piece in name_values(data, length, part.encoding):
        folders += struct.pack(order + "i", len(piece))
        folders += piece if source_codec == target_codec else _swapped(piece)
    rest = _rest(data[length:], MQRFH2, raw, part, target, depth)
    head = MQRFH2.recode(raw, part.ccsid, target.encoding, target.ccsid)
    return Converted(head + folders + rest.body, target.ccsid, target.encoding, part.format, rest.warning)


def _rest(
    data: memoryview, layout: Layout, raw: list[Any], part: Converted, target: _Target, depth: int
) -> Converted:
    """Convert what follows a header, and update the header's raw fields."""
    encoding, ccsid, name = (layout.names.index(field) for field in ("Encoding", "CodedCharSetId", "Format"))
    form = decode(raw[name], part.ccsid).rstrip(" \0")
    inherited = raw[ccsid] in (MQCCSI_INHERIT, 0)
    following = Converted(b"", part.ccsid if inherited else raw[ccsid], raw[encoding], form)
    rest = _convert(data, following, target, depth + 1)
    raw[encoding] = rest.encoding
    if not inherited or rest.ccsid != target.ccsid:
        raw[ccsid] = rest.ccsid
    return rest


def _swapped(piece: memoryview) -> bytes:
    if len(piece) % 2:
        raise error(mq.MQRC_FORMAT_ERROR, "a folder in UTF-16 has an odd number of bytes")
    swapped = bytearray(len(piece))
    swapped[0::2], swapped[1::2] = piece[1::2], piece[0::2]
    return bytes(swapped)


def _whole(data: memoryview, part: Converted) -> bytes:
    return part.body or bytes(data)


_CONVERTERS: dict[str, Callable[[memoryview, Converted, _Target, int], Converted]] = {
    MQFMT_STRING: _text,
    MQFMT_TRIGGER: _trigger,
    MQFMT_ADMIN: _pcf,
    MQFMT_PCF: _pcf,
    MQFMT_EVENT: _pcf,
    MQFMT_DEAD_LETTER_HEADER: _header(MQDLH),
    MQFMT_MD_EXTENSION: _header(MQMDE),
    MQFMT_XMIT_Q_HEADER: _transmission,
    MQFMT_RF_HEADER: _rules_1,
    MQFMT_RF_HEADER_2: _rules_2,
}
