"""`penstock qmgr list`: the queue managers of PENSTOCK_HOME, and which process runs them."""

from __future__ import annotations

import sys
from dataclasses import asdict

from penstock.cli.connecting import JsonOption


def list_(as_json: JsonOption = False) -> None:
    """List the queue managers of this home with their states."""
    from penstock.cli.printing import show_columns, show_json
    from penstock.host.folder import list_folders
    from penstock.host.folder_lock import state_of
    from penstock.store.home import penstock_home

    found = [(folder, *state_of(folder.lock)) for folder in list_folders()]
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
    show_columns(("name", "status", "held by", "folder"), rows)
    if not found:
        hint = f"There is none in {penstock_home()}; make one with `penstock qmgr create NAME`."
        print(hint, file=sys.stderr)
