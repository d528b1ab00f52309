"""Passwords as they are kept: a salted hash that is slow to make, and never the password.

`hash_password` and `matches` use scrypt, which lets other threads run meanwhile. `RecentLogins` spares a
good password that comes again within a minute the slow way. Called by `people` and `penstock user`.
Invariant: a cached value cannot be turned back into a password, and is invalid once the password is changed.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
import unicodedata
from dataclasses import dataclass

from penstock.model import constants as mq
from penstock.model.errors import error

COST, BLOCK, LANES = 1 << 14, 8, 1  # scrypt's n, r, p: 16 MB and some 50 ms
COST_MAX = 1 << 20  # of a stored password: a damaged file must not cost gigabytes
HASH_BYTES = SALT_BYTES = 32
PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MAX = 8, 256
AT_ONCE = 4  # hashes that are being made at one time
RECENT_SECONDS = 60.0
RECENT_MAX = 1000
HINT_BYTES = 2  # one wrong password in 65,536 looks like the right one
HINTS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Hashed:
    """A password as it is stored, with the parameters that it was hashed with."""

    salt: bytes
    hash: bytes
    cost: int = COST
    block: int = BLOCK
    lanes: int = LANES


def check_password(password: str) -> str:
    """Return a password that is fit to be set, or raise 8062."""
    if not PASSWORD_LENGTH_MIN <= len(password) <= PASSWORD_LENGTH_MAX:
        wanted = f"{PASSWORD_LENGTH_MIN} to {PASSWORD_LENGTH_MAX} characters"
        raise error(mq.PSRC_PASSWORD_REFUSED, f"a password has {wanted}; this one has {len(password)}")
    if not password.isprintable():
        raise error(mq.PSRC_PASSWORD_REFUSED, "a password is one line of printable characters")
    return password


def hash_password(password: str) -> Hashed:
    """Return the stored form of a password."""
    salt = secrets.token_bytes(SALT_BYTES)
    return Hashed(salt, _hash(password, Hashed(salt, b"")))


def matches(password: str, stored: Hashed | None) -> bool:
    """Return whether a password is the stored one; equally slow if none is stored."""
    if len(password) > PASSWORD_LENGTH_MAX:
        return False
    reference = stored or _NOBODY
    found = _hash(password, reference)
    return hmac.compare_digest(found, reference.hash) and stored is not None


class RecentLogins:
    """Good logins of the last minute, by a keyed hash; a wrong password always goes the slow way.

    A few bits of the last good password of each user are kept longer: they decide which check comes first,
    and are too few to reveal the password.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(HASH_BYTES)
        self._until: dict[bytes, float] = {}
        self._hints: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def knows(self, user: str, password: str, stored: Hashed) -> bool:
        """Return whether exactly this was right not long ago, and the stored password is still the same."""
        with self._lock:
            return self._until.get(self._digest(user, password, stored), 0.0) > time.monotonic()

    def expects(self, user: str, password: str, stored: Hashed) -> bool:
        """Return whether a password is probably the one that was right last time; no proof."""
        with self._lock:
            return self._hints.get(user) == self._digest(user, password, stored)[:HINT_BYTES]

    def add(self, user: str, password: str, stored: Hashed) -> None:
        """Remember a password that was right."""
        now = time.monotonic()
        digest = self._digest(user, password, stored)
        with self._lock:
            if len(self._until) >= RECENT_MAX:
                self._until = {key: until for key, until in self._until.items() if until > now}
            if len(self._until) < RECENT_MAX:
                self._until[digest] = now + RECENT_SECONDS
            self._hints.pop(user, None)
            if len(self._hints) >= HINTS_MAX:
                del self._hints[next(iter(self._hints))]
            self._hints[user] = digest[:HINT_BYTES]

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._until.clear()
            self._hints.clear()

    def _digest(self, user: str, password: str, stored: Hashed) -> bytes:
        parts = (user.encode(), _prepared(password), stored.salt, stored.hash)
        framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return hmac.digest(self._key, framed, "sha256")


def _hash(password: str, stored: Hashed) -> bytes:
    memory = 128 * stored.cost * stored.block * 2
    with _hashing:
        return hashlib.scrypt(
            _prepared(password),
            salt=stored.salt,
            n=stored.cost,
            r=stored.block,
            p=stored.lanes,
            maxmem=memory,
            dklen=HASH_BYTES,
        )


def _prepared(password: str) -> bytes:
    """Return a password's bytes: the same for every way to type an accented letter."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


_hashing = threading.BoundedSemaphore(AT_ONCE)
_NOBODY = Hashed(bytes(SALT_BYTES), bytes(HASH_BYTES))
