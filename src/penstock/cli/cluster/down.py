"""`penstock cluster down`: stops the members that `cluster up` has started, and removes them on request."""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.cluster.local_members import INI, SCRIPT, alone_in, folder_for, members_in
from penstock.cli.cluster.up import NAME_DEFAULT, FolderOption, NameOfCluster
from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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

    place, tell = folder_for(name, folder), (lambda _: None) if as_json else print
    with alone_in(place, name):
        running = _stop(place, name, tell)
        if remove and not running:
            _remove(place, name)
            tell(f"The members of {name} in {place} are removed.")
    if as_json:
        show_json({"cluster": name, "running": running, "removed": remove and not running})
    if running:
        raise typer.Exit(1)


def _stop(place: Path, name: str, tell: Callable[[str], None]) -> list[str]:
    """Stop the members; return those that still run."""
    from penstock.cli.qmgr.stop import stopped
    from penstock.host.folders.folder import existing_folder
    from penstock.host.folders.folder_lock import state_of

    running = []
    for member in members_in(place, name):
        own = existing_folder(member.name, place)
        if state_of(own.lock)[1] is None:
            tell(f"Queue manager {member.name} does not run.")
            continue
        state, gone, _ = stopped(own, "immediate", WAIT_SECONDS)
        tell(f"Queue manager {member.name} {'has stopped' if gone else f'is still {state}'}.")
        running += [] if gone else [member.name]
    return running


def _remove(place: Path, name: str) -> None:
    """Delete the members and what `up` has written; other files in the folder are the user's."""
    from penstock.host.folders.folder import existing_folder

    for member in members_in(place, name):
        shutil.rmtree(existing_folder(member.name, place).path)
    for file in (INI, SCRIPT):
        (place / file).unlink(missing_ok=True)
    with suppress(OSError):
        place.rmdir()
