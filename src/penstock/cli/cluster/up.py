"""`penstock cluster up`: makes and starts the members of a cluster on this machine, to use all its cores."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.cluster.local_members import (
    ADDRESS,
    INI,
    MEMBERS_MAX,
    SCRIPT,
    LocalMember,
    alone_in,
    folder_for,
    free_ports,
    members_in,
    write_files,
)
from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from pathlib import Path

NAME_DEFAULT = "UNI"
NameOfCluster = Annotated[str, typer.Option("--name", help="the cluster; its members are NAME1, NAME2 ...")]
FolderOption = Annotated[
    str, typer.Option("--folder", help="the members' PENSTOCK_HOME; by default clusters/NAME below yours")
]


def up(
    count: Annotated[int, typer.Argument(metavar="N", min=1, max=MEMBERS_MAX, help="how many members")],
    name: NameOfCluster = NAME_DEFAULT,
    folder: FolderOption = "",
    as_json: JsonOption = False,
) -> None:
    """Start N queue managers of one cluster on this machine, each in a process of its own."""
    from penstock.cli.printing import show_json

    place = folder_for(name, folder)
    with alone_in(place, name, new=True):
        members = _made(place, name, count)
        with redirect_stdout(sys.stderr if as_json else sys.stdout):
            _start(place, members)
    facts = [{"name": each.name, "port": each.port} for each in members]
    if as_json:
        show_json({"cluster": name, "folder": str(place), "members": facts})
        return
    print(
        f"Cluster {name} has {len(members)} members in {place}; objects of all members are in {SCRIPT} there."
    )
    given = f" --name {name}" * (name != NAME_DEFAULT) + f" --folder {folder}" * bool(folder)
    down = f"penstock cluster down{given}"
    print(f"Use one: PENSTOCK_HOME={place} penstock mqsc {members[0].name}; end all: {down}")


def _made(place: Path, cluster: str, count: int) -> list[LocalMember]:
    """Return as many members; those that are missing are created."""
    from penstock.host.starting import create

    existing = {each.name: each for each in members_in(place, cluster)}
    wanted = [f"{cluster}{n}" for n in range(1, count + 1)]
    missing = [each for each in wanted if each not in existing]
    new = [LocalMember(*each) for each in zip(missing, free_ports(len(missing)), strict=True)]
    members = existing | {each.name: each for each in new}
    first = [members[each] for each in (f"{cluster}1", f"{cluster}2") if each in members]
    write_files(place, cluster, first)
    for member in new:
        create(
            member.name,
            place,
            mqsc_config=place / SCRIPT,
            ini_config=place / INI,
            variables={"CONNAME": f"{ADDRESS}({member.port})"},
        )
    return [members[each] for each in wanted]


def _start(place: Path, members: list[LocalMember]) -> None:
    """Start the members that do not run."""
    from penstock.cli.background import start_in_background
    from penstock.host.folders.folder import existing_folder
    from penstock.host.folders.folder_lock import state_of

    os.environ["PENSTOCK_HOME"] = str(place)  # for the processes that are started
    for member in members:
        if state_of(existing_folder(member.name, place).lock)[1] is None:
            words = ["qmgr", "start", member.name, "--address", ADDRESS, "--port", str(member.port)]
            start_in_background(words)
