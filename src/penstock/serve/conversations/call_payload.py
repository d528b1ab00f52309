"""What a call's frame carries: the verb and its arguments, read after their size is known to be sensible.

A stranger's frame may hold millions of values in a few megabytes, and decoding them would stop the loop for
seconds. So limits come first: bytes by verb (messages and scripts are large, other arguments are not), then
values and nesting, counted without making any. 2010 is the answer to what is larger; nothing was decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import Descriptor
from penstock.protocol import numbers as protocol
from penstock.protocol._large import Values
from penstock.store._packed import values_in

if TYPE_CHECKING:
    from penstock.protocol._frames import Frame

FIELDS = frozenset(Descriptor.__dataclass_fields__)
FIELD_VALUES_MAX = 1 + 4 * len(FIELDS)
BYTES_MAX = {  # of a call's payload; of any other: ARGUMENT_BYTES_MAX
    "put": protocol.FRAME_BYTES_MAX,
    "put_messages": protocol.FRAME_BYTES_MAX,
    "publish": protocol.FRAME_BYTES_MAX,
    "flow_prepare_outputs": protocol.FRAME_BYTES_MAX,
    "flow_output": protocol.FRAME_BYTES_MAX,
    "mqsc": protocol.TEXT_BYTES_MAX,
}
WITH_MESSAGES = frozenset(("put_messages", "flow_prepare_outputs"))
VERB_BYTES_MAX = 33  # that contain the verb: two heads, and the longest short text
_decode = msgspec.msgpack.Decoder().decode
_PAIR, _SHORT_TEXT, _SHORT_TEXT_END = 0x92, 0xA0, 0xC0  # how a call begins


def read_call(frame: Frame) -> tuple[str, dict[str, Any]]:
    """Return verb and arguments; ValueError when the frame has neither, 2010 when they are too large."""
    verb = _verb_of(frame.start(VERB_BYTES_MAX))
    _check_bytes(verb, frame.size)
    payload = frame.payload()
    _check_values(verb, payload)
    try:
        return checked(_decode(payload))
    except (msgspec.MsgspecError, TypeError, ValueError) as cause:
        raise ValueError("a call that cannot be read") from cause


def reading(frame: Frame) -> Values:
    """Return what reads a large call in slices; ValueError and 2010 as for `read_call`."""
    verb = _verb_of(frame.start(VERB_BYTES_MAX))
    _check_bytes(verb, frame.size)
    values_max = _values_max(verb)
    try:
        return Values(frame, values_max)
    except OverflowError:
        raise _too_many(verb, values_max) from None


def checked(call: Any) -> tuple[str, dict[str, Any]]:
    """Return the verb and the arguments that a call consists of; ValueError when it does not."""
    if not isinstance(call, list) or len(call) != 2:
        raise ValueError("a call that makes no sense")
    name, arguments = call
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise ValueError("a call that makes no sense")
    return name, arguments


def _verb_of(start: bytes) -> str:
    """Return the verb that a payload begins with; empty when it is too long for one of ours."""
    if len(start) < 2 or start[0] != _PAIR or not _SHORT_TEXT <= start[1] < _SHORT_TEXT_END:
        return ""
    return start[2 : 2 + start[1] - _SHORT_TEXT].decode(errors="replace")


def _check_bytes(verb: str, size: int) -> None:
    bytes_max = BYTES_MAX.get(verb, protocol.ARGUMENT_BYTES_MAX)
    if size > bytes_max:
        detail = f"the arguments of {verb} have {size} bytes; {bytes_max} are allowed"
        raise error(mq.MQRC_DATA_LENGTH_ERROR, detail, verb=verb)


def _check_values(verb: str, payload: bytes) -> None:
    values_max = _values_max(verb)
    if values_in(payload, values_max) > values_max:
        raise _too_many(verb, values_max)


def _values_max(verb: str) -> int:
    return protocol.BATCH_VALUES_MAX if verb in WITH_MESSAGES else protocol.VALUES_MAX


def _too_many(verb: str, values_max: int) -> MQError:
    return error(
        mq.MQRC_DATA_LENGTH_ERROR,
        f"the arguments of {verb} hold more than {values_max} values, or nest too deep",
        verb=verb,
    )


def read_fields(packed: bytes) -> dict[str, Any]:
    """Return the descriptor fields of a put; 2026 when they are none."""
    if values_in(packed, FIELD_VALUES_MAX) > FIELD_VALUES_MAX:
        raise error(mq.MQRC_MD_ERROR, "a put has more descriptor fields than there are")
    try:
        fields = _decode(packed)
    except msgspec.MsgspecError as cause:
        raise ValueError("descriptor fields that cannot be read") from cause
    if not isinstance(fields, dict) or not fields.keys() <= FIELDS:
        raise error(mq.MQRC_MD_ERROR, "a put has descriptor fields that are none")
    return fields
