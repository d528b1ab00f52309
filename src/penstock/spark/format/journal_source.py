"""The journal as a batch source: every persistent message that became visible on a queue, with its time.

It reads the files of a log where they are, without the queue manager; nothing is changed. Linear logging
keeps them all, circular logging the newest. One task reads, because records follow one another. `data_source`
makes it for the option `journal`.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceReader
from pyspark.sql.types import StructType

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.restart.journal_history import JournalHistory
from penstock.qmgr.restart.snapshot import stored_queues
from penstock.spark.format.columns import RowMaker
from penstock.spark.format.source import CHUNK_ROWS
from penstock.spark.plain_errors import plain
from penstock.store.checkpoint import read_checkpoint
from penstock.store.journal_reader import read_journal
from penstock.store.segments import segment_name, segment_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql.datasource import InputPartition

    from penstock.qmgr.restart.journal_history import Seen

JOURNAL_SCHEMA = "queue string, position bigint"
JOURNAL_COLUMNS = ("queue", "position")
SEPARATOR = ","
READINGS_MAX = 5  # of a log that a queue manager writes meanwhile


class JournalRead(DataSourceReader):
    """The messages in the files of a log, in the order in which they became visible."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self._folders = log_folders(options["journal"])
        self._queue = options.get("queue", "")
        self._names = schema.fieldNames()
        own = StructType([field for field in schema.fields if field.name not in JOURNAL_COLUMNS])
        self._maker = RowMaker(own, options)

    @plain
    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the messages that the files hold now."""
        seen = (each for each in history(self._folders) if not self._queue or each.queue == self._queue)
        while chunk := list(islice(seen, CHUNK_ROWS)):
            yield self._batch(chunk)

    def _batch(self, chunk: list[Seen]) -> pa.RecordBatch:
        import pyarrow as pa

        made = self._maker.batch([each.message for each in chunk], "")
        more = {
            "queue": pa.array([each.queue for each in chunk], pa.string()),
            "position": pa.array([each.position for each in chunk], pa.int64()),
        }
        arrays = [more[name] if name in more else made.column(name) for name in self._names]
        return pa.RecordBatch.from_arrays(arrays, names=self._names)


def log_folders(text: str) -> list[Path]:
    """Return the folders with log files that an option names: logs, or folders of queue managers; or 8405."""
    folders = []
    for word in filter(None, (each.strip() for each in text.split(SEPARATOR))):
        path = Path(word).expanduser()
        path = path / "log" if (path / "log").is_dir() else path
        if not path.is_dir() or not segment_numbers(path):
            raise error(mq.PSRC_SPARK_OPTION, f"journal: {word} has no log files", path=word)
        folders.append(path)
    if not folders:
        raise error(mq.PSRC_SPARK_OPTION, "journal names a folder with log files, or several with commas")
    return folders


def history(folders: list[Path]) -> Iterator[Seen]:
    """Yield what became visible, from log files that may be spread over folders."""
    names = {number: name for folder in folders for number, name in _queues(folder.parent)}
    follower = JournalHistory(names)
    position = 0
    for reading in range(READINGS_MAX):
        with TemporaryDirectory(prefix="penstock-journal-") as joined:
            _link_files(folders, Path(joined))
            records = read_journal(Path(joined), position)
            try:
                for end, kind, payload in records:
                    position = end
                    yield from follower.follow([(end, kind, payload)])
            except MQError as failure:
                # a queue manager that goes on writing looks like damage behind the place where we read
                if failure.reason != mq.PSRC_JOURNAL_DAMAGED or reading + 1 == READINGS_MAX:
                    raise
            else:
                return


def _queues(folder: Path) -> Iterator[tuple[int, str]]:
    """Yield number and name of the queues that a queue manager's checkpoint knows; the log may be younger."""
    checkpoint = read_checkpoint(folder)
    if checkpoint is not None:
        yield from stored_queues(checkpoint.state)


def _link_files(folders: list[Path], joined: Path) -> None:
    """Bring the files of one journal together: a record may begin in one folder and end in another."""
    for folder in folders:
        for number in segment_numbers(folder):
            name = segment_name(number)
            if not (joined / name).exists():
                (joined / name).symlink_to((folder / name).resolve())
