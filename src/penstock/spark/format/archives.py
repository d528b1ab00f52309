"""Archived messages as rows: Parquet, JSON lines, folders of files, recorded messages (`.mxml`).

JSON lines are also what `penstock browse --json` and `penstock dlq export` write. The content determines the
kind of a local archive, its name or Spark that of a remote one. Folders such as `day=2026-03-01` may divide
it.

`read_archive` returns a DataFrame with the columns of the format "penstock" that the archive has, and always
body and msg_id: a message without an id gets one derived from its body, the same in every reading. The
location is any path that Spark can read: a path, `s3a://`, `hdfs://`.
"""

from __future__ import annotations

import glob
import gzip
import json
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.format.columns import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

    from penstock.model.errors import MQError

FORMATS = ("parquet", "json", "files", "mxml")
ENDINGS = {".parquet": "parquet", ".jsonl": "json", ".ndjson": "json", ".json": "json", ".mxml": "mxml"}
HEXADECIMAL = ("msg_id", "correl_id", "group_id", "accounting_token")
MAPS = ("properties", "property_types")
PARQUET_MARK = b"PAR1"
HEAD_BYTES = 1 << 20  # of a file that are read to detect its form; its first line must be within them
FILES_LOOKED_AT = 100
BODIES = ("body", "body_base64")
DAY = "day"  # the folders of an archive that is divided by day
RECORDED = b"<MessageAssembly"
UNCOMMITTED = "_temporary"  # where Spark writes until a run ends
CORRUPT = "_corrupt_record"  # Spark's name for a line that it cannot read
LINE_SHOWN = 80
NO_FILES = "UNABLE_TO_INFER_SCHEMA"  # Spark's word for a folder without files
_JSON_TYPES = {"binary": "string", "timestamp": "string"}
_COLUMNS = dict(word.split(" ", 1) for word in SCHEMA.split(", "))


def read_archive(
    spark: SparkSession, path: str, form: str = "", since: str = "", until: str = ""
) -> DataFrame:
    """Return the messages of an archive; 8405 for an unknown kind.

    `since` and `until` are days or times: those put at or after the first and before the second.
    """
    check_choice(form, since, until)
    form = form or form_of(path) or _form_to(spark, path)
    reader: Any = {"parquet": _parquet, "json": _json_lines, "files": _files, "mxml": _recordings}[form]
    rows = _within(reader(spark, path), since, until)
    return _with_ids(rows.drop(DAY))


def check_choice(form: str, since: str, until: str) -> None:
    """Refuse an unknown form, and what is no time: 8405."""
    if form and form not in FORMATS:
        raise error(mq.PSRC_SPARK_OPTION, f"an archive is one of {', '.join(FORMATS)}, not {form!r}")
    for text in filter(None, (since, until)):
        _time_of(text)


