"""`penstock qmgr backup`: a copy of a queue manager that starts by itself elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def backup(
    name: Annotated[str, typer.Argument(help="the queue manager")],
    target: Annotated[Path, typer.Argument(help="a new folder for the copy")],
    as_json: Annotated[bool, typer.Option("--json", help="answer in JSON")] = False,
) -> None:
    """Copy a queue manager, consistent as of now, into a new folder."""
    from penstock.cli.choosing import connected
    from penstock.cli.listing import show_json

    with connected(name) as qm:
        qm.backup(target.absolute())
    files = [path for path in target.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    if as_json:
        show_json({"name": name, "target": str(target), "files": len(files), "bytes": size})
    else:
        print(f"Queue manager {name} is copied to {target}: {len(files)} files, {size:,} bytes.")
