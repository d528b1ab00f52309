"""`penstock qmgr image`: records what a damaged queue manager can be rebuilt from, as rcdmqimg does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrArgument, QmgrOption, named


def image(
    name: QmgrArgument = "",
    qmgr: QmgrOption = "",
    archive: Annotated[
        Path | None, typer.Option("--archive", help="move log files that nothing needs to this folder")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Record a media image of all objects (linear logging), and show which log files are still needed."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import counted, show_json
    from penstock.host.folder import existing_folder
    from penstock.host.media_image import archive as move_away

    name = named(name, qmgr)
    folder = existing_folder(name) if archive is not None else None
    with connected(name, commands_only=True) as qm:
        facts = qm.record_image()
    if folder is not None and archive is not None:
        move_away(folder, facts["not_needed"], archive.absolute())
        facts["archived"] = str(archive.absolute())
    if as_json:
        show_json({"name": name, **facts})
        return
    print(f"Queue manager {name} has recorded {facts['image']}.")
    print(f"Log files needed: {facts['restart']} and later for a restart,")
    print(f"{facts['media']} and later for a media recovery.")
    older = counted(len(facts["not_needed"]), "older log file")
    if archive is not None:
        print(f"Moved to {archive}: {older}.")
    elif facts["not_needed"]:
        print(f"Not needed any more: {older}, up to {facts['not_needed'][-1]}; --archive FOLDER moves them.")
