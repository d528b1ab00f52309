"""The file of users: names, groups and hashed passwords, for all queue managers of one home.

`users.auth` in PENSTOCK_HOME, readable by its owner alone; replaced as a whole, so that a reader never sees
half of it. Written by `penstock user`, read by `people`, who notice a change by the file's identity.
Layout: docs/internals/users-file-format.md. Invariant: it holds no password, only a hash of each.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.host.users.passwords import COST_MAX, HASH_BYTES, Hashed
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.names import check_user_id
from penstock.store._checksum import crc32c
from penstock.store.file_header import HEADER_BYTES, FileHeader, decode_header
from penstock.store.files import Files, read_file
from penstock.store.home import make_private

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "users.auth"  # the dot keeps it apart from every queue manager's folder
PASSING_NAME = "users.auth.new"
LOCK_NAME = "users.auth.lock"
MAGIC = b"PSTKUSER"
CHECK_BYTES = 4
USERS_MAX = 100_000
GROUPS_MAX = 100  # of one user
GROUP_LENGTH = 64


@dataclass(frozen=True, slots=True)
class User:
    """One user; without a password he can be mapped to, but cannot log in by himself."""

    name: str
    groups: frozenset[str] = frozenset()
    password: Hashed | None = None


Users = dict[str, User]
Identity = tuple[int, int, int]


def identity_of(path: Path) -> Identity | None:
    """Return the identity of the file's content; None if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def read_users(path: Path) -> Users:
    """Return all users; empty when there is no file, 8017 when it is damaged."""
    if not path.exists():
        return {}
    data = read_file(path)
    if decode_header(data, MAGIC, path) is None or len(data) < HEADER_BYTES + CHECK_BYTES:
        raise _damaged(path, "its header is not right")
    content = data[HEADER_BYTES:-CHECK_BYTES]
    if crc32c(content) != int.from_bytes(data[-CHECK_BYTES:], "little"):
        raise _damaged(path, "its checksum does not match")
    try:
        return {user.name: user for user in map(_user, msgspec.msgpack.decode(content, type=list[_Stored]))}
    except (msgspec.MsgspecError, ValueError) as failure:
        raise _damaged(path, str(failure)) from failure


@contextmanager
def changing_users(path: Path) -> Iterator[Users]:
    """Give the users to change and write them at the end, unless an error came; one at a time may do it."""
    make_private(path.parent)
    descriptor = os.open(path.with_name(LOCK_NAME), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        users = read_users(path)
        yield users
        _write(path, users)
    finally:
        os.close(descriptor)


def known_user(users: Users, name: str) -> User:
    """Return a user, or raise 8060."""
    found = users.get(name)
    if found is None:
        raise error(mq.PSRC_USER_UNKNOWN, f"there is no user {name!r}", user=name)
    return found


def check_new(path: Path, name: str) -> None:
    """Raise 8061 if there is a user of that name, or the error of an invalid name."""
    check_user_id(name, mq.PSRC_ARGUMENT_ERROR)
    if name in read_users(path):
        raise error(mq.PSRC_USER_EXISTS, f"there is a user {name} already", user=name)


def check_groups(names: list[str]) -> frozenset[str]:
    """Return groups whose names can be ones, or raise 8042."""
    for name in names:
        if not 0 < len(name) <= GROUP_LENGTH or not name.isprintable() or " " in name:
            text = f"group {name!r} must be 1 to {GROUP_LENGTH} printable characters without blanks"
            raise error(mq.PSRC_ARGUMENT_ERROR, text)
    if len(set(names)) > GROUPS_MAX:
        raise error(mq.PSRC_ARGUMENT_ERROR, f"a user is in at most {GROUPS_MAX} groups")
    return frozenset(names)


class _Stored(msgspec.Struct, array_like=True):
    name: str
    groups: list[str]
    salt: bytes
    hash: bytes
    cost: int
    block: int
    lanes: int


def _write(path: Path, users: Users) -> None:
    if len(users) > USERS_MAX:
        raise error(mq.PSRC_ARGUMENT_ERROR, f"at most {USERS_MAX} users")
    content = msgspec.msgpack.encode([_stored(users[name]) for name in sorted(users)])
    header = FileHeader(MAGIC, 0, 0, 0).encode()
    data = b"".join((header, content, crc32c(content).to_bytes(CHECK_BYTES, "little")))
    Files().replace(path, path.with_name(PASSING_NAME), data)


def _stored(user: User) -> Any:
    password = user.password or Hashed(b"", b"", 0, 0, 0)
    numbers = (password.cost, password.block, password.lanes)
    return _Stored(user.name, sorted(user.groups), password.salt, password.hash, *numbers)


def _user(stored: _Stored) -> User:
    if not stored.hash:
        return User(stored.name, frozenset(stored.groups))
    if not 1 < stored.cost <= COST_MAX or not 0 < stored.block <= 64 or not 0 < stored.lanes <= 16:
        raise ValueError(f"the password of {stored.name} has parameters that cannot be")
    if len(stored.hash) != HASH_BYTES:
        raise ValueError(f"the password of {stored.name} has a wrong length")
    hashed = Hashed(stored.salt, stored.hash, stored.cost, stored.block, stored.lanes)
    return User(stored.name, frozenset(stored.groups), hashed)


def _damaged(path: Path, why: str) -> MQError:
    return error(mq.PSRC_USERS_FILE_DAMAGED, f"{path}: {why}", path=str(path))
