"""`penstock support-bundle`: facts for those who help, without secrets, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption


def support_bundle(
    file: Annotated[str, typer.Argument(help="the archive to write")] = "penstock-support.tar.gz",
    as_json: JsonOption = False,
) -> None:
    """Write what helpers need to one archive: versions, status, definitions, logs; no bodies, no passwords.

    Queue managers that run are asked for their state; stopped ones stay stopped.
    """
    from penstock.cli.printing import show_json
    from penstock.tools.support_bundle import write

    target = Path(file)
    if target.exists():
        raise typer.BadParameter(f"{target} exists; nothing was written")
    names = write(target)
    if as_json:
        show_json({"file": str(target), "contents": names})
        return
    print(f"{target} has {len(names)} files. Look through them before you send it.")
