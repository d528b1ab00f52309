"""Distinguished names of certificates, and the patterns of them that SSLPEER and SSLCERTI hold.

`CN=app*,OU=Sales,OU=Europe,O=Acme`: each attribute of a pattern must be in the name, with a value that
matches whatever its case; several OU or DC match in their order. Called by `rule` and `rule_index`;
`name_of_certificate` makes the name of a certificate.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.admin.channel_authentication.star_patterns import star_matches, star_specificity

if TYPE_CHECKING:
    from collections.abc import Iterable

Pairs = tuple[tuple[str, str], ...]  # attribute types and values

# Attribute types from the most telling to the least: a rule about an earlier one is more specific.
ORDER = (
    *("SERIALNUMBER", "MAIL", "UID", "CN", "T", "OU", "DC", "O", "STREET", "L", "ST", "PC", "C"),
    *("UNSTRUCTUREDNAME", "UNSTRUCTUREDADDRESS", "DNQ"),
)
_OTHER_NAMES = {"E": "MAIL", "USERID": "UID", "S": "ST", "SP": "ST"}
_IN_CERTIFICATES = {
    "serialNumber": "SERIALNUMBER",
    "emailAddress": "MAIL",
    "userId": "UID",
    "commonName": "CN",
    "title": "T",
    "organizationalUnitName": "OU",
    "domainComponent": "DC",
    "organizationName": "O",
    "streetAddress": "STREET",
    "localityName": "L",
    "stateOrProvinceName": "ST",
    "postalCode": "PC",
    "countryName": "C",
    "unstructuredName": "UNSTRUCTUREDNAME",
    "unstructuredAddress": "UNSTRUCTUREDADDRESS",
    "dnQualifier": "DNQ",
}
_PIECE = re.compile(r'\s*([A-Za-z]+)=("(?:[^"\\]|\\.)*"|(?:[^,;"\\]|\\.)*)\s*(?:[,;]|$)')
_ESCAPED = re.compile(r"\\(.)")
ANYBODY = "*"


def parse_name(text: str) -> Pairs:
    """Return the attributes of a distinguished name or a pattern; ValueError if it is invalid."""
    if text.strip() in ("", ANYBODY):
        return ()
    pairs = []
    position = 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            raise ValueError(f"{text!r} is no distinguished name at {text[position:]!r}: TYPE=value,...")
        kind = _OTHER_NAMES.get(piece[1].upper(), piece[1].upper())
        if kind not in ORDER:
            raise ValueError(
                f"{piece[1]} is no attribute type that can be matched; there are {', '.join(ORDER)}"
            )
        value = piece[2][1:-1] if piece[2].startswith('"') else piece[2].strip()
        pairs.append((kind, _ESCAPED.sub(r"\1", value).lower()))
        position = piece.end()
    return tuple(pairs)


def name_of_certificate(subject: Iterable[Iterable[tuple[str, str]]]) -> str:
    """Return the distinguished name in what `ssl.SSLSocket.getpeercert` gives as subject or issuer.

    >>> name_of_certificate(((("organizationName", "Acme, Inc"),), (("commonName", "app1"),)))
    'O="Acme, Inc",CN=app1'
    """
    found = []
    for relative in subject:
        for kind, value in relative:
            short = _IN_CERTIFICATES.get(kind)
            if short is not None:
                found.append(f"{short}={_quoted(value)}")
    return ",".join(found)


def name_matches(pattern: Pairs, name: Pairs) -> bool:
    """Return whether every attribute of a pattern is in a name, those of one type in the same order."""
    for kind in {kind for kind, _ in pattern}:
        there = iter([value for each, value in name if each == kind])
        for wanted in (value for each, value in pattern if each == kind):
            if not any(star_matches(wanted, value) for value in there):
                return False
    return True


def name_specificity(pattern: Pairs) -> tuple[tuple[int, tuple[tuple[int, ...], ...]], ...]:
    """Return a key that is greater for the more specific pattern: more, and more significant, attributes."""
    by_kind: dict[str, list[str]] = {}
    for kind, value in pattern:
        by_kind.setdefault(kind, []).append(value)
    found = [by_kind.get(kind, []) for kind in ORDER]
    return tuple((len(values), tuple(star_specificity(value) for value in values)) for values in found)


def most_telling(pattern: Pairs) -> tuple[str, str] | None:
    """Return the attribute for looking a pattern up: one without `*` if there is any; None for none."""
    by_order = sorted(pattern, key=lambda pair: (ANYBODY in pair[1], ORDER.index(pair[0])))
    return next((pair for pair in by_order if pair[1].strip(ANYBODY)), None)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if re.search(r'[,;"\\*]|^\s|\s$', value) else escaped
