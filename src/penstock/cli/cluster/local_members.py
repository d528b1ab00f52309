"""The members of a cluster that `cluster up` makes on this machine: a folder with files and queue managers.

The folder is a PENSTOCK_HOME of its own. Its `uniform.ini` and `uniform.mqsc` configure every member at
each start; a member's port is the variable CONNAME of its `qm.ini`. Starts and stops nothing: `up` and
`down` do. Invariant: a folder has the files of one cluster, and one command at a time works there.
"""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

INI, SCRIPT = "uniform.ini", "uniform.mqsc"
NAME_LENGTH_MAX = 8  # of a cluster: names of its channels have it twice
MEMBERS_MAX = 64
ADDRESS = "127.0.0.1"


@dataclass(frozen=True)
class LocalMember:
    """A member: its name and the port it listens at."""

    name: str
    port: int


def folder_for(cluster: str, folder: str) -> Path:
    """Return the folder of a cluster; a usage error for a name that channels cannot have."""
    from penstock.model.names import is_object_name
    from penstock.store.home import penstock_home

    if not is_object_name(cluster) or len(cluster) > NAME_LENGTH_MAX or not cluster[-1].isalpha():
        text = f"{cluster}: a name of 1 to {NAME_LENGTH_MAX} characters that ends with a letter"
        raise typer.BadParameter(text, param_hint="--name")
    return Path(folder).absolute() if folder else penstock_home() / "clusters" / cluster


@contextmanager
def alone_in(folder: Path, cluster: str, new: bool = False) -> Iterator[None]:
    """Wait until no other command works in the folder of a cluster, and keep others out."""
    while True:
        if new:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        elif not (folder / INI).is_file():
            text = f"{folder} has no cluster of `penstock cluster up`"
            raise typer.BadParameter(text, param_hint="--folder")
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            _lock(descriptor, folder)
            if not folder.is_dir() or not os.path.samestat(os.fstat(descriptor), folder.stat()):
                continue  # `down --remove` of another process has removed it
            _check_owner(folder, cluster)
            yield
            return
        finally:
            os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"Waiting for another `penstock cluster` command in {folder}.", file=sys.stderr, flush=True)
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _check_owner(folder: Path, cluster: str) -> None:
    """Refuse a folder whose files configure another cluster."""
    found = folder / INI
    if found.is_file() and f"ClusterName={cluster}" not in found.read_text().replace(" ", "").split():
        text = f"{found} configures another cluster than {cluster}; give each cluster its own folder"
        raise typer.BadParameter(text, param_hint="--folder")


def members_in(folder: Path, cluster: str) -> list[LocalMember]:
    """Return the members that exist, in the order of their numbers; other queue managers are the user's."""
    from penstock.host.folders.folder import list_folders
    from penstock.host.folders.ini import read_settings

    found = []
    for each in list_folders(folder) if folder.is_dir() else ():
        if not each.name.startswith(cluster) or not each.name[len(cluster) :].isdigit():
            continue
        conname = dict(read_settings(each.ini).variables).get("CONNAME", "")
        port = conname.rpartition("(")[2].rstrip(")")
        if port.isdigit():
            found.append(LocalMember(each.name, int(port)))
    return sorted(found, key=lambda each: (len(each.name), each.name))


def write_files(folder: Path, cluster: str, first: list[LocalMember]) -> None:
    """Write the files that configure every member; the first two members are the full repositories."""
    lines = ["AutoCluster:", f"   ClusterName={cluster}", "   Type=Uniform"]
    for number, member in enumerate(first[:2], 1):
        lines.append(f"   Repository{number}Name={member.name}")
        lines.append(f"   Repository{number}Conname={ADDRESS}({member.port})")
    (folder / INI).write_text("\n".join(lines) + "\n")
    script = folder / SCRIPT
    if not script.exists():  # users add their objects to it
        script.write_text(
            "* Applied to every member of the cluster at each start; add your objects with REPLACE.\n"
            "DEFINE CHANNEL('+AUTOCL+.+QMNAME+') CHLTYPE(CLUSRCVR) TRPTYPE(TCP) +\n"
            "  CONNAME('+CONNAME+') CLUSTER('+AUTOCL+') REPLACE\n"
        )


def free_ports(count: int) -> list[int]:
    """Return free ports."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind((ADDRESS, 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
