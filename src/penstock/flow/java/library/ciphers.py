"""Digests of java.security, and javax.crypto: Mac and Cipher. Digests and Mac are Python's."""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Any

from penstock.flow.java.library.security import (
    CRYPTO,
    DIGESTS,
    SECURITY,
    SPECS,
    Certificate,
    Key,
    checks,
    known,
)
from penstock.flow.java.library.thing import ByteArray, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, as_bytes, bytes_array

MACS = {f"HMAC{digest}": name for digest, name in DIGESTS.items()}
BLOCKS = {"AES": 16, "DESEDE": 8}
CIPHERS = frozenset(
    {
        *(
            f"{kind}/{mode}/{pad}"
            for kind in BLOCKS
            for mode in ("CBC", "ECB")
            for pad in ("PKCS5PADDING", "NOPADDING")
        ),
        *("AES/GCM/NOPADDING", "RSA/ECB/PKCS1PADDING"),
    }
)
PLAIN = {kind: f"{kind}/ECB/PKCS5PADDING" for kind in BLOCKS} | {"RSA": "RSA/ECB/PKCS1PADDING"}
TAG_BYTES = 16  # of GCM


class SecretKeySpec(Key):
    """A secret key of bytes."""

    names = ("SecretKeySpec",)
    packages = SPECS
    abstract = False

    def __init__(self, data: Array, algorithm: str) -> None:
        super().__init__(as_bytes(data), algorithm)


class IvParameterSpec(Thing):
    """Where a cipher begins."""

    packages = SPECS

    def __init__(self, data: Array) -> None:
        self.vector = as_bytes(data)


class GCMParameterSpec(Thing):
    """Where AES/GCM begins; its tag has 128 bits."""

    packages = SPECS

    def __init__(self, bits: int, data: Array) -> None:
        if bits != TAG_BYTES * 8:
            raise thrown("InvalidAlgorithmParameterException", f"a tag of {bits} bits is not supported here")
        self.vector = as_bytes(data)


class MessageDigest(Thing):
    """A digest."""

    packages = SECURITY
    abstract = True
    _checked = checks(DIGESTS, is_ours=True)

    def __init__(self, name: str) -> None:
        self._name = name
        self._state = hashlib.new(name)

    @staticmethod
    def getInstance(name: str) -> MessageDigest:
        return MessageDigest(DIGESTS[known(name, DIGESTS, "MessageDigest")])

    def update(self, data: Any) -> None:
        self._state.update(as_bytes(data) if isinstance(data, Array) else bytes([data & 0xFF]))

    def digest(self, data: Array | None = None) -> ByteArray:
        if data is not None:
            self.update(data)
        found = self._state.digest()
        self.reset()
        return bytes_array(found)

    def reset(self) -> None:
        self._state = hashlib.new(self._name)

    @staticmethod
    def isEqual(one: Array, other: Array) -> bool:
        return hmac.compare_digest(as_bytes(one), as_bytes(other))


class Mac(Thing):
    """A digest with a key."""

    packages = CRYPTO
    abstract = True
    _checked = checks(MACS, is_ours=True)

    def __init__(self, name: str) -> None:
        self._name = name
        self._state: hmac.HMAC | None = None

    @staticmethod
    def getInstance(name: str) -> Mac:
        return Mac(MACS[known(name, MACS, "Mac")])

    def init(self, key: Key) -> None:
        self._state = hmac.new(key.held, digestmod=self._name)

    def update(self, data: Array) -> None:
        if self._state is None:
            raise thrown("IllegalStateException", "MAC not initialized")
        self._state.update(as_bytes(data))

    def doFinal(self, data: Array | None = None) -> ByteArray:
        self.update(Array("byte") if data is None else data)
        assert self._state is not None
        return bytes_array(self._state.digest())


class Cipher(Thing):
    """Encrypts and decrypts."""

    packages = CRYPTO
    abstract = True
    constants = {"ENCRYPT_MODE": 1, "DECRYPT_MODE": 2}
    _checked = checks(CIPHERS | PLAIN.keys())

    def __init__(self, name: str) -> None:
        self._kind, self._mode, self._padding = name.split("/")
        self._encrypts = False
        self._key: Any = None
        self._vector = b""
        self._data = b""

    @staticmethod
    def getInstance(name: str) -> Cipher:
        found = known(name, CIPHERS | PLAIN.keys(), "Cipher")
        return Cipher(PLAIN.get(found, found))

    def init(self, mode: int, given: Any, parameters: Any = None) -> None:
        key = given.getPublicKey() if isinstance(given, Certificate) else given
        self._encrypts, self._key, self._data = mode == Cipher.constants["ENCRYPT_MODE"], key.held, b""
        if self._kind in BLOCKS and not isinstance(self._key, bytes):
            raise thrown("InvalidKeyException", "this is no secret key")
        sizes = {"AES": (16, 24, 32), "DESEDE": (24,)}.get(self._kind)
        if sizes is not None and len(self._key) not in sizes:
            raise thrown("InvalidKeyException", f"Invalid key length: {len(self._key)} bytes")
        size = {"ECB": 0, "GCM": 12}.get(self._mode, BLOCKS.get(self._kind, 0))
        self._vector = parameters.vector if parameters is not None else os.urandom(size)

    def getIV(self) -> ByteArray:
        return bytes_array(self._vector)

    def update(self, data: Array) -> ByteArray:
        """Keep data for the end; nothing comes out before it."""
        self._data += as_bytes(data)
        return bytes_array(b"")

    def doFinal(self, data: Array | None = None) -> ByteArray:
        if self._key is None:
            raise thrown("IllegalStateException", "Cipher not initialized")
        given, self._data = self._data + as_bytes(data or ()), b""
        try:
            return bytes_array(self._done(given))
        except ValueError as raised:
            raise thrown("BadPaddingException", str(raised)) from None

    def _done(self, data: bytes) -> bytes:
        if self._kind == "RSA":
            from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15

            done = self._key.encrypt if self._encrypts else self._key.decrypt
            return bytes(done(data, PKCS1v15()))
        if self._mode == "GCM":
            return self._with_tag(data)
        return self._of_blocks(data)

    def _with_tag(self, data: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        work = AESGCM(self._key)
        try:
            return (work.encrypt if self._encrypts else work.decrypt)(self._vector, data, None)
        except InvalidTag:
            raise thrown("BadPaddingException", "Tag mismatch") from None

    def _of_blocks(self, data: bytes) -> bytes:
        from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
        from cryptography.hazmat.primitives.ciphers import Cipher as Work
        from cryptography.hazmat.primitives.ciphers import algorithms, modes
        from cryptography.hazmat.primitives.padding import PKCS7

        size = BLOCKS[self._kind]
        pads = PKCS7(size * 8) if self._padding == "PKCS5PADDING" else None
        if self._encrypts and pads is not None:
            padder = pads.padder()
            data = padder.update(data) + padder.finalize()
        if len(data) % size:
            raise thrown("IllegalBlockSizeException", f"Input length not multiple of {size} bytes")
        algorithm: Any = algorithms.AES(self._key) if self._kind == "AES" else TripleDES(self._key)
        mode: Any = modes.CBC(self._vector) if self._mode == "CBC" else modes.ECB()
        work = Work(algorithm, mode)
        context = work.encryptor() if self._encrypts else work.decryptor()
        found = context.update(data) + context.finalize()
        if not self._encrypts and pads is not None:
            unpadder = pads.unpadder()
            found = unpadder.update(found) + unpadder.finalize()
        return found
