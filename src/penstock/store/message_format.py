"""A message's head as bytes: everything but its body, for journal records and message files.

Layout (little-endian): u8 version (2 with an onward part, else 1), u8 flags (1 persistent), u8 length of
msg_id, u8 length of correl_id; i32 lane, priority, backout count; i64 queue id, unit, seq, place; f64 put
time, expires at; u32 length of descriptor, u32 length of properties; in version 2 u32 length of the onward
part; then msg_id, correl_id, descriptor, properties, onward part. Absent parts take no byte: the id of
zeros, the default descriptor, no properties. Descriptor, properties and onward part are MessagePack. A head
says its own length, so a body may follow it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.limits import PROPERTY_COUNT_MAX
from penstock.model.message import NO_ID, PLAIN, Descriptor
from penstock.model.onward import Onward
from penstock.model.properties import Float32, Int8, Int16, Int32, Int64
from penstock.store import _head
from penstock.store._packed import values_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.model.errors import MQError
    from penstock.model.message import Message, PropertyValue
    from penstock.store.manifest import Manifest
    from penstock.store.message_files import MessageFiles

DESCRIPTORS_MAX = 4096  # descriptors whose packed form is kept; then the memory starts anew
PROPERTY_VALUES_MAX = 1 + 3 * (PROPERTY_COUNT_MAX + 100)  # with those that the queue manager adds
_FIELDS = tuple(Descriptor.__dataclass_fields__)
DESCRIPTOR_VALUES_MAX = 1 + len(_FIELDS)
_PLAIN_TAG = 0  # MessagePack itself tells bool, int, float, str, bytes and None apart
_TAGS: dict[type, int] = {Int8: 1, Int16: 2, Int32: 3, Int64: 4, Float32: 5}  # on disk: never change
_MAKERS = {tag: kind for kind, tag in _TAGS.items()}
_BUILT_IN = frozenset((bool, int, float, str, bytes))
ONWARD_VALUES = 6
CLUSTER_VALUES = 2  # more, of a message on a cluster transmission queue
_unpacked: dict[bytes, Descriptor] = {}
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


def decode_head(data: bytes | memoryview, body: bytes | None, length: int) -> Message:
    """Return the message of the head at the beginning of `data`; with `body` None the body stays on disk."""
    try:
        return _reader.read(data, body, length)
    except (ValueError, TypeError, msgspec.MsgspecError) as failure:
        raise _bad_head(data, failure) from failure


def load_messages(files: MessageFiles, manifest: Manifest) -> Iterator[tuple[Message, int, int]]:
    """Yield (message, queue id, unit) of every live record: `MessageFiles.load` and `decode_head` in one.

    Three times as fast as the two. The messages have no body (None) but their location and length; an amended
    value is their backout count.
    """
    try:
        yield from files.load_with(manifest, _reader.scan, keeps_views=False)
    except (ValueError, TypeError, msgspec.MsgspecError) as failure:
        raise _bad_head(b"", failure) from failure


def head_numbers(data: bytes | memoryview) -> tuple[int, int, int]:
    """Return (length, queue id, unit) of the head at the beginning of `data`."""
    try:
        return _head.measure(data)
    except ValueError as failure:
        raise _bad_head(data, failure) from failure


def pack_descriptor(descriptor: Descriptor) -> bytes:
    """Return a descriptor as bytes; empty for the default one."""
    return b"" if descriptor == PLAIN else _encode([getattr(descriptor, name) for name in _FIELDS])


def unpack_descriptor(packed: bytes) -> Descriptor:
    """Return the descriptor of its packed form; recent ones are cached, as messages share them."""
    known = _unpacked.get(packed)
    if known is not None:
        return known
    if values_in(packed, DESCRIPTOR_VALUES_MAX) > DESCRIPTOR_VALUES_MAX:
        raise ValueError("the descriptor is not one")
    values = _decode(packed)
    if not isinstance(values, list) or len(values) > len(_FIELDS):
        raise ValueError("the descriptor is not one")
    descriptor = Descriptor(*values)
    if len(_unpacked) >= DESCRIPTORS_MAX:
        _unpacked.clear()
    _unpacked[packed] = descriptor
    return descriptor


def pack_properties(properties: Mapping[str, PropertyValue]) -> bytes:
    """Return [name, tag, value, name, tag, value ...]."""
    flat: list[Any] = []
    for name, value in properties.items():
        tag = _TAGS.get(type(value), _PLAIN_TAG)
        flat += (name, tag, _bare(value))
    return _encode(flat)


def _bare(value: PropertyValue) -> PropertyValue:
    """Return a value of a built-in type, which MessagePack accepts."""
    if value is None or type(value) in _BUILT_IN:
        return value
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else value


def unpack_properties(packed: bytes) -> dict[str, PropertyValue]:
    """Return properties with their original types; 2478 if there are too many."""
    if values_in(packed, PROPERTY_VALUES_MAX) > PROPERTY_VALUES_MAX:
        raise error(mq.MQRC_PROPERTIES_TOO_BIG, f"a message has at most {PROPERTY_COUNT_MAX} properties")
    flat = _decode(packed)
    if not isinstance(flat, list) or len(flat) % 3:
        raise ValueError("the properties are not a list of threes")
    properties: dict[str, PropertyValue] = {}
    for name, tag, value in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
        make = _MAKERS.get(tag)
        properties[name] = make(value) if make is not None else value
    return properties


def pack_onward(onward: Onward) -> bytes:
    """Return [queue, queue manager, descriptor, correlation id, put time, hops]; for clusters id and bind."""
    descriptor = packed_descriptor(onward.descriptor)
    values = [onward.queue, onward.qmgr, descriptor, onward.correl_id, onward.put_time, onward.hops]
    if onward.msg_id != NO_ID:
        values += (onward.msg_id, onward.bind)
    return _encode(values)


def unpack_onward(packed: bytes) -> Onward:
    """Return the onward part of its packed form."""
    most = ONWARD_VALUES + CLUSTER_VALUES + 1
    values = _decode(packed) if values_in(packed, most) <= most else None
    if not isinstance(values, list) or len(values) not in (ONWARD_VALUES, most - 1):
        raise ValueError("the onward part is not one")
    queue, qmgr, descriptor, correl_id, put_time, hops, *cluster = values
    if cluster and [type(each) for each in cluster] != [bytes, int]:
        raise ValueError("the onward part is not one")
    if not (isinstance(queue, str) and isinstance(qmgr, str) and isinstance(hops, int)):
        raise ValueError("the onward part is not one")
    if not (isinstance(descriptor, bytes) and isinstance(correl_id, bytes) and isinstance(put_time, float)):
        raise ValueError("the onward part is not one")
    own = unpack_descriptor(descriptor) if descriptor else PLAIN
    return Onward(queue, qmgr, own, correl_id, put_time, hops, *cluster)


def _bad_head(data: bytes | memoryview, failure: Exception) -> MQError:
    if len(data) and data[0] > _head.VERSION:
        text = f"a message head has version {data[0]}; this release reads version {_head.VERSION}"
        return error(mq.PSRC_FORMAT_TOO_NEW, text, version=data[0])
    return error(mq.PSRC_MESSAGE_FILE_DAMAGED, f"a message head cannot be understood: {failure}")


# encode_head(message, queue_id=0, unit=0) -> bytes: the head of a message, with two numbers that the caller
# wants to find again. The native method itself, because every persistent put pays for it.
_writer = _head.HeadWriter(pack_descriptor, pack_properties, pack_onward, DESCRIPTORS_MAX)
encode_head = _writer.encode
packed_descriptor = _writer.descriptor  # as `pack_descriptor`, with the last ones kept
_reader = _head.HeadReader(_unpacked, unpack_descriptor, unpack_properties, unpack_onward)
# decode_whole(data, at, end) -> Message: that of the head at a place of `data`, with the body that follows up
# to `end`. Native as well, because every message of a channel pays for it; nonsense is ValueError, TypeError
# or MsgspecError.
decode_whole = _reader.whole
