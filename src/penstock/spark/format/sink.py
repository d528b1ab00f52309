"""The streaming sink: tasks prepare, the driver commits.

Rows that carry the mark of one reservation are committed together with it: inputs disappear and outputs
appear in one step. Other rows (the mark was dropped, rows were shuffled, joined or come from elsewhere) are
committed under the batch number of the query, as a separate flow of the sink; then a repeated batch changes
nothing either. Invariant: a commit names exactly the attempts that Spark passes to it; it drops all others.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceStreamArrowWriter, WriterCommitMessage

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.format.columns import RESERVATION, OutputMaker
from penstock.spark.plain_errors import plain
from penstock.spark.remote_queue_manager import queue_manager_of
from penstock.spark.runs.reservation import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from penstock.spark.remote_queue_manager import RemoteQueueManager

SINK_PREFIX = "sink/"
QUERY_ID = "sql.streaming.queryId"  # names inside Spark: a test holds on to them
BATCH_ID = "streaming.sql.batchId"


@dataclass
class Prepared(WriterCommitMessage):
    """What a task has prepared: an attempt at a slice of a batch. `flow` is "" if there is nothing."""

    flow: str = ""
    n: int = 0
    epoch: int = 0
    slice: int = 0
    attempt: str = ""
    rows: int = 0


class QueueSink(DataSourceStreamArrowWriter):
    """Puts the rows of a streaming query to queues, exactly once."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self._remote = queue_manager_of(options)
        self._sink_flow = options.get("flow", "")
        self._marked = RESERVATION in schema.fieldNames()
        self._maker = OutputMaker(schema.fieldNames(), options)

    @plain
    def write(self, iterator: Iterator[pa.RecordBatch]) -> Prepared:
        """Prepare the rows of a partition; they are on disk, but not visible."""
        rows = [row for batch in iterator for row in batch.to_pylist()]
        marked = self._marked and any(row[RESERVATION] for row in rows)  # what was browsed has no mark
        return self._prepare_marked(rows) if marked else self._prepare(rows)

    def _prepare_marked(self, rows: list[dict[str, Any]]) -> Prepared:
        task = TaskContext.get()
        assert task is not None
        marks = {row[RESERVATION] for row in rows}
        if not marks:
            return Prepared()  # nothing to put: the batch ends when Spark asks for the next one
        if len(marks) > 1 or None in marks:
            raise error(mq.PSRC_BATCH_MIXED, f"the rows of a task come from {len(marks)} reservations")
        mark = Mark.of(marks.pop())
        if mark.stage != task.stageId():
            raise error(mq.PSRC_BATCH_MIXED, "the rows were shuffled on their way from the queue")
        if mark.qmid != self._remote.qmid():
            raise error(
                mq.PSRC_BATCH_MIXED, f"the rows come from {mark.qmid}, another queue manager than they go to"
            )
        return self._keep(mark.flow, mark.n, mark.epoch, task.partitionId(), rows)

    def _prepare(self, rows: list[dict[str, Any]]) -> Prepared:
        task = TaskContext.get()
        assert task is not None
        query = str(task.getLocalProperty(QUERY_ID))  # another query, or a new checkpoint, counts anew
        flow = f"{self._sink_flow}/{query}" if self._sink_flow else SINK_PREFIX + query
        n = int(task.getLocalProperty(BATCH_ID) or 0) + 1
        if not rows:
            return Prepared()
        begun = self._remote.do(lambda qm: qm.batches.begin(flow, n))
        if begun["recorded"]:
            return Prepared()
        return self._keep(flow, n, begun["epoch"], task.partitionId(), rows)

    def _keep(self, flow: str, n: int, epoch: int, slice: int, rows: list[dict[str, Any]]) -> Prepared:
        attempt = uuid.uuid4().hex
        outputs = list(self._maker.outputs(rows))
        self._remote.do(lambda qm: qm.batches.prepare_outputs(flow, n, slice, attempt, outputs, epoch=epoch))
        return Prepared(flow, n, epoch, slice, attempt, len(rows))

    @plain
    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Publish what the tasks of a batch have prepared, in one step; a repeated commit does nothing."""
        commit_prepared(self._remote, messages)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Leave everything: the next run drops what was prepared, or the batch is tried again."""


def commit_prepared(remote: RemoteQueueManager, messages: list[WriterCommitMessage | None]) -> None:
    """Commit the batch of a list of prepared attempts; nothing if there are none."""
    prepared = [each for each in messages if isinstance(each, Prepared) and each.flow]
    batches = {(each.flow, each.n, each.epoch) for each in prepared}
    if not batches:
        return
    if len(batches) > 1:
        raise error(mq.PSRC_BATCH_MIXED, f"the rows of a batch come from {len(batches)} reservations")
    flow, n, epoch = batches.pop()
    remote.commit(flow, n, {each.slice: each.attempt for each in prepared}, epoch)
