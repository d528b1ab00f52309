"""`penstock home backup`: a copy of all queue managers, users, data sources and brokers of a home."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.flow.broker.home_backup import Parts


def backup(
    target: Annotated[Path, typer.Argument(help="a new folder for the copy, outside PENSTOCK_HOME")],
    as_json: JsonOption = False,
) -> None:
    """Copy the whole home into a new folder, while everything runs. The copy holds secrets."""
    from penstock.cli.printing import show_json
    from penstock.flow.broker.home_backup import backup_home, parts_of

    made = backup_home(target.absolute())
    parts = parts_of(made)
    if as_json:
        facts = {"home": made.name, "target": str(target), "made": made.made, "parts": parts._asdict()}
        show_json(
            {**facts, "files": len(made.files), "bytes": made.bytes, "mode": "0700", "notes": made.notes}
        )
        return
    print(f"Home {made.name} is copied to {target}: {len(made.files)} files, {made.bytes:,} bytes.")
    print(f"It holds {told(parts)}.")
    print(
        "It holds secrets (messages, private keys, hashed passwords, passwords of data sources): mode 0700."
    )
    for note in made.notes:
        print(f"Not in it: {note}.")


def told(parts: Parts) -> str:
    """Return the contents of a home or its backup, in words."""
    kinds = (("queue manager", parts.queue_managers), ("broker", parts.brokers), ("file", parts.files))
    named = [f"{kind}{'s' if len(names) > 1 else ''} {', '.join(names)}" for kind, names in kinds if names]
    return "; ".join(named) or "nothing"
