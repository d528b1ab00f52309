"""`penstock spark start`: starts a warm Spark session, in the foreground or in the background."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from penstock.cli.background import let_go, start_in_background
from penstock.cli.connecting import JsonOption


def start(
    master: Annotated[str, typer.Option("--master", help="where Spark runs")] = "local[*]",
    conf: Annotated[list[str] | None, typer.Option("--conf", help="a Spark option, name=value")] = None,
    background: Annotated[bool, typer.Option("--background", "-b", help="return when it runs")] = False,
    as_json: JsonOption = False,
) -> None:
    """Start a warm Spark session; jobs without --master run in it at once."""
    from penstock.flow.overrides import parse_overrides
    from penstock.spark.starting.resident import serve

    options = parse_overrides(conf or [])
    if background:
        start_in_background([word for word in sys.argv[1:] if word not in ("--background", "-b")])
        return
    serve(master, options, ready=lambda facts: _tell(facts, as_json))


def _tell(facts: dict[str, Any], as_json: bool) -> None:
    """Report that it runs, and detach from the terminal if requested."""
    from penstock.cli.printing import show_json
    from penstock.spark.starting.session import spark_folder

    if as_json:
        show_json(facts)
    else:
        print(f"Spark {facts['spark']} stays in process {facts['pid']} on {facts['master']}.")
    let_go(spark_folder() / "resident.log")
