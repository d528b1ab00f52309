"""The first frames of a connection as bytes: hello and welcome.

Magic, lowest and highest version, feature bits, then a map that later versions may add to. Both ends
use it. Invariant: the fixed part never changes its layout, so that any two versions can refuse each other.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import msgspec

from penstock.protocol import numbers as protocol
from penstock.store._packed import values_in

_FIXED = struct.Struct("<4sBBHQ")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, Any]).decode


@dataclass(frozen=True)
class Greeting:
    """A hello or a welcome."""

    version_min: int
    version_max: int
    features: int
    facts: dict[str, Any]

    def text(self, name: str, default: str = "") -> str:
        """Return a fact that is a text; ValueError when it is something else."""
        value = self.facts.get(name, default)
        if not isinstance(value, str):
            raise ValueError(f"{name} is not a text")
        return value

    def number(self, name: str, default: int = 0) -> int:
        """Return a fact that is a number; ValueError when it is something else."""
        value = self.facts.get(name, default)
        if not isinstance(value, int):
            raise ValueError(f"{name} is not a number")
        return value


def pack(facts: dict[str, Any], features: int = protocol.FEATURES) -> bytes:
    """Return a greeting of this version as bytes."""
    fixed = _FIXED.pack(protocol.MAGIC, protocol.VERSION_MIN, protocol.VERSION_MAX, 0, features)
    return fixed + _encode(facts)


def unpack(data: bytes) -> Greeting:
    """Return the greeting in some bytes; ValueError if they are invalid."""
    if len(data) < _FIXED.size:
        raise ValueError("a greeting is cut off")
    magic, lowest, highest, _, features = _FIXED.unpack_from(data)
    if magic != protocol.MAGIC:
        raise ValueError("a greeting does not begin as one")
    packed = data[_FIXED.size :]
    if values_in(packed, protocol.GREETING_VALUES_MAX) > protocol.GREETING_VALUES_MAX:
        raise ValueError("a greeting says too much")
    try:
        facts = _decode(packed)
    except msgspec.MsgspecError as cause:
        raise ValueError("a greeting cannot be read") from cause
    return Greeting(lowest, highest, features, facts)


def agreed_version(greeting: Greeting) -> int:
    """Return the newest version that both ends support; 0 for none."""
    version = min(greeting.version_max, protocol.VERSION_MAX)
    return version if version >= max(greeting.version_min, protocol.VERSION_MIN) else 0
