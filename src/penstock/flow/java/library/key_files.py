"""Files of keys: JKS, which Java alone has, and PKCS12. Keys stay encrypted until their password opens them.

JKS: https://github.com/openjdk/jdk/blob/master/src/java.base/share/classes/sun/security/provider/JavaKeyStore.java
describes the layout in its comments; the protection of keys is that of KeyProtector beside it.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from itertools import count

JKS_MAGIC = 0xFEEDFEED
KEY, TRUSTED = 1, 2
SALT = 20
WHITENER = b"Mighty Aphrodite"  # behind the password in the digest of a file
ENTRIES_MAX = 10_000

Entries = dict[str, tuple[bytes | None, list[bytes]]]


class KeyFileError(Exception):
    """A file or a key that cannot be read with this password."""


def entries_of(data: bytes, password: str) -> Entries:
    """Return what a file has, by name: the protected key, if it is one, and its certificates."""
    try:
        if data[:4] == JKS_MAGIC.to_bytes(4, "big"):
            return _jks(data, password)
        return _pkcs12(data, password)
    except (struct.error, ValueError, IndexError) as raised:
        raise KeyFileError(f"Invalid keystore format: {raised}") from None


def opened(key: bytes, password: str) -> bytes:
    """Return a key (PKCS8, DER) of an entry; one of PKCS12 is open already."""
    body, is_protected = _protected(key)
    if not is_protected:
        return key
    secret = password.encode("utf-16-be")
    salt, hidden, check = body[:SALT], body[SALT:-SALT], body[-SALT:]
    stream = b""
    last = salt
    while len(stream) < len(hidden):
        last = hashlib.sha1(secret + last).digest()
        stream += last
    plain = bytes(one ^ other for one, other in zip(hidden, stream, strict=False))
    if not hmac.compare_digest(hashlib.sha1(secret + plain).digest(), check):
        raise KeyFileError("Cannot recover key")
    return plain


def _jks(data: bytes, password: str) -> Entries:
    body, digest = data[:-SALT], data[-SALT:]
    made = hashlib.sha1(password.encode("utf-16-be") + WHITENER + body).digest()
    if password and not hmac.compare_digest(made, digest):
        raise KeyFileError("Keystore was tampered with, or password was incorrect")
    version, entries = struct.unpack_from(">II", body, 4)
    if entries > ENTRIES_MAX:
        raise KeyFileError(f"more than {ENTRIES_MAX} entries")
    at = 12
    found: Entries = {}
    for _ in range(entries):
        (kind,) = struct.unpack_from(">I", body, at)
        alias, at = _text(body, at + 4)
        at += 8  # when it was made
        key = None
        chain = 1
        if kind == KEY:
            key, at = _bytes(body, at)
            (chain,) = struct.unpack_from(">I", body, at)
            at += 4
        elif kind != TRUSTED:
            raise KeyFileError(f"Unrecognized keystore entry: {kind}")
        certificates = []
        for _ in range(min(chain, ENTRIES_MAX)):
            if version == 2:
                _, at = _text(body, at)
            certificate, at = _bytes(body, at)
            certificates.append(certificate)
        found[alias.lower()] = (key, certificates)
    return found


def _text(data: bytes, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from(">H", data, at)
    return data[at + 2 : at + 2 + length].decode(), at + 2 + length


def _bytes(data: bytes, at: int) -> tuple[bytes, int]:
    (length,) = struct.unpack_from(">I", data, at)
    if at + 4 + length > len(data):
        raise KeyFileError("the file ends too early")
    return data[at + 4 : at + 4 + length], at + 4 + length


def _protected(key: bytes) -> tuple[bytes, bool]:
    """Return the octets of an EncryptedPrivateKeyInfo; a PrivateKeyInfo begins with a number."""
    inside, _ = _der(key, 0)
    if inside[:1] == b"\x02":
        return key, False
    _, behind = _der(inside, 0)  # the algorithm
    octets, _ = _der(inside, behind)
    return octets, True


def _der(data: bytes, at: int) -> tuple[bytes, int]:
    """Return the content of the value at a place, and the place behind it."""
    length = data[at + 1]
    begin = at + 2
    if length & 0x80:
        size = length & 0x7F
        length = int.from_bytes(data[begin : begin + size], "big")
        begin += size
    return data[begin : begin + length], begin + length


def _pkcs12(data: bytes, password: str) -> Entries:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12

    held = pkcs12.load_pkcs12(data, password.encode())
    numbers = count(1)
    found: Entries = {}
    if held.key is not None:
        key = held.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        chain = [held.cert] if held.cert is not None else []
        name = (held.cert.friendly_name if held.cert is not None else None) or str(next(numbers)).encode()
        found[name.decode().lower()] = (
            key,
            [each.certificate.public_bytes(Encoding.DER) for each in (*chain, *held.additional_certs)],
        )
        return found
    for each in held.additional_certs:
        name = each.friendly_name or str(next(numbers)).encode()
        found[name.decode().lower()] = (None, [each.certificate.public_bytes(Encoding.DER)])
    return found
