"""`penstock doctor --measure`: both engines on a queue manager made for it, to find where Spark pays off."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.cli.trial_run import TrialRun
    from penstock.spark.runs.break_even import Measured
    from penstock.tools.doctor import Finding

MESSAGES = 20_000


def measure() -> Finding:
    """Measure, keep the result for `penstock flow run`, and report it."""
    from penstock.cli.trial_run import TrialRun
    from penstock.spark.runs.break_even import hint, keep
    from penstock.spark.starting.class_archive import share
    from penstock.spark.starting.session import spark_folder
    from penstock.tools.doctor import Finding

    with TemporaryDirectory(prefix="penstock-measure-") as folder:
        share(spark_folder(), Path(folder) / ".spark")
        with TrialRun(Path(folder)).running() as trial:
            found = timed(trial)
    keep(found)
    text = (
        f"inline: first message after {found.inline_seconds:.1f} s, then {found.inline_rate:,.0f} a second;"
        f" Spark: {found.spark_seconds:.1f} s cold, {found.warm_seconds:.1f} s warm,"
        f" then {found.spark_rate:,.0f} a second"
    )
    return Finding("engines", "ok", text, hint(found))


def timed(trial: TrialRun) -> Measured:
    """Time one message and many, with either engine."""
    from penstock.spark.runs.break_even import Measured

    inline, inline_rate = start_and_rate(trial, "inline")
    cold = trial.seconds("spark", 1)
    trial.penstock("spark", "start", "--background")
    try:
        trial.seconds("spark", 1)  # loads what the next ones need
        warm, spark_rate = start_and_rate(trial, "spark")
    finally:
        trial.penstock("spark", "stop")
    return Measured(inline, inline_rate, cold, warm, spark_rate)


def start_and_rate(trial: TrialRun, engine: str) -> tuple[float, float]:
    """Return the seconds of a run over one message, and the rate of the rest of one over many."""
    one = trial.seconds(engine, 1)
    many = trial.seconds(engine, MESSAGES)
    return one, MESSAGES / max(many - one, 0.001)
