"""The streaming source: the driver reserves, tasks read.

`latestOffset` reserves the next messages as batch n + 1 and `partitions` splits it into slices; both run in
one process of the driver, which takes the flow's epoch when it starts. `read` runs in tasks and gives the
same rows however often it runs. A batch ends when our sink commits it, or when Spark asks for the next one,
which it does only after the last is done. Invariant: nothing is reserved, and no epoch taken, before Spark
asks for offsets; planning does neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, SupportsTriggerAvailableNow

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.format.columns import RowMaker
from penstock.spark.plain_errors import plain
from penstock.spark.remote_queue_manager import depth_of, queue_manager_of
from penstock.spark.runs import reservation
from penstock.spark.runs.reservation import Mark, Slice
from penstock.spark.starting.packing import build, check_build
from penstock.spark.starting.session import cores

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.types import StructType

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message

ROWS_MAX = 50_000
BYTES_MAX = 128 << 20
NO_LIMIT = 1 << 30
NUMBER_MAX = (1 << 63) - 1
DIGITS_MAX = len(str(NUMBER_MAX))
CHUNK_ROWS = 5_000  # messages that a task reads at a time
FLOW_PREFIX = "spark/"


class QueueStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The messages of a queue or a subscription as a stream of batches."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self._options = dict(options)
        self._remote = queue_manager_of(options)
        self._flow = flow_of(options)
        self._schema = schema
        self._rows_max = whole_number(options, "maxRows", ROWS_MAX) or NO_LIMIT
        self._bytes_max = whole_number(options, "maxBytes", BYTES_MAX)
        self._slices = whole_number(options, "partitions", 0) or cores()
        self._epoch = whole_number(options, "epoch", 0)
        self._queue = options.get("queue", "")
        self._qmid = ""
        self._left: int | None = None  # messages that an AvailableNow run still takes
        self._inherited = 0  # the batch that an earlier run has left, if any

    # -- in the driver ---------------------------------------------------------------------

    @plain
    def initialOffset(self) -> dict[str, Any]:
        """Return the recorded number: a checkpoint that was deleted resumes, it does not repeat."""
        self._start()
        recorded = self._remote.do(lambda qm: qm.batches.recorded(self._flow))
        return self._offset(recorded)

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(self._rows_max)

    @plain
    def prepareForTriggerAvailableNow(self) -> None:
        """Take no more messages in this run than there are now."""
        self._start()
        self._left = self._depth()

    @plain
    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Reserve the messages of the next batch; the same `start` gives the same batch."""
        self._start()
        after = self._number(start)
        rows = (
            self._rows_max
            if isinstance(limit, ReadAllAvailable)
            else getattr(limit, "max_rows", self._rows_max)
        )
        if self._left is not None:
            rows = min(rows, self._left)
        inherited = self._inherited == after + 1
        held = self._reserve(after, rows) if rows > 0 or inherited else self._end(after)
        if self._left is not None and not inherited:
            self._left = max(0, self._left - held["rows"])
        return self._offset(held["n"])

    def _reserve(self, after: int, rows: int) -> dict[str, Any]:
        limits = {"max_rows": rows, "max_bytes": self._bytes_max, "ends_previous": True}
        try:
            found: dict[str, Any] = self._remote.do(
                lambda qm: qm.batches.reserve(
                    self._flow, self._queue, after=after, epoch=self._epoch, **limits
                )
            )
        except MQError as failure:
            if failure.reason != mq.PSRC_RESERVATION_ORDER:
                raise
            raise error(
                mq.PSRC_CHECKPOINT_FOREIGN, f"the checkpoint is at batch {after}: {failure.detail}"
            ) from failure
        return found

    def _end(self, n: int) -> dict[str, Any]:
        """End batch n, which Spark has finished, and reserve nothing."""
        self._remote.commit(self._flow, n, {}, self._epoch)
        return {"n": n, "rows": 0}

    @plain
    def reportLatestOffset(self) -> dict[str, Any]:
        """Return how many messages wait, for progress reports."""
        return {"v": reservation.VERSION, "depth": self._depth()}

    @plain
    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Split a batch into slices; it may be one of an earlier run."""
        self._start()
        after, n = self._number(start), self._number(end)
        if after == n:
            return []
        if n != after + 1:
            raise error(
                mq.PSRC_CHECKPOINT_FOREIGN,
                f"the checkpoint goes from {after} to {n}; our batches go one by one",
            )
        recorded, outstanding, rows = self._state()
        if n > recorded and n != outstanding:
            text = f"the checkpoint is at batch {n}; flow {self._flow} has recorded {recorded}"
            raise error(mq.PSRC_CHECKPOINT_FOREIGN, text, flow=self._flow, recorded=recorded)
        slices = self._slices_of(rows if n == outstanding else 0)
        return [
            Slice(self._flow, self._qmid, n, self._epoch, number, slices, build()) for number in range(slices)
        ]

    def _slices_of(self, rows: int) -> int:
        """Return into how many slices a batch of so many messages is split."""
        return self._slices

    @plain
    def commit(self, end: dict[str, Any]) -> None:
        """End a batch that Spark has finished; our own sink has done so already."""
        self._end(self._number(end))

    # -- in tasks --------------------------------------------------------------------------

    @plain
    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a slice."""
        assert isinstance(partition, Slice)
        task = TaskContext.get()
        stage = task.stageId() if task else -1
        mark = Mark(partition.flow, partition.qmid, partition.n, partition.epoch, stage).text()
        maker = RowMaker(self._schema, self._options)
        for messages in self.messages(partition):
            yield maker.batch(messages, mark)

    def messages(self, part: Slice) -> Iterator[list[Message]]:
        """Yield the messages of a slice, some at a time."""
        check_build(part.build)
        start = 0
        while True:
            chunk = self._chunk(part, start)
            if chunk:
                yield chunk
            if len(chunk) < CHUNK_ROWS:
                return
            start += len(chunk)

    def _chunk(self, part: Slice, start: int) -> list[Message]:
        read = {"epoch": part.epoch, "start": start, "count": CHUNK_ROWS}
        found: list[Message] = self._remote.do(
            lambda qm: qm.batches.read_slice(part.flow, part.n, part.slice, part.slices, **read)
        )
        return found

    # -- the start of a run ----------------------------------------------------------------

    def _start(self) -> None:
        """Take over the flow, once per run: an earlier run is refused from now on."""
        if self._qmid:
            return
        if not self._queue:
            self._queue = self._subscribe()
        self._depth()  # an unknown queue creates no flow
        if not self._epoch:
            self._epoch = self._remote.do(lambda qm: qm.batches.new_epoch(self._flow))
        self._qmid = self._remote.qmid()
        self._inherited = self._state()[1]

    def _state(self) -> tuple[int, int, int]:
        """Return the recorded number of the flow, that of the current batch or 0, and its messages."""
        for each in self._remote.do(lambda qm: qm.batches.listing()):
            if each.flow == self._flow:
                return each.recorded, each.n or 0, each.rows
        return 0, 0, 0

    def _subscribe(self) -> str:
        """Make sure that the durable subscription exists, and return its queue."""
        topic, name = self._options.get("topic", ""), self._options.get("subscription") or self._flow
        selector = self._options.get("selector")

        def subscribe(qm: BlockingQueueManager) -> str:
            details: dict[str, Any] = {"durable": name, **({"selector": selector} if selector else {})}
            if not topic:
                details["options"] = mq.MQSO_RESUME  # its name alone makes none
            with qm.subscribe(topic, **details) as subscription:
                return str(subscription.queue)

        return self._remote.do(subscribe)

    def _number(self, offset: dict[str, Any]) -> int:
        return reservation.number(offset, self._flow, self._qmid)

    def _offset(self, n: int) -> dict[str, Any]:
        return reservation.offset(n, self._flow, self._qmid)

    def _depth(self) -> int:
        return self._remote.do(lambda qm: depth_of(qm, self._queue))


def flow_of(options: Mapping[str, str]) -> str:
    """Return the queue manager's name for this stream; 8405 if it has no source."""
    named = [name for name in ("queue", "topic", "subscription") if options.get(name)]
    if not named or ("queue" in named and len(named) > 1):
        raise error(mq.PSRC_SPARK_OPTION, "one source is needed: an option queue, or topic, or subscription")
    if "queue" in named and options.get("selector"):
        raise error(mq.PSRC_SPARK_OPTION, "a stream takes all messages of a queue; a selector is for topic")
    source = options.get("subscription") or options.get("queue") or options.get("topic")
    return options.get("flow") or f"{FLOW_PREFIX}{source}"


def whole_number(options: Mapping[str, str], name: str, default: int) -> int:
    """Return an option as a number; 8405 if it is not one, or less than 0."""
    text = options.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > DIGITS_MAX or int(text) > NUMBER_MAX:
        raise error(mq.PSRC_SPARK_OPTION, f"{name} is a number from 0 to {NUMBER_MAX}, not {text[:40]!r}")
    return int(text)
