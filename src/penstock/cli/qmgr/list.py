"""`penstock qmgr list`: the queue managers of PENSTOCK_HOME, and which process runs them."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from penstock.cli.connecting import JsonOption


def list_(as_json: JsonOption = False) -> None:
    """List the queue managers of this home with their states, and those of other users that let us in."""
    from penstock.cli.printing import show_columns, show_json
    from penstock.host.folders.folder import list_folders
    from penstock.host.folders.folder_lock import state_of
    from penstock.host.local_socket import folders_of_others
    from penstock.store.home import penstock_home

    found = [(folder, *state_of(folder.lock)) for folder in list_folders()]
    own = {folder.name for folder, *_ in found}
    others = {name: path for name, path in folders_of_others().items() if name not in own}
    if as_json:
        show_json(
            [
                {
                    "name": folder.name,
                    "status": state,
                    "folder": str(folder.path),
                    "holder": asdict(holder) if holder else None,
                }
                for folder, state, holder in found
            ]
            + [
                {
                    "name": name,
                    "status": _state(path),
                    "folder": str(path),
                    "holder": None,
                    "owner": _owner(path),
                }
                for name, path in others.items()
            ]
        )
        return
    rows = [
        (
            folder.name,
            state,
            f"{holder.program} ({holder.pid})" if holder else "",
            folder.path,
        )
        for folder, state, holder in found
    ]
    rows += [(name, _state(path), f"user {_owner(path)}", path) for name, path in others.items()]
    show_columns(("name", "status", "held by", "folder"), rows)
    if not rows:
        hint = f"There is none in {penstock_home()}; make one with `penstock qmgr create NAME`."
        print(hint, file=sys.stderr)


def _state(shared: Path) -> str:
    """Return the state of another user's queue manager, as far as its socket shows it."""
    from penstock.host.local_socket import answers

    return "Running" if answers(shared) else "Ended"


def _owner(shared: Path) -> str:
    """Return the user whose queue manager it is."""
    try:
        return shared.owner()
    except KeyError:
        return str(shared.stat().st_uid)
