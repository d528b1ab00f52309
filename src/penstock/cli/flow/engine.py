"""Chooses the engine of `penstock flow run`, and the line that explains it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import typer

from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.graph.compiled import CompiledFlow


AUTO = "auto"


def choose(
    flow: CompiledFlow, wanted: str, tell: Callable[[str], None], backlog: Callable[[], int] = lambda: 0
) -> str:
    """Return the engine: the requested one if possible, else the one with the flow's guarantees.

    `auto` looks at flow, warm session and `backlog`, the messages that wait.
    """
    from penstock.flow.engines import INLINE, SPARK, why_not_spark
    from penstock.model.errors import error

    if wanted not in ("", INLINE, SPARK, AUTO):
        raise typer.BadParameter(f"engine {wanted!r} is not one of {INLINE}, {SPARK}, {AUTO}")
    if wanted == INLINE:
        return INLINE
    reasons = why_not_spark(flow)
    if wanted == SPARK and reasons:
        why = "\n".join(map(str, reasons))
        raise error(mq.PSRC_FLOW_ENGINE, f"flow {flow.name} cannot run on Spark\n{why}")
    if wanted == SPARK or (not reasons and find_spec("pyspark") is not None):
        return SPARK if wanted != AUTO else by_backlog(flow, backlog(), tell)
    why = "; ".join(map(str, reasons)) or "PySpark is not installed"
    tell(f"The inline engine runs this flow: {why}.")
    return INLINE


def by_backlog(flow: CompiledFlow, backlog: int, tell: Callable[[str], None]) -> str:
    """Return the engine that finishes earlier, and print the reason."""
    from penstock.spark.runs.break_even import decide
    from penstock.spark.runs.flow_rates import rates_of
    from penstock.spark.runs.spark_run import may_overlap
    from penstock.spark.starting import resident
    from penstock.spark.starting.session import cores

    tasks = cores() if all(may_overlap(flow, label) for label in flow.inputs) else 1
    warm = resident.status() is not None
    engine, why = decide(backlog, warm, rates=rates_of(name_of(flow)), tasks=tasks)
    tell(f"{engine.capitalize()} runs this flow: {why}.")
    return engine


def name_of(flow: CompiledFlow) -> str:
    """Return the name under which the rates of a flow are kept."""
    return f"{flow.project.folder}:{flow.name}"
