"""The rates that flows had in earlier runs, by engine, for the choice of `--engine auto`.

Kept in the Spark folder of PENSTOCK_HOME. Runs with few messages are left out: they are mostly start.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from penstock.flow.engines import RATE_MESSAGES_MIN
from penstock.spark.starting.session import spark_folder
from penstock.store.home import make_private

if TYPE_CHECKING:
    from pathlib import Path

FILE = "flow-rates.json"
FLOWS_MAX = 200  # the oldest are forgotten


def rates_of(flow: str, folder: Path | None = None) -> dict[str, float]:
    """Return the messages a second that a flow did, by engine; empty if it is not known."""
    return _all(folder or spark_folder()).get(flow, {})


def remember(flow: str, engine: str, messages: int, rate: float, folder: Path | None = None) -> None:
    """Keep the rate of a run."""
    if messages < RATE_MESSAGES_MIN:
        return
    place = folder or spark_folder()
    make_private(place)
    known = _all(place)
    known[flow] = {**known.pop(flow, {}), engine: rate}
    draft = place / f"{FILE}.{os.getpid()}"
    draft.write_text(json.dumps(dict(list(known.items())[-FLOWS_MAX:])))
    draft.replace(place / FILE)


def _all(folder: Path) -> dict[str, dict[str, float]]:
    try:
        found = json.loads((folder / FILE).read_text())
        return {str(flow): {str(e): float(r) for e, r in rates.items()} for flow, rates in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
