"""The batch sink: all rows of a write, or none, and once if the write has a name.

A write is a flow with one batch. With the options `flow` and `batch` (a growing number, such as the batch id
of a `foreachBatch`) a repeated write changes nothing; without them a temporary flow is used.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.format.columns import OutputMaker
from penstock.spark.format.sink import Prepared, commit_prepared
from penstock.spark.format.source import whole_number
from penstock.spark.plain_errors import plain
from penstock.spark.remote_queue_manager import queue_manager_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql.types import StructType


class QueueWrite(DataSourceArrowWriter):
    """Puts the rows of a DataFrame to queues, all or none."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        named = [name for name in ("flow", "batch") if options.get(name)]
        if len(named) == 1:
            raise error(
                mq.PSRC_SPARK_OPTION, "flow and batch belong together: they name a write that may be repeated"
            )
        self._remote = queue_manager_of(options)
        self._named = bool(named)
        self._flow = options.get("flow") or f"write/{uuid.uuid4().hex}"
        self._n = whole_number(options, "batch", 0) + 1
        self._maker = OutputMaker(schema.fieldNames(), options)

    @plain
    def write(self, iterator: Iterator[pa.RecordBatch]) -> Prepared:
        """Prepare the rows of a partition; they are on disk, but not visible."""
        rows = [row for batch in iterator for row in batch.to_pylist()]
        begun = self._remote.do(lambda qm: qm.batches.begin(self._flow, self._n)) if rows else {}
        if not rows or begun["recorded"]:
            return Prepared()
        task = TaskContext.get()
        prepared = Prepared(
            self._flow,
            self._n,
            begun["epoch"],
            task.partitionId() if task else 0,
            uuid.uuid4().hex,
            len(rows),
        )
        outputs = list(self._maker.outputs(rows))
        self._remote.do(
            lambda qm: qm.batches.prepare_outputs(
                self._flow, self._n, prepared.slice, prepared.attempt, outputs, epoch=prepared.epoch
            )
        )
        return prepared

    @plain
    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Publish what the tasks have prepared, in one step."""
        commit_prepared(self._remote, messages)
        self._forget()

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Drop what was prepared; a named write may be tried again."""
        if not self._named:
            self._release()
            self._forget()

    def _release(self) -> None:
        try:
            self._remote.do(lambda qm: qm.batches.release(self._flow))
        except MQError:
            pass  # no task came as far as a batch

    def _forget(self) -> None:
        if not self._named:
            try:
                self._remote.do(lambda qm: qm.batches.forget(self._flow))
            except MQError:
                pass  # there were no rows: no flow was made
