"""`penstock spark stop`: ends the warm Spark session."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption


def stop(as_json: JsonOption = False) -> None:
    """End the warm Spark session and its jobs; the next run repeats what they did not commit."""
    from penstock.cli.printing import show_json
    from penstock.spark.starting import resident

    resident.stop()
    show_json({"stopped": True}) if as_json else print("Spark ends.")
