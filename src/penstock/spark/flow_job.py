"""A flow on Spark: one query for each of its queues, in the fused plan, exactly once.

`start` checks that Spark can promise what the flow asks for, and starts the queries. The driver and the tasks
reach the queue manager by the same address, so on a cluster it has to be one that the workers can reach. Room
`flow` says what a flow means; here is only where it runs.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.flow.nodes.mq_input import MQInput
from penstock.model.constants_reasons import PSRC_FLOW_ENGINE
from penstock.model.errors import error
from penstock.spark import fused
from penstock.spark.session import is_local, spark_folder
from penstock.wire.client.address import is_address

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from penstock.flow.compiled import CompiledFlow

WORK = "penstock.spark.flow_work:make"
BATCH_ROWS = 50_000  # a batch costs half a second whatever it holds


@dataclass(frozen=True)
class SparkRun:
    """What a flow is run with: the queue manager, batches, and what was set.

    `checkpoint` is a folder that belongs to this flow on this queue manager; without one it is found below
    PENSTOCK_HOME. `options` are further ones of the source: user, passwordFile, home ...
    """

    url: str
    batch_rows: int = BATCH_ROWS
    partitions: int = 2
    until_empty: bool = False
    interval_seconds: float = 0.0
    checkpoint: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)


def start(spark: SparkSession, flow: CompiledFlow, run: SparkRun, master: str) -> dict[str, StreamingQuery]:
    """Start a flow; return its queries by the label of their input."""
    check(flow, run, master)
    return {label: _start_one(spark, flow, label, node, run) for label, node in _queues(flow).items()}


def check(flow: CompiledFlow, run: SparkRun, master: str) -> None:
    """Refuse a job that cannot keep its promise: 8305 with the node or the address."""
    from penstock.flow.engines import why_not_spark

    reasons = why_not_spark(flow)
    if reasons:
        told = "; ".join(f"{node}: {reason}" for node, reason in reasons)
        raise error(PSRC_FLOW_ENGINE, f"flow {flow.name} cannot run on Spark: {told}", nodes=reasons)
    if not is_local(master) and not is_address(run.url):
        raise error(
            PSRC_FLOW_ENGINE,
            f"workers of {master} cannot reach queue manager {run.url} by its name: give an mq:// address",
        )


def _queues(flow: CompiledFlow) -> dict[str, MQInput]:
    return {label: node for label, node in flow.inputs.items() if isinstance(node, MQInput)}


def _start_one(
    spark: SparkSession, flow: CompiledFlow, label: str, node: MQInput, run: SparkRun
) -> StreamingQuery:
    name = f"{flow.name}/{label}"
    options = {
        **run.options,
        "url": run.url,
        "queue": node.queue,
        "flow": name,
        "maxRows": str(run.batch_rows),
        "partitions": str(1 if keeps_order(node) else run.partitions),
    }
    reaching = {key: value for key, value in options.items() if key not in ("queue", "flow", "maxRows")}
    arguments = {
        "project": str(flow.project.folder.resolve()),
        "flow": flow.name,
        "input": label,
        "set": run.settings,
        "options": reaching,
        "qmgr": run.url,
        **run.arguments,
    }
    return fused.start(
        spark,
        options,
        work=WORK,
        arguments=arguments,
        checkpoint=str(checkpoint_of(run, name)),
        until_empty=run.until_empty,
        interval_seconds=run.interval_seconds,
        name=name,
    )


def keeps_order(node: MQInput) -> bool:
    """Say whether a queue's messages must be worked in order: then one partition does."""
    return node.order != "none" or node.logical_order


def checkpoint_of(run: SparkRun, name: str) -> Path | str:
    """Return the folder that Spark remembers a flow in: the one given, or one for flow and queue manager."""
    mark = hashlib.sha256(f"{name} {run.url}".encode()).hexdigest()[:16]
    if run.checkpoint:
        return f"{run.checkpoint.rstrip('/')}/{mark}"
    return spark_folder(run.options.get("home")) / "checkpoints" / mark
