"""From how many messages on Spark pays off on this machine, as `penstock doctor --measure` has found out.

A run on Spark takes longer to start and may be faster afterwards. `Measured` has both for either engine and a
simple flow, and is kept in the Spark folder of PENSTOCK_HOME; `hint` and `decide` are the hint and the choice
of `penstock flow run`. `flow_rates` has what single flows did, for the choice.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from penstock.spark.starting.session import spark_folder
from penstock.store.home import make_private

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

INLINE, SPARK = "inline", "spark"
FILE = "measured.json"
START = "`--engine inline` starts in half a second"
ASSUMED_MESSAGES = 100_000  # where nothing was measured: no more than a guess, and called one


@dataclass(frozen=True)
class Measured:
    """Seconds until the first message is out, and messages a second after that, for a simple flow."""

    inline_seconds: float
    inline_rate: float
    spark_seconds: float  # cold
    warm_seconds: float
    spark_rate: float

    def messages(self, warm: bool = False) -> int | None:
        """Return from how many messages on Spark is done earlier; None if it never is."""
        saved = 1 / self.inline_rate - 1 / self.spark_rate
        later = (self.warm_seconds if warm else self.spark_seconds) - self.inline_seconds
        if later <= 0:
            return 0
        return math.ceil(later / saved) if saved > 0 else None


def measured(folder: Path | None = None) -> Measured | None:
    """Return the measurements of this machine; None if there are none."""
    try:
        return Measured(**json.loads(((folder or spark_folder()) / FILE).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def keep(found: Measured, folder: Path | None = None) -> None:
    """Store the measurements."""
    place = folder or spark_folder()
    make_private(place)
    (place / FILE).write_text(json.dumps(asdict(found)))


def hint(found: Measured | None = None) -> str:
    """Return the sentence that names the alternative to Spark."""
    found = found or measured()
    if found is None:
        return f"{START}; `penstock doctor --measure` finds out from how many messages on Spark pays off"
    least = found.messages()
    if least is None:
        return f"{START} and is as quick here for simple flows; Spark pays off for heavy ones and on clusters"
    return f"{START}; Spark pays off from about {rounded(least):,} messages on"


def for_flow(found: Measured, rates: Mapping[str, float], tasks: int) -> Measured:
    """Return the measurements for a flow with known rates: by engine, messages a second.

    Where one rate is known, the other follows: what a message takes more than one of the simple flow is the
    same work, divided among `tasks` on Spark.
    """
    inline, spark = rates.get(INLINE), rates.get(SPARK)
    if inline is None and spark is not None:
        more = max(0.0, 1 / spark - 1 / found.spark_rate) * tasks
        inline = 1 / (1 / found.inline_rate + more)
    elif spark is None and inline is not None:
        more = max(0.0, 1 / inline - 1 / found.inline_rate) / tasks
        spark = 1 / (1 / found.spark_rate + more)
    if inline is None or spark is None:
        return found
    return replace(found, inline_rate=inline, spark_rate=spark)


def decide(
    backlog: int,
    warm: bool,
    found: Measured | None = None,
    rates: Mapping[str, float] | None = None,
    tasks: int = 1,
) -> tuple[str, str]:
    """Return the engine for a backlog and the reason; `rates` and `tasks` are those of the flow."""
    found = found or measured()
    if found is not None and rates:
        found = for_flow(found, rates, tasks)
    what = "this flow" if rates else "a simple flow"
    least = ASSUMED_MESSAGES if found is None else found.messages(warm)
    session = "the warm session" if warm else "a cold start"
    waiting = f"{backlog:,} message{'' if backlog == 1 else 's'} waiting"
    if least is None:
        return INLINE, f"{waiting}; inline is as quick as Spark here for {what}"
    guess = "a guess: `penstock doctor --measure` finds out"
    basis = guess if found is None else f"measured here with {what}"
    text = f"{waiting}; with {session} Spark pays off from about {rounded(least):,} on ({basis})"
    return (SPARK if backlog >= least else INLINE), text


def rounded(number: int) -> int:
    """Return a number with two digits that count.

    >>> rounded(13_749)
    14000
    """
    size = 10 ** max(0, len(str(number)) - 2)
    return round(number / size) * size
