"""ByteBuffer, BigDecimal and BigInteger."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from penstock.flow.java.library.thing import ByteArray, Long, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, as_bytes, bytes_array, text, wrapped


class ByteBuffer(Thing):
    """Bytes with a position, in big order."""

    packages = ("java.nio",)
    abstract = True

    def __init__(self, array: Array) -> None:
        self._array = array
        self._at = 0

    @staticmethod
    def allocate(size: int) -> ByteBuffer:
        return ByteBuffer(bytes_array(bytes(size)))

    @staticmethod
    def wrap(array: Array) -> ByteBuffer:
        return ByteBuffer(array)

    def _write(self, data: bytes, place: int | None) -> ByteBuffer:
        at = self._at if place is None else place
        if at + len(data) > len(self._array):
            raise thrown("IndexOutOfBoundsException", "the buffer is full")
        self._array[at : at + len(data)] = bytes_array(data)
        if place is None:
            self._at += len(data)
        return self

    def _read(self, size: int, place: int | None) -> bytes:
        at = self._at if place is None else place
        if at + size > len(self._array):
            raise thrown("IndexOutOfBoundsException", "the buffer ends")
        if place is None:
            self._at += size
        return as_bytes(self._array[at : at + size])

    def put(self, value: Any) -> ByteBuffer:
        return self._write(as_bytes(value) if isinstance(value, Array) else bytes([value & 0xFF]), None)

    def putInt(self, first: int, *second: int) -> ByteBuffer:
        value, place = (second[0], first) if second else (first, None)
        return self._write(wrapped(value, 32).to_bytes(4, "big", signed=True), place)

    def putShort(self, first: int, *second: int) -> ByteBuffer:
        value, place = (second[0], first) if second else (first, None)
        return self._write(wrapped(value, 16).to_bytes(2, "big", signed=True), place)

    def putLong(self, first: int, *second: int) -> ByteBuffer:
        value, place = (second[0], first) if second else (first, None)
        return self._write(wrapped(value, 64).to_bytes(8, "big", signed=True), place)

    def get(self, place: int | None = None) -> int:
        return int.from_bytes(self._read(1, place), "big", signed=True)

    def getInt(self, place: int | None = None) -> int:
        return int.from_bytes(self._read(4, place), "big", signed=True)

    def getShort(self, place: int | None = None) -> int:
        return int.from_bytes(self._read(2, place), "big", signed=True)

    def getLong(self, place: int | None = None) -> Long:
        return int.from_bytes(self._read(8, place), "big", signed=True)

    def array(self) -> ByteArray:
        return self._array

    def position(self) -> int:
        return self._at

    def rewind(self) -> ByteBuffer:
        self._at = 0
        return self


class BigDecimal(Thing):
    """A decimal number."""

    packages = ("java.math",)
    holds = (Decimal,)
    bases = ("Number",)
    constants = {"ZERO": Decimal(0), "ONE": Decimal(1), "TEN": Decimal(10), "ROUND_HALF_UP": 4}
    constant_types = {"ZERO": "BigDecimal", "ONE": "BigDecimal", "TEN": "BigDecimal", "ROUND_HALF_UP": "int"}

    @staticmethod
    def _new(value: Any) -> Decimal:
        try:
            return Decimal(value)
        except InvalidOperation:
            raise thrown("NumberFormatException", text(value)) from None

    @staticmethod
    def valueOf(value: Any) -> BigDecimal:
        return Decimal(text(value))  # type: ignore[return-value]

    def add(self: Decimal, other: Decimal) -> BigDecimal:  # type: ignore[misc]
        return self + other  # type: ignore[return-value]

    def subtract(self: Decimal, other: Decimal) -> BigDecimal:  # type: ignore[misc]
        return self - other  # type: ignore[return-value]

    def multiply(self: Decimal, other: Decimal) -> BigDecimal:  # type: ignore[misc]
        return self * other  # type: ignore[return-value]

    def negate(self: Decimal) -> BigDecimal:  # type: ignore[misc]
        return -self  # type: ignore[return-value]

    def setScale(self: Decimal, scale: int, rounding: int) -> BigDecimal:  # type: ignore[misc]
        if rounding != BigDecimal.constants["ROUND_HALF_UP"]:
            raise thrown("IllegalArgumentException", "only ROUND_HALF_UP")
        return self.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)  # type: ignore[return-value]

    def compareTo(self: Decimal, other: Decimal) -> int:  # type: ignore[misc]
        return (self > other) - (self < other)

    def intValue(self: Decimal) -> int:  # type: ignore[misc]
        return wrapped(int(self), 32)

    def longValue(self: Decimal) -> Long:  # type: ignore[misc]
        return wrapped(int(self), 64)

    def doubleValue(self: Decimal) -> float:  # type: ignore[misc]
        return float(self)

    def equals(self: Decimal, other: Any) -> bool:  # type: ignore[misc]
        return isinstance(other, Decimal) and self.as_tuple() == other.as_tuple()

    def toPlainString(self: Decimal) -> str:  # type: ignore[misc]
        return format(self, "f")

    def toString(self: Decimal) -> str:  # type: ignore[misc]
        return str(self)
