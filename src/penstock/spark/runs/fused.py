"""The fused plan: get, work and prepare inside one task, and one row per task through the JVM.

`start` runs a query over a queue: every message goes through the caller's function and the results go to
queues, exactly once. The function is sent by name, as `module:attribute` with arguments in JSON, and made
once per worker process: `make(arguments)` returns a function from a list of messages to outputs. The function
decides what a flow means and handles failures of single messages; if it raises, Spark tries the slice again.
"""

from __future__ import annotations

import importlib
import json
import time
import uuid
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamArrowWriter, WriterCommitMessage

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.format.refused_stream import stream_or_refusal
from penstock.spark.format.sink import Prepared, commit_prepared
from penstock.spark.format.source import QueueStream, whole_number
from penstock.spark.plain_errors import plain
from penstock.spark.remote_queue_manager import queue_manager_of
from penstock.spark.runs.pace import Pace
from penstock.spark.runs.reservation import Slice
from penstock.spark.runs.slice_work import PlainWork, SliceWork, once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.types import StructType

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message
    from penstock.spark.runs.slice_work import Output

# One output cannot be put there: the work may try again, asking for each
DESTINATION = frozenset(
    (
        mq.MQRC_MSG_TOO_BIG_FOR_Q,
        mq.MQRC_MSG_TOO_BIG_FOR_Q_MGR,
        mq.MQRC_NOT_AUTHORIZED,
        mq.MQRC_PUT_INHIBITED,
        mq.MQRC_Q_DELETED,
        mq.MQRC_Q_TYPE_ERROR,
        mq.MQRC_UNKNOWN_ALIAS_BASE_Q,
        mq.MQRC_UNKNOWN_OBJECT_NAME,
        mq.MQRC_UNKNOWN_OBJECT_Q_MGR,
        mq.MQRC_UNKNOWN_REMOTE_Q_MGR,
        mq.MQRC_UNKNOWN_DEF_XMIT_Q,
        mq.MQRC_DEF_XMIT_Q_TYPE_ERROR,
        mq.MQRC_DEF_XMIT_Q_USAGE_ERROR,
    )
)
BUSY_PAUSE_SECONDS = 0.05  # before a slice is worked again whose records another unit of work had
METRICS = "penstock"  # the name that progress reports have the counts of messages under
MANIFEST = (
    "flow string, n long, epoch long, slice int, slices int, attempt string, "
    "rows long, outputs long, bytes long, failed long, given_up long, lost long"
)
COUNTED = ("rows", "outputs", "bytes", "failed", "given_up", "lost")


def start(
    spark: SparkSession,
    options: Mapping[str, str],
    *,
    work: str,
    arguments: Mapping[str, Any] | None = None,
    checkpoint: str,
    until_empty: bool = False,
    interval_seconds: float = 0.0,
    name: str | None = None,
) -> StreamingQuery:
    """Start a fused query; `options` are those of the source "penstock": url, queue, flow, maxRows ...

    `until_empty` ends it when the current messages of the queue are done. `work` names a factory of the
    function that does the work.
    """
    from pyspark.sql import functions

    spark.dataSource.register(FusedDataSource)
    given = {**options, "work": work, "arguments": json.dumps(dict(arguments or {}))}
    rows = spark.readStream.format(FusedDataSource.name()).options(**given).load()
    counts = [functions.sum(column).alias(column) for column in COUNTED]
    writer = rows.observe(METRICS, *counts).writeStream.format(FusedDataSource.name()).options(**options)
    writer = writer.option("checkpointLocation", checkpoint)
    if name:
        writer = writer.queryName(name)
    if until_empty:
        return writer.trigger(availableNow=True).start()
    return writer.trigger(processingTime=f"{round(interval_seconds * 1000)} milliseconds").start()


class FusedDataSource(DataSource):
    """Both ends of a fused query. Spark calls the methods by these names and keywords."""

    @classmethod
    def name(cls) -> str:
        return "penstock-fused"

    def schema(self) -> str:
        return MANIFEST

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return stream_or_refusal(lambda: FusedStream(self.options, schema))

    def streamWriter(self, schema: StructType, overwrite: bool) -> FusedSink:
        return FusedSink(self.options)


