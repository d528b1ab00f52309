"""Client addresses, and the patterns of a rule's ADDRESS.

A pattern is an address (`10.1.2.3`, `2001:db8::1`), one with a range (`10.1.2.1-9`) or `*` in a part
(`10.1.*`, the rest is any), a host name (`*.example.com`), `*`, or nothing. Pure text and numbers: no name
server is asked here. Called by `rule` and `address_index`.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from functools import lru_cache

from penstock.admin.channel_authentication.star_patterns import star_matches, star_specificity

ANY = "*"
Part = int | tuple[int, int] | str  # a number, a range, or ANY
Numbers = tuple[int, ...]
ADDRESSES_KEPT = 10_000  # texts whose parsed form is cached

# How specific a kind of ADDRESS is; the greater wins.
NOTHING, EVERYWHERE, HOST_PATTERN, HOST, WILDCARD, RANGE, EXACT = range(7)

_IPV4 = re.compile(r"[0-9*.-]+", re.ASCII)
_IPV6 = re.compile(r"[0-9A-Fa-f*:.-]*:[0-9A-Fa-f*:.-]*", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9._*-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Address:
    """The address of one client; `numbers` is empty if the text is not an IP address."""

    numbers: Numbers
    host: str = ""

    @classmethod
    def of(cls, text: str, host: str = "") -> Address:
        """Return the address in a text; an IPv4-mapped IPv6 address is an IPv4 address."""
        return cls(numbers_of(text), host.rstrip(".").lower())


@dataclass(frozen=True, slots=True)
class AddressPattern:
    """The pattern of an ADDRESS; `parts` for IP addresses, `host` for host names."""

    kind: int
    parts: tuple[Part, ...] = ()
    host: str = ""

    def matches(self, address: Address) -> bool:
        """Return whether an address matches."""
        if self.kind <= EVERYWHERE:
            return True
        if self.kind <= HOST:
            return bool(address.host) and star_matches(self.host, address.host)
        if len(self.parts) != len(address.numbers):
            return False
        return all(
            _part_matches(part, number) for part, number in zip(self.parts, address.numbers, strict=True)
        )

    @property
    def specificity(self) -> tuple[int, tuple[tuple[int, int], ...], tuple[int, ...]]:
        """A key that is greater for the more specific pattern.

        An IP address beats a range, that a `*`, that a host name. Parts are compared from left to right,
        the narrower one wins; host names from right to left, because that is how domains nest.
        """
        parts = tuple(_part_specificity(part) for part in self.parts)
        return self.kind, parts, star_specificity(self.host[::-1]) if self.host else ()


@lru_cache(ADDRESSES_KEPT)
def address_pattern(text: str) -> AddressPattern:
    """Return the pattern in a text; ValueError if it is invalid."""
    text = text.strip()
    if text in ("", ANY):
        return AddressPattern(EVERYWHERE if text else NOTHING)
    if _IPV6.fullmatch(text):
        return _numeric(_ipv6_parts(text))
    if _IPV4.fullmatch(text) and any(letter.isdigit() for letter in text):
        return _numeric(_ipv4_parts(text))
    if not _HOST.fullmatch(text):
        raise ValueError(f"{text!r} is neither an IP address nor a host name")
    return AddressPattern(HOST_PATTERN if ANY in text else HOST, host=text.rstrip(".").lower())


@lru_cache(ADDRESSES_KEPT)
def numbers_of(text: str) -> Numbers:
    """Return the parts of an IP address as numbers; empty if the text is not one."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ()
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            packed = address.packed
            return tuple(packed[place] << 8 | packed[place + 1] for place in range(0, 16, 2))
        address = address.ipv4_mapped
    return tuple(address.packed)


def _numeric(parts: tuple[Part, ...]) -> AddressPattern:
    if ANY in parts:
        return AddressPattern(WILDCARD, parts)
    return AddressPattern(RANGE if any(isinstance(part, tuple) for part in parts) else EXACT, parts)


def _ipv4_parts(text: str) -> tuple[Part, ...]:
    return _whole(text, [_part(word, 10, 255, text) for word in text.split(".")], 4)


def _ipv6_parts(text: str) -> tuple[Part, ...]:
    numbers = numbers_of(text)
    if numbers:
        return numbers
    head, gap, tail = text.partition("::")
    front = [_part(word, 16, 0xFFFF, text) for word in head.split(":") if head]
    if not gap:
        return _whole(text, front, 8)
    back = [_part(word, 16, 0xFFFF, text) for word in tail.split(":") if tail]
    if len(front) + len(back) > 7:
        raise ValueError(f"{text!r} has too many parts for an IPv6 address")
    return (*front, *[0] * (8 - len(front) - len(back)), *back)


def _whole(text: str, parts: list[Part], count: int) -> tuple[Part, ...]:
    if len(parts) < count and parts[-1] == ANY:
        return (*parts, *[ANY] * (count - len(parts)))
    if len(parts) != count:
        raise ValueError(f"{text!r} has {len(parts)} parts, not {count}; a * at the end matches the rest")
    return tuple(parts)


def _part(word: str, base: int, largest: int, text: str) -> Part:
    if word == ANY:
        return ANY
    low, dash, high = word.partition("-")
    try:
        bounds = (int(low, base), int(high if dash else low, base))
    except ValueError:
        raise ValueError(f"{word!r} in {text!r} is neither a number, a range nor *") from None
    if not 0 <= bounds[0] <= bounds[1] <= largest:
        raise ValueError(f"{word!r} in {text!r} is not within 0 and {largest:{'d' if base == 10 else 'x'}}")
    return bounds if bounds[0] < bounds[1] else bounds[0]


def _part_matches(part: Part, number: int) -> bool:
    if isinstance(part, int):
        return part == number
    return isinstance(part, str) or part[0] <= number <= part[1]


def _part_specificity(part: Part) -> tuple[int, int]:
    if isinstance(part, int):
        return 2, 0
    return (0, 0) if isinstance(part, str) else (1, part[0] - part[1])
