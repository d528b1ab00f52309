"""java.security: keys, certificates, the files that they are in, and signatures.

All of it needs the package `cryptography`, the extra `penstock[crypto]`: the check names it where it is
missing. Algorithms are those of the tables here; the check refuses any other.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from penstock.flow.java.library.containers import Iterator
from penstock.flow.java.library.key_files import KeyFileError, entries_of, opened
from penstock.flow.java.library.thing import ByteArray, Thing
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.syntax import Literal
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, as_bytes, bytes_array

if TYPE_CHECKING:
    from collections.abc import Collection

    from penstock.flow.java.scope import Scope
    from penstock.flow.java.syntax import Node

SECURITY = ("java.security", "java.security.interfaces", "java.security.cert")
CRYPTO = ("javax.crypto",)
SPECS = ("javax.crypto.spec", "java.security.spec")
DIGESTS = {"MD5": "md5", "SHA": "sha1", "SHA1": "sha1"} | {
    f"SHA{bits}": f"sha{bits}" for bits in (224, 256, 384, 512)
}
SIGNATURES = {
    f"{digest}WITH{kind}": name
    for kind in ("RSA", "ECDSA")
    for digest, name in DIGESTS.items()
    if digest not in ("SHA", "MD5") or kind == "RSA"
}
STORES = ("JKS", "PKCS12")


def _key(name: str) -> str:
    return name.upper().replace("SHA-", "SHA")


def known(name: str, names: Collection[str], what: str) -> str:
    """Return the name of an algorithm as the tables have it."""
    found = _key(name)
    if found not in names:
        raise thrown("NoSuchAlgorithmException", f"{name} {what} not available")
    return found


def checks(names: Collection[str], *, is_ours: bool = False) -> Any:
    """Return the check of a getInstance: a literal has to name an algorithm that is here."""

    def check(arguments: list[Node], _: Scope) -> None:
        first = arguments[0] if arguments else None
        line = first.line if first is not None else 0
        if isinstance(first, Literal) and _key(str(first.value)) not in names:
            raise JavaProblem(line, f"the algorithm {first.value} is not known here")
        if not is_ours and importlib.util.find_spec("cryptography") is None:
            raise JavaProblem(line, "cryptography is not installed: the extra penstock[crypto]")

    return staticmethod(check)


class Key(Thing):
    """A key; `held` is that of the package cryptography, or the bytes of a secret one."""

    names: tuple[str, ...] = ("Key", "PrivateKey", "PublicKey", "SecretKey", "RSAPublicKey", "RSAPrivateKey")
    packages: tuple[str, ...] = (*SECURITY, *CRYPTO)
    abstract = True

    def __init__(self, held: Any, algorithm: str) -> None:
        self.held = held
        self._algorithm = algorithm

    def getAlgorithm(self) -> str:
        return self._algorithm

    def getEncoded(self) -> ByteArray:
        from cryptography.hazmat.primitives.serialization import (
            Encoding,
            NoEncryption,
            PrivateFormat,
            PublicFormat,
        )

        if isinstance(self.held, bytes):
            return bytes_array(self.held)
        if hasattr(self.held, "private_bytes"):
            return bytes_array(self.held.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
        return bytes_array(self.held.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


class Certificate(Thing):
    """A certificate."""

    names = ("Certificate", "X509Certificate")
    packages = ("java.security.cert",)
    abstract = True

    def __init__(self, held: Any) -> None:
        self.held = held

    def getPublicKey(self) -> Key:
        return Key(self.held.public_key(), _kind_of(self.held.public_key()))

    def getEncoded(self) -> ByteArray:
        from cryptography.hazmat.primitives.serialization import Encoding

        return bytes_array(self.held.public_bytes(Encoding.DER))


def _kind_of(held: Any) -> str:
    return "RSA" if hasattr(held, "key_size") and "RSA" in type(held).__name__ else "EC"


class KeyStore(Thing):
    """Keys and certificates by name, from a file in the format JKS or PKCS12, whichever it has."""

    packages = SECURITY
    abstract = True
    _checked = checks(STORES)

    def __init__(self) -> None:
        self._entries: dict[str, tuple[bytes | None, list[bytes]]] = {}

    @staticmethod
    def getInstance(name: str) -> KeyStore:
        if name.upper() not in STORES:
            raise thrown("KeyStoreException", f"{name} not found")
        return KeyStore()

    @staticmethod
    def getDefaultType() -> str:
        return "pkcs12"

    def load(self, below: Any, password: Array | None) -> None:
        try:
            self._entries = (
                entries_of(below.data.read(), "".join(password or ())) if below is not None else {}
            )
        except KeyFileError as raised:
            raise thrown("IOException", str(raised)) from None

    def getKey(self, alias: str, password: Array | None) -> Key | None:
        from cryptography.hazmat.primitives.serialization import load_der_private_key

        key, _ = self._entries.get(alias.lower(), (None, []))
        if key is None:
            return None
        try:
            held = load_der_private_key(opened(key, "".join(password or ())), None)
        except KeyFileError as raised:
            raise thrown("UnrecoverableKeyException", str(raised)) from None
        return Key(held, _kind_of(held))

    def getCertificate(self, alias: str) -> Certificate | None:
        from cryptography.x509 import load_der_x509_certificate

        _, chain = self._entries.get(alias.lower(), (None, []))
        return Certificate(load_der_x509_certificate(chain[0])) if chain else None

    def containsAlias(self, alias: str) -> bool:
        return alias.lower() in self._entries

    def isKeyEntry(self, alias: str) -> bool:
        return self._entries.get(alias.lower(), (None,))[0] is not None

    def aliases(self) -> Iterator:
        return Iterator(self._entries)

    def size(self) -> int:
        return len(self._entries)


class CertificateFactory(Thing):
    """Reads certificates, PEM or DER."""

    packages = ("java.security.cert",)
    abstract = True
    _checked = checks(("X.509", "X509"))

    @staticmethod
    def getInstance(_: str) -> CertificateFactory:
        return CertificateFactory()

    def generateCertificate(self, below: Any) -> Certificate:
        from cryptography import x509

        data = below.data.read()
        load = x509.load_pem_x509_certificate if b"-----BEGIN" in data else x509.load_der_x509_certificate
        try:
            return Certificate(load(data))
        except ValueError as raised:
            raise thrown("CertificateException", str(raised)) from None


class EncodedKeySpec(Thing):
    """A key as bytes."""

    names = ("X509EncodedKeySpec", "PKCS8EncodedKeySpec")
    packages = SPECS

    def __init__(self, data: Array) -> None:
        self.encoded = as_bytes(data)


class KeyFactory(Thing):
    """Makes keys of bytes."""

    packages = SECURITY
    abstract = True
    _checked = checks(("RSA", "EC"))

    @staticmethod
    def getInstance(name: str) -> KeyFactory:
        known(name, ("RSA", "EC"), "KeyFactory")
        return KeyFactory()

    def generatePublic(self, given: EncodedKeySpec) -> Key:
        from cryptography.hazmat.primitives.serialization import load_der_public_key

        return _loaded(lambda: load_der_public_key(given.encoded))

    def generatePrivate(self, given: EncodedKeySpec) -> Key:
        from cryptography.hazmat.primitives.serialization import load_der_private_key

        return _loaded(lambda: load_der_private_key(given.encoded, None))


def _loaded(load: Any) -> Key:
    try:
        held = load()
    except (ValueError, TypeError) as raised:
        raise thrown("InvalidKeySpecException", str(raised)) from None
    return Key(held, _kind_of(held))


class Signature(Thing):
    """Signs and verifies."""

    packages = SECURITY
    abstract = True
    _checked = checks(SIGNATURES)

    def __init__(self, name: str, digest: str) -> None:
        self._name, self._digest = name, digest
        self._data = b""
        self._held: Any = None

    @staticmethod
    def getInstance(name: str) -> Signature:
        found = known(name, SIGNATURES, "Signature")
        return Signature(found, SIGNATURES[found])

    def initSign(self, key: Key) -> None:
        if key is None or not hasattr(key.held, "sign"):
            raise thrown("InvalidKeyException", "this is no private key")
        self._held, self._data = key.held, b""

    def initVerify(self, given: Any) -> None:
        key = given.getPublicKey() if isinstance(given, Certificate) else given
        if key is None or not hasattr(key.held, "verify"):
            raise thrown("InvalidKeyException", "this is no public key")
        self._held, self._data = key.held, b""

    def update(self, data: Any) -> None:
        if self._held is None:
            raise thrown("SignatureException", "object not initialized for signature or verification")
        self._data += as_bytes(data) if isinstance(data, Array) else bytes([data & 0xFF])

    def _how(self) -> list[Any]:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, padding

        digest = getattr(hashes, self._digest.upper())()
        return [padding.PKCS1v15(), digest] if self._name.endswith("RSA") else [ec.ECDSA(digest)]

    def sign(self) -> ByteArray:
        data, self._data = self._data, b""
        return bytes_array(self._held.sign(data, *self._how()))

    def verify(self, signature: Array) -> bool:
        from cryptography.exceptions import InvalidSignature

        data, self._data = self._data, b""
        try:
            self._held.verify(as_bytes(signature), data, *self._how())
        except InvalidSignature:
            return False
        return True
