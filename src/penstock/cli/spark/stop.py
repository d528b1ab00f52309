"""`penstock spark stop`: ends the Spark that stays."""

from __future__ import annotations


def stop() -> None:
    """End the Spark that stays, with its jobs; what they have not committed, the next run does."""
    from penstock.spark import resident

    resident.stop()
    print("Spark ends.")
