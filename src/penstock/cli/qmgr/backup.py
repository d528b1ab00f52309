"""`penstock qmgr backup`: a copy of a queue manager that can be restored, or started where it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption, QmgrOption, named


def backup(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME] TARGET",
            help="the queue manager or its mq:// address, and a new folder for the copy, on its machine",
            autocompletion=completion.queue_managers,
        ),
    ],
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
) -> None:
    """Copy a queue manager, consistent as of now, into a new folder; one that does not run is not started."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json
    from penstock.client.address import is_address
    from penstock.host.backups.manifest import read_manifest

    if len(words) > 2:
        raise typer.BadParameter(f"a backup needs a queue manager and a folder, not {' '.join(words)}")
    name, target = named(words[0] if len(words) > 1 else "", qmgr), Path(words[-1])
    if is_address(name):  # the copy may be on another machine
        with connected(name, commands_only=True) as qm:
            made = qm.backup(target)
        facts = {"name": qm.name, "target": str(made)}
        show_json(facts) if as_json else print(f"Queue manager {qm.name} is copied to {made} on its machine.")
        return
    copy_local(name, target.absolute())
    found = read_manifest(target)
    if as_json:
        facts = {"name": name, "target": str(target), "made": found.made, "mode": "0700"}
        show_json({**facts, "files": len(found.files), "bytes": found.bytes, "notes": found.notes})
        return
    print(f"Queue manager {name} is copied to {target}: {len(found.files)} files, {found.bytes:,} bytes.")
    print(
        "It holds messages, objects, settings, models and TLS keys (mode 0700), but no users, data sources or"
    )
    print("brokers: `penstock home backup` holds those too.")
    for note in found.notes:
        print(f"Not in it: {note}.")


def copy_local(name: str, target: Path) -> None:
    """Let a running local queue manager copy itself, else copy its folder."""
    from penstock import connect
    from penstock.host.backups.backup import backup_stopped
    from penstock.host.folders.folder import existing_folder
    from penstock.host.folders.folder_lock import holder_of

    folder = existing_folder(name)
    if holder_of(folder.lock) is None:
        backup_stopped(folder, target)
        return
    with connect(name, commands_only=True) as qm:
        qm.backup(target)
