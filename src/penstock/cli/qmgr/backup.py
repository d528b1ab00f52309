"""`penstock qmgr backup`: a copy of a queue manager that starts by itself elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def backup(
    name: Annotated[str, typer.Argument(help="the queue manager, or its mq:// address")],
    target: Annotated[Path, typer.Argument(help="a new folder for the copy, on its machine")],
    as_json: Annotated[bool, typer.Option("--json", help="answer in JSON")] = False,
) -> None:
    """Copy a queue manager, consistent as of now, into a new folder."""
    from penstock.cli.choosing import connected
    from penstock.cli.listing import show_json
    from penstock.wire.client.address import is_address

    there = is_address(name)
    with connected(name, commands_only=True) as qm:
        made = qm.backup(target if there else target.absolute())
    if there:  # the copy may be on another machine
        facts = {"name": qm.name, "target": str(made)}
        show_json(facts) if as_json else print(f"Queue manager {qm.name} is copied to {made} on its machine.")
        return
    files = [path for path in target.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    if as_json:
        show_json({"name": name, "target": str(target), "files": len(files), "bytes": size})
    else:
        print(f"Queue manager {name} is copied to {target}: {len(files)} files, {size:,} bytes.")
