"""`penstock qmgr delete`: removes a queue manager and every message in it, after asking."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.connecting import NameOption, QmgrArgument, named_here


def delete(
    name: QmgrArgument = "",
    qmgr_name: NameOption = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="do not ask for confirmation")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="answer in JSON; needs --yes")] = False,
) -> None:
    """Delete a queue manager with all its objects and messages."""
    from penstock.cli.printing import show_json
    from penstock.host.folders.folder import delete_folder, existing_folder
    from penstock.host.folders.folder_lock import lock_folder

    if as_json and not yes:
        raise typer.BadParameter("--json cannot ask: give --yes too")
    name = named_here(name, qmgr_name)
    folder = existing_folder(name)
    with lock_folder(folder.lock):
        size = sum(path.stat().st_size for path in folder.path.rglob("*") if path.is_file())
        if not yes:
            typer.confirm(
                f"Delete {name}, its objects and all its messages ({size:,} bytes in {folder.path})?",
                abort=True,
            )
        delete_folder(folder)
    if as_json:
        show_json({"name": name, "deleted": True, "bytes": size})
    else:
        print(f"Queue manager {name} is deleted.")
