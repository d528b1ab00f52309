"""`penstock web status`: whether the web console of this home runs, and where."""

from __future__ import annotations

import typer

from penstock.cli.connecting import JsonOption


def status(as_json: JsonOption = False) -> None:
    """Say whether the web console runs, and at which address; exit 1 if it does not."""
    from penstock.cli.needing import needs_extra
    from penstock.cli.printing import show_json

    with needs_extra("console"):
        from penstock.console.process import address, holder

    found = holder()
    where = address() if found is not None else ""
    if as_json:
        show_json({"process": None if found is None else found.pid, "address": where or None})
    elif found is None:
        print("The web console does not run.")
    else:
        print(f"The web console runs at {where} in process {found.pid}.")
    raise typer.Exit(0 if found is not None else 1)