class FusedStream(QueueStream):
    """A queue whose tasks do the work and prepare the results."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        super().__init__(options, schema)
        self._work = (options.get("work", ""), options.get("arguments", "{}"))
        if ":" not in self._work[0]:
            raise error(
                mq.PSRC_SPARK_OPTION, f"work is a name such as package.module:function, not {self._work[0]!r}"
            )
        self._pace = Pace(whole_number(options, "sliceMillis", 0) / 1000)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        self._pace.done()  # Spark asks for the next batch when the last one is done
        return super().latestOffset(start, limit)

    def _slices_of(self, rows: int) -> int:
        return self._pace.slices(rows, self._slices)

    @plain
    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """Do the work of a slice, prepare the outputs, and yield one row about it."""
        assert isinstance(partition, Slice)
        part, attempt = partition, uuid.uuid4().hex
        work = made_work(*self._work)

        def prepare(qm: BlockingQueueManager) -> Counts:
            counts = Counts(work)
            look = partial(qm.batches.look, part.flow, part.n, epoch=part.epoch)
            takes = work.begin(look) if work.keeps_records else ()
            outputs = counts.outputs(self.messages(part))
            qm.batches.prepare_outputs(
                part.flow, part.n, part.slice, attempt, outputs, epoch=part.epoch, takes=takes
            )
            return counts

        def prepare_checking(qm: BlockingQueueManager) -> Counts:
            with work.checking(qm):
                return prepare(qm)

        try:
            done = self._persistently(prepare)
        except MQError as refused:
            if refused.reason not in DESTINATION or not work.checks:
                raise
            done = self._persistently(prepare_checking)
        yield part.flow, part.n, part.epoch, part.slice, part.slices, attempt, *done.totals()

    def _persistently(self, prepare: Callable[[Any], Counts]) -> Counts:
        """Prepare a slice, again while another unit of work has records that it needs."""
        deadline = time.monotonic() + self._remote.patience_seconds
        while True:
            try:
                return self._remote.do(prepare)
            except MQError as failure:
                if failure.reason != mq.PSRC_FLOW_AGGREGATION_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(BUSY_PAUSE_SECONDS)


class Counts:
    """The counts of a task."""

    def __init__(self, work: SliceWork) -> None:
        self.rows = self.put = self.bytes = 0
        self._work = work
        self._before = work.failures()

    def outputs(self, chunks: Iterator[list[Message]]) -> Iterator[Output]:
        """Yield the outputs for messages, some at a time: a slice need not fit into memory."""
        for messages in chunks:
            self.rows += len(messages)
            self.bytes += sum(message.length for message in messages)
            for output in self._work(messages):
                self.put += 1
                yield output
        if self._work.keeps_records:
            yield from self._work.kept()

    def totals(self) -> list[int]:
        """Return the counts in the order of COUNTED."""
        since = [now - before for now, before in zip(self._work.failures(), self._before, strict=True)]
        return [self.rows, self.put, self.bytes, *since]


@dataclass
class Manifests(WriterCommitMessage):
    """The rows that a task of the sink has seen: one for each slice."""

    prepared: list[Prepared] = field(default_factory=list)
    slices: int = 0


class FusedSink(DataSourceStreamArrowWriter):
    """Commits what the tasks of a fused query have prepared."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._remote = queue_manager_of(options)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Manifests:
        found = Manifests()
        for row in (row for batch in iterator for row in batch.to_pylist()):
            names = ("flow", "n", "epoch", "slice", "attempt", "rows")
            found.prepared.append(Prepared(**{name: row[name] for name in names}))
            found.slices = row["slices"]
        return found

    @plain
    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """End the batch: inputs disappear and results appear, in one step."""
        found = [each for each in messages if isinstance(each, Manifests) and each.prepared]
        prepared = [each for manifests in found for each in manifests.prepared]
        if found and {each.slice for each in prepared} != set(range(found[0].slices)):
            raise error(
                mq.PSRC_BATCH_MIXED, f"{len(prepared)} of {found[0].slices} slices have come to the sink"
            )
        commit_prepared(self._remote, list(prepared))

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Leave everything: the next run drops what was prepared, or the batch is tried again."""


def made_work(name: str, arguments: str) -> SliceWork:
    """Return the work of a name and arguments, made once in this process."""

    def make() -> SliceWork:
        module, _, attribute = name.partition(":")
        made = getattr(importlib.import_module(module), attribute)(json.loads(arguments))
        return made if isinstance(made, SliceWork) else PlainWork(made)

    return once(name, arguments, make)


def identity(arguments: dict[str, Any]) -> Callable[[list[Message]], Iterable[Output]]:
    """Make the function that puts every message unchanged to one queue; `arguments` name the queue."""
    queue = str(arguments["queue"])
    return lambda messages: [(queue, message) for message in messages]
