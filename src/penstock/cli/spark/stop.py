"""`penstock spark stop`: ends the warm Spark session."""

from __future__ import annotations

from typing import Annotated

import typer


def stop(as_json: Annotated[bool, typer.Option("--json", help="answer in JSON")] = False) -> None:
    """End the warm Spark session, with its jobs; what they have not committed, the next run does."""
    from penstock.cli.listing import show_json
    from penstock.spark import resident

    resident.stop()
    show_json({"stopped": True}) if as_json else print("Spark ends.")
