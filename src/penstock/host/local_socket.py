"""The local socket of a queue manager, in its folder, for programs on the same machine.

The kernel identifies the user at the other end, so no password is needed. A path that is longer than the 107
bytes of a socket's address is reached through the folder's descriptor. Used by both ends.
The queue manager's folder is for its owner alone; a second socket, in a folder that a group of the machine
can reach, is for the users of that group (LocalSocket in qm.ini).
"""

from __future__ import annotations

import grp
import os
import socket
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.host.folders.folder import PLAIN, file_name
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.host.folders.ini import LocalSocketSettings
    from penstock.model.errors import MQError

NAME = "socket"
SOCKETS_VARIABLE = "PENSTOCK_SOCKETS"
SOCKETS_DEFAULT = "/run/penstock"
ROOT = 0
ADDRESS_BYTES_MAX = 107
ANSWER_SECONDS = 2.0


def path_of(folder: Path) -> Path:
    """Return the socket's path."""
    return folder / NAME


def listen(folder: Path) -> socket.socket:
    """Return the listening socket; it replaces one that a killed process left. The folder's lock is held."""
    path_of(folder).unlink(missing_ok=True)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with _address(folder) as address:
        sock.bind(address)
    path_of(folder).chmod(0o666)  # the folder's mode decides who can connect
    sock.listen(1024)
    return sock


def shared_folder(name: str) -> Path:
    """Return where a client looks for a queue manager whose own folder it cannot see."""
    return Path(os.environ.get(SOCKETS_VARIABLE) or SOCKETS_DEFAULT) / file_name(name)


def group_of(folder: Path) -> str:
    """Return the name of the group that a shared folder lets in."""
    number = folder.stat().st_gid
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def folders_of_others() -> dict[str, Path]:
    """Return the shared folders that this user can reach, by the names of their queue managers."""
    place = Path(os.environ.get(SOCKETS_VARIABLE) or SOCKETS_DEFAULT)
    try:
        entries = sorted(place.iterdir())
    except OSError:
        return {}
    return {entry.name.translate(PLAIN): entry for entry in entries if os.access(path_of(entry), os.W_OK)}


def answers(folder: Path) -> bool:
    """Return whether a process listens at a folder's socket."""
    try:
        connect(folder, ANSWER_SECONDS).close()
    except OSError:
        return False
    return True


def listen_for_group(name: str, settings: LocalSocketSettings) -> socket.socket:
    """Return a listening socket that members of a group of this machine can reach; 8012 when it cannot be."""
    parent = Path(settings.folder)
    folder = parent / file_name(name)
    try:
        group = _group(settings.group)
        parent.mkdir(mode=0o755, exist_ok=True)
        _check_owner(parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        _check_owner(folder)
        os.chown(folder, -1, group)
        folder.chmod(0o750)
        return listen(folder)
    except OSError as failure:
        raise _cannot_listen(folder, f"{failure.strerror or failure}") from failure


def _group(name: str) -> int:
    try:
        return int(name) if name.isdigit() else grp.getgrnam(name).gr_gid
    except KeyError as failure:
        raise error(
            mq.PSRC_INI_ERROR, f"LocalSocket: Group={name}: this machine has no such group"
        ) from failure


def _check_owner(folder: Path) -> None:
    """Refuse a folder in which another user could replace the socket."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (ROOT, os.geteuid()) or found.st_mode & 0o022:
        raise _cannot_listen(folder, "it must be a folder that only its owner, root or us, can write to")


def _cannot_listen(folder: Path, why: str) -> MQError:
    return error(
        mq.PSRC_INI_ERROR, f"LocalSocket: no socket can be made in {folder}: {why}", path=str(folder)
    )


def connect(folder: Path, timeout: float | None) -> socket.socket:
    """Connect to a running queue manager; OSError when none is there."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(timeout)
    try:
        with _address(folder) as address:
            sock.connect(address)
    except OSError:
        sock.close()
        raise
    return sock


def remove(sock: socket.socket, with_folder: bool = False) -> None:
    """Remove the file of a listening socket that closes, and the folder that was made for it."""
    with suppress(OSError):
        path = Path(os.path.realpath(sock.getsockname()))
        path.unlink()
        if with_folder:
            path.parent.rmdir()


@contextmanager
def _address(folder: Path) -> Iterator[str]:
    path = str(path_of(folder))
    if len(os.fsencode(path)) <= ADDRESS_BYTES_MAX:
        yield path
        return
    fd = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{fd}/{NAME}"
    finally:
        os.close(fd)
