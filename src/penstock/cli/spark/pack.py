"""`penstock spark pack`: an archive of this Penstock for the workers of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption


def pack(
    target: Annotated[Path, typer.Argument(help="the archive to write")] = Path(
        "penstock-environment.tar.gz"
    ),
    more: Annotated[list[str] | None, typer.Option("--with", help="a package that flows need too")] = None,
    sources: Annotated[
        list[str] | None, typer.Option("--dsn", help="a data source that flows need; its URL has no password")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Pack the installed Penstock and its dependencies, compiled, for workers of the same platform."""
    from penstock.cli.printing import show_json
    from penstock.spark.starting.packing import options_for
    from penstock.spark.starting.packing import pack as write

    facts = write(target, more or (), sources or ())
    options = options_for(target, has_sources=bool(sources))
    if as_json:
        show_json({**facts, "options": options})
        return
    print(f"{facts['archive']}: {facts['bytes'] >> 20} MiB for {facts['build']}. Give it to executors with")
    for name, value in options.items():
        print(f"  --conf {name}={value}")
