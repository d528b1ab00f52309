"""`penstock qmgr restore`: puts a queue manager back from its backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption

ReplaceOption = Annotated[bool, typer.Option("--replace", help="overwrite what exists; it must not run")]
CheckOption = Annotated[bool, typer.Option("--check", help="check that the backup is whole, restore nothing")]


def restore(
    source: Annotated[Path, typer.Argument(help="a folder that `penstock qmgr backup` has made")],
    replace: ReplaceOption = False,
    check: CheckOption = False,
    as_json: JsonOption = False,
) -> None:
    """Restore a queue manager under its own name; the backup is checked first."""
    from penstock.cli.printing import show_json
    from penstock.host.backups.restoring import restore_queue_manager

    if check:
        show_check(source, as_json)
        return
    folder, found = restore_queue_manager(source, replace=replace)
    if as_json:
        facts = {"name": folder.name, "folder": str(folder.path), "source": str(source), "made": found.made}
        show_json({**facts, "files": len(found.files), "bytes": found.bytes})
    else:
        print(f"Queue manager {folder.name} is restored to {folder.path}, as it was at {found.made}.")
        print("It is a separate incarnation: messages that the original also delivers arrive twice.")


def show_check(source: Path, as_json: bool) -> None:
    """Read a backup completely and report that it is whole; 8018 if it is not."""
    from penstock.cli.printing import show_json
    from penstock.host.backups.manifest import verify

    found = verify(source)
    if as_json:
        facts = {"kind": found.kind, "name": found.name, "made": found.made, "release": found.release}
        show_json({**facts, "files": len(found.files), "bytes": found.bytes, "notes": found.notes})
        return
    print(f"{source} is a whole backup of {found.kind} {found.name}, made at {found.made}.")
    for note in found.notes:
        print(f"Not in it: {note}.")
