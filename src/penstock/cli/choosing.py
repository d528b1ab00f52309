"""Which queue manager a command means when the user does not say.

`--qmgr`, else PENSTOCK_QMGR, else the only one there is. Called by the commands that take --qmgr.
"""

from __future__ import annotations

from typing import Annotated

import typer

QmgrOption = Annotated[
    str,
    typer.Option(
        "--qmgr", "-m", envvar="PENSTOCK_QMGR", help="queue manager; may be left out when there is only one"
    ),
]


def chosen(qmgr: str) -> str:
    """Return the queue manager to use; a usage error when it is not clear which."""
    from penstock.host.folder import list_folders, penstock_home

    if qmgr:
        return qmgr
    names = [folder.name for folder in list_folders()]
    if len(names) == 1:
        return names[0]
    if not names:
        raise typer.BadParameter(
            f"there is no queue manager in {penstock_home()}; make one with `penstock qmgr create NAME`"
        )
    raise typer.BadParameter(f"say which queue manager with --qmgr; there are {', '.join(names)}")
