"""`penstock spark status`: whether a warm Spark session exists, and what it does."""

from __future__ import annotations

import time

import typer

from penstock.cli.connecting import JsonOption


def status(as_json: JsonOption = False) -> None:
    """Show the warm Spark session; exit 1 when there is none."""
    from penstock.cli.printing import counted, show_json
    from penstock.spark.starting import resident

    facts = resident.status()
    if as_json:
        show_json(facts)
    elif facts is None:
        print("There is no warm session; start one with `penstock spark start --background`.")
    else:
        since = time.strftime("%H:%M:%S", time.localtime(facts["started"]))
        print(
            f"Spark {facts['spark']} on {facts['master']} in process {facts['pid']} since {since}, "
            f"{counted(facts['jobs'], 'job')}, {facts['memory_bytes'] >> 20} MiB."
        )
        if facts["idle_seconds"]:
            left = max(0.0, facts["idle_seconds"] - facts["unused_seconds"])
            print(
                "`penstock flow run` has started it; "
                f"it ends in {counted(round(left / 60), 'minute')} if nobody uses it."
            )
    raise typer.Exit(0 if facts else 1)
