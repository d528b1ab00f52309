"""`penstock spark stop`: ends the warm Spark session."""

from __future__ import annotations


def stop() -> None:
    """End the warm Spark session, with its jobs; what they have not committed, the next run does."""
    from penstock.spark import resident

    resident.stop()
    print("Spark ends.")
