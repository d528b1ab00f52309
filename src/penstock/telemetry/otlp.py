"""Spans as bytes of OTLP: a request of opentelemetry.proto.collector.trace.v1, in protocol buffers.

Only the fields that Penstock fills. Numbers of fields are those of opentelemetry-proto 1.x, which never
change.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.telemetry._sampling import Span
    from penstock.telemetry.spans import Attribute

CONTENT_TYPE = "application/x-protobuf"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FAILED = 2  # STATUS_CODE_ERROR


def request_of(spans: Iterable[Span], resource: Mapping[str, Attribute], version: str) -> bytes:
    """Return the body of an export request."""
    scope = _text(1, "penstock") + _text(2, version)
    scope_spans = _message(1, scope) + b"".join(_message(2, _span(each)) for each in spans)
    resource_spans = _message(1, _attributes(1, resource)) + _message(2, scope_spans)
    return _message(1, resource_spans)


def _span(span: Span) -> bytes:
    parts = [_field(1, span.trace_id), _field(2, span.span_id)]
    if span.parent_id is not None:
        parts.append(_field(4, span.parent_id))
    parts += [_text(5, span.name), _number(6, span.kind)]
    parts += [_fixed64(7, span.began), _fixed64(8, span.ended), _attributes(9, span.attributes)]
    if span.error:
        parts.append(_message(15, _text(2, span.error) + _number(3, _FAILED)))
    parts.append(_key(16, _FIXED32) + struct.pack("<I", 1))  # sampled
    return b"".join(parts)


def _attributes(number: int, values: Mapping[str, Attribute]) -> bytes:
    return b"".join(_message(number, _text(1, key) + _message(2, _value(of))) for key, of in values.items())


def _value(value: Attribute) -> bytes:
    if isinstance(value, bool):
        return _number(2, int(value))
    if isinstance(value, int):
        return _number(3, value & 0xFFFFFFFFFFFFFFFF)
    if isinstance(value, float):
        return _key(4, _FIXED64) + struct.pack("<d", value)
    return _text(1, value)


def _key(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _number(number: int, value: int) -> bytes:
    return _key(number, _VARINT) + _varint(value)


def _fixed64(number: int, value: int) -> bytes:
    return _key(number, _FIXED64) + struct.pack("<Q", value)


def _text(number: int, text: str) -> bytes:
    return _field(number, text.encode("utf-8", "replace"))


def _message(number: int, data: bytes) -> bytes:
    return _field(number, data)


def _field(number: int, data: bytes) -> bytes:
    return _key(number, _BYTES) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
