"""`penstock cluster down`: stops the members that `cluster up` has started, and removes them on request."""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import Annotated

import typer

from penstock.cli.cluster.local_members import INI, SCRIPT, folder_for, members_in
from penstock.cli.cluster.up import NAME_DEFAULT, FolderOption, NameOfCluster
from penstock.cli.connecting import JsonOption

WAIT_SECONDS = 60.0


def down(
    name: NameOfCluster = NAME_DEFAULT,
    folder: FolderOption = "",
    remove: Annotated[
        bool, typer.Option("--remove", help="delete the members with all their messages, too")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Stop all members of a cluster that `cluster up` has made on this machine."""
    from penstock.cli.printing import show_json
    from penstock.cli.qmgr.stop import stopped
    from penstock.host.folders.folder import existing_folder
    from penstock.host.folders.folder_lock import state_of

    place = folder_for(name, folder)
    members = members_in(place)
    if not (place / INI).is_file():
        raise typer.BadParameter(f"{place} has no cluster of `penstock cluster up`", param_hint="--folder")
    running, tell = [], (lambda _: None) if as_json else print
    for member in members:
        own = existing_folder(member.name, place)
        if state_of(own.lock)[1] is None:
            tell(f"Queue manager {member.name} does not run.")
            continue
        state, gone, _ = stopped(own, "immediate", WAIT_SECONDS)
        tell(f"Queue manager {member.name} {'has stopped' if gone else f'is still {state}'}.")
        running += [] if gone else [member.name]
    if remove and not running:
        for member in members:
            shutil.rmtree(existing_folder(member.name, place).path)
        for file in (INI, SCRIPT):
            (place / file).unlink(missing_ok=True)
        tell(f"The members of {name} in {place} are removed.")
        with suppress(OSError):  # other files in it are the user's
            place.rmdir()
    if as_json:
        show_json({"cluster": name, "running": running, "removed": remove and not running})
    if running:
        raise typer.Exit(1)