def _time_of(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        what = f"{text!r} is neither a day nor a time such as 2026-03-01T12:00"
        raise error(mq.PSRC_SPARK_OPTION, what) from None


def _within(rows: DataFrame, since: str, until: str) -> DataFrame:
    """Return the rows of a span of time; folders by day that are outside it are not even read."""
    from pyspark.sql import functions as f

    if (since or until) and "put_time" not in rows.columns:
        raise error(mq.PSRC_SPARK_OPTION, "the archive has no put_time to choose by")
    for text, above in ((since, True), (until, False)):
        if not text:
            continue
        when = _time_of(text)
        if DAY in rows.columns:
            day, last = f.col(DAY).cast("date"), f.lit(when.date())
            rows = rows.where(day >= last if above else day <= last)
        put = f.col("put_time").cast("timestamp")
        rows = rows.where(put >= f.lit(when) if above else put < f.lit(when))
    return rows


def form_of(path: str) -> str:
    """Return the form of an archive; "" for one elsewhere whose name does not say.

    >>> form_of("s3a://archive/2025.jsonl")
    'json'
    """
    lowered = path.rstrip("/").lower().removesuffix(".gz")
    named = next((form for ending, form in ENDINGS.items() if lowered.endswith(ending)), "")
    heads = [_head(file) for file in _some_files(path)]
    if any(head.startswith(PARQUET_MARK) for head in heads):
        return "parquet"
    if all(RECORDED in head for head in heads) and heads:
        return "mxml"
    if named or not heads:
        return named or ("" if local_paths(path) is None else "files")
    return "json" if _is_json_line(heads[0]) else "files"


def local_paths(path: str) -> list[Path] | None:
    """Return the local files of a path or pattern; None if only Spark can resolve it."""
    parts = urlsplit(path)
    own = unquote(parts.path) if parts.scheme else path
    if os.path.lexists(own) and parts.scheme in ("", "file"):
        return [Path(own)]
    if parts.scheme not in ("", "file") or "{" in own:  # another file system; {a,b} is not a Python pattern
        return None
    return [Path(found) for found in sorted(glob.glob(own))]  # noqa: PTH207 - the pattern may be absolute


def _some_files(path: str) -> list[Path]:
    """Return the first files of a local archive; Spark also ignores names like _SUCCESS."""
    found: list[Path] = []
    for file in (file for place in local_paths(path) or () for file in _files_in(place)):
        found.append(file)
        if len(found) == FILES_LOOKED_AT:
            break
    return found


def _files_in(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
        return
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if not name.startswith(("_", ".")))
        for name in sorted(names):
            if not name.startswith(("_", ".")):
                yield Path(folder, name)


def _head(file: Path) -> bytes:
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as opened:
            return bytes(opened.read(HEAD_BYTES))
    except (OSError, EOFError):  # Spark gives a better error
        return b""


def _is_json_line(head: bytes) -> bool:
    """Return whether a file begins with a message as a JSON line, and not with a body that is JSON."""
    try:
        first = json.loads(head.partition(b"\n")[0])
    except ValueError:
        return False
    if not isinstance(first, dict) or not any(name in first for name in BODIES):
        return False
    return "msg_id" in first or all(name in _COLUMNS or name in BODIES for name in first)


def _form_to(spark: SparkSession, path: str) -> str:
    """Return the kind of a remote archive, as Spark sees it: Parquet, or files."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        return "parquet" if spark.read.parquet(path).columns else "files"
    except (PySparkException, Py4JError):
        return "files"


def nothing_in(path: str) -> MQError:
    """Return the error for an archive without messages: perhaps the run that writes it was interrupted."""
    what = f"{path} has no committed files: nothing was archived yet, or the run that writes it has not ended"
    return error(mq.PSRC_SPARK_OPTION, what, path=path)


def is_empty(path: str) -> bool:
    """Return whether a local archive has no file that Spark would read."""
    return local_paths(path) is not None and not _some_files(path)


def is_left_over(path: str) -> bool:
    """Return whether a path is a local folder with nothing but what a run that did not end has left."""
    places = local_paths(path) or []
    return bool(places) and all(
        place.is_dir() and all(each.name == UNCOMMITTED for each in place.iterdir()) for place in places
    )


def _parquet(spark: SparkSession, path: str) -> DataFrame:
    from pyspark.errors import AnalysisException

    try:
        rows = spark.read.parquet(path)
    except AnalysisException as failure:
        if NO_FILES not in str(failure):
            raise
        raise nothing_in(path) from failure
    if "body" not in rows.columns:
        raise error(mq.PSRC_SPARK_OPTION, f"{path} has no column body; it has {', '.join(rows.columns)}")
    return rows.select([name for name in rows.columns if name in _COLUMNS or name == DAY])


def _json_lines(spark: SparkSession, path: str) -> DataFrame:
    """Read one message per line; ids are hexadecimal, a body that is not text is in body_base64.

    A line that is no message ends the query with 8405 and shows the line.
    """
    from pyspark.sql import functions as f

    types = {name: _JSON_TYPES.get(kind, kind) for name, kind in _COLUMNS.items() if name != "reservation"}
    schema = (
        ", ".join(f"{name} {kind}" for name, kind in types.items())
        + f", body_base64 string, {CORRUPT} string"
    )
    rows = spark.read.schema(schema).option("columnNameOfCorruptRecord", CORRUPT).json(path)
    columns: list[Column] = []
    for name in types:
        if name == "body":
            body = f.coalesce(f.encode("body", "UTF-8"), f.unbase64("body_base64"))
            columns.append(body.alias(name))
        elif name in HEXADECIMAL:
            columns.append(f.unhex(name).alias(name))
        elif name == "put_time":
            columns.append(f.to_timestamp(name).alias(name))
        else:
            columns.append(f.col(name))
    refused = error(mq.PSRC_SPARK_OPTION, f"{path} has a line that is no message in JSON")
    text = f"{type(refused).__module__}.{type(refused).__name__}: {refused}: "  # as `failures` finds it
    refusal = f.raise_error(f.concat(f.lit(text), f.substring(CORRUPT, 1, LINE_SHOWN))).cast("boolean")
    readable = f.when(f.col(CORRUPT).isNotNull(), refusal).otherwise(f.lit(True))
    return rows.where(readable).select(columns).where(f.col("body").isNotNull())


def _files(spark: SparkSession, path: str) -> DataFrame:
    """Read one message per file; its time is that of the file."""
    from pyspark.sql import functions as f

    rows = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(path)
    return rows.select(f.col("content").alias("body"), f.col("modificationTime").alias("put_time"))


def _recordings(spark: SparkSession, path: str) -> DataFrame:
    """Read recorded messages: the body of each, as it would have been on a queue."""
    return _files(spark, path).mapInArrow(_bodies, "body binary, put_time timestamp")


def _bodies(batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    from penstock.esql.recordings import recorded_body

    for batch in batches:
        made = [recorded_body(body) for body in batch.column("body").to_pylist()]
        yield pa.record_batch(
            [pa.array(made, pa.binary()), batch.column("put_time")], names=batch.schema.names
        )


def _with_ids(rows: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    made = f.unhex(f.substring(f.sha2("body", 256), 1, 48))
    if "msg_id" not in rows.columns:
        return rows.withColumn("msg_id", made)
    return rows.withColumn("msg_id", f.coalesce("msg_id", made))
