"""The settings of one run of a flow on Spark, and what each of its queries gets from them.

`SparkRun` is plain values, so that it can be sent to a warm session. `of_query` makes the options of the
query for one input, and the arguments of the work that its tasks do.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from penstock.flow.loading import compiled_flow
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.publication import Publication
from penstock.spark.remote_queue_manager import queue_manager_of
from penstock.spark.runs.aggregation_timers import collecting
from penstock.spark.runs.flow_work import work_arguments
from penstock.spark.starting.session import spark_folder

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.graph.compiled import CompiledFlow

JOB = "penstock.spark.runs.flow_job:run"  # by name: whoever asks for it need not load PySpark
BATCH_ROWS = 100_000  # a batch costs half a second regardless of its size
PATIENCE_SECONDS = 5.0  # with a queue manager that does not answer, while others have work for the tasks
SECOND = "~2"  # behind the name of a flow: its second query, for a backlog
SLICE_MILLIS = 50  # of work that a further task is worth: it costs about 20 itself
NOT_FOR_WORK = ("queue", "flow", "maxRows", "partitions", "sliceMillis", "epoch")


@dataclass(frozen=True)
class SparkRun:
    """The settings of a run: its project, the queue manager, batches, and properties.

    `checkpoint` is a folder that belongs to this flow on this queue manager; by default it is below
    PENSTOCK_HOME. `options` are further ones of the source: user, passwordFile, home ... `fixed` gives the
    tasks a seed and a time, so that two runs can be compared.
    """

    project: str
    flow: str
    url: str
    properties: dict[str, str] = field(default_factory=dict)
    batch_rows: int = BATCH_ROWS
    partitions: int = 0  # most tasks of a batch; 0: as many as Spark has cores
    until_empty: bool = False
    interval_seconds: float = 0.0
    checkpoint: str = ""
    options: dict[str, str] = field(default_factory=dict)
    also: list[str] = field(default_factory=list)  # further queue managers, whose queues are read too
    fixed: dict[str, Any] = field(default_factory=dict)

    def compiled(self) -> CompiledFlow:
        """Return the flow, with its properties set and checked."""
        return compiled_flow(self.project, self.flow, self.properties)

    def source_options(self) -> dict[str, str]:
        """Return the source options that locate the queue manager."""
        return {**self.options, "url": self.url}

    def each(self) -> list[SparkRun]:
        """Return this run for each of its queue managers; with several, none is waited for at length."""
        if not self.also:
            return [self]
        options = {"patience": str(PATIENCE_SECONDS), **self.options}
        return [replace(self, url=url, also=[], options=options) for url in (self.url, *self.also)]

    def arguments(self) -> dict[str, Any]:
        """Return everything as plain values, for a job."""
        return asdict(self)


def input_queues(flow: CompiledFlow) -> list[str]:
    """Return the queues that a flow reads."""
    return [node.queue for node in flow.inputs.values() if isinstance(node, MQInput)]


def may_overlap(flow: CompiledFlow, label: str) -> bool:
    """Return whether two batches of an input may run at once.

    Not if an order is kept, or records of the flow, or the last publication of a topic: the later one stays.
    """
    node = flow.inputs[label]
    retains = any(isinstance(each, Publication) and each.retain for each in flow.flat.nodes.values())
    return not (node.is_ordered or retains or collecting(flow) or flow.state_queues)


def of_query(
    given: SparkRun, flow: CompiledFlow, label: str, *, far: bool = False
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the options of the query for one input, and the arguments of its work.

    `far` workers get the project with the arguments.
    """
    node = flow.inputs[label]
    assert isinstance(node, MQInput)
    options = {
        **given.source_options(),
        "queue": node.queue,
        "flow": f"{given.flow}/{label}",
        "maxRows": str(given.batch_rows),
        "sliceMillis": str(SLICE_MILLIS),
        # replies of one aggregation change the same records: one task processes them, in order
        "partitions": str(1 if node.is_ordered or collecting(flow) else given.partitions),
    }
    arguments = work_arguments(
        str(given.project),
        given.flow,
        label,
        far=far,
        set=given.properties,
        qmgr=queue_manager_of(options).do(lambda qm: str(qm.name)),
        options={key: value for key, value in options.items() if key not in NOT_FOR_WORK},
        **given.fixed,
    )
    return options, arguments


def checkpoint_of(given: SparkRun, name: str) -> Path | str:
    """Return the checkpoint folder of a flow: the one given, or one for flow and queue manager."""
    mark = hashlib.sha256(f"{name} {given.url}".encode()).hexdigest()[:16]
    if given.checkpoint:
        return f"{given.checkpoint.rstrip('/')}/{mark}"
    return spark_folder(given.options.get("home")) / "checkpoints" / mark
