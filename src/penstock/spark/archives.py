"""Archived messages as rows: Parquet, JSON lines (also what `penstock browse --json` writes), folders of
files.

`read_archive` gives a DataFrame with the columns of the format "penstock" that the archive has, and always
body and msg_id: a message without an id gets one from its body, the same at every reading. Where the archive
lies is Spark's business: a path, `s3a://`, `hdfs://`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.errors import error
from penstock.spark.columns import SCHEMA

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

SPARK_OPTION = 8405
FORMATS = ("parquet", "json", "files")
ENDINGS = {".parquet": "parquet", ".jsonl": "json", ".ndjson": "json", ".json": "json"}
HEXADECIMAL = ("msg_id", "correl_id", "group_id", "accounting_token")
MAPS = ("properties", "property_types")
_JSON_TYPES = {"binary": "string", "timestamp": "string"}
_COLUMNS = dict(word.split(" ", 1) for word in SCHEMA.split(", "))


def read_archive(spark: SparkSession, path: str, form: str = "") -> DataFrame:
    """Return the messages of an archive; 8405 for a form that is not known."""
    form = form or form_of(path)
    if form not in FORMATS:
        raise error(SPARK_OPTION, f"an archive is one of {', '.join(FORMATS)}, not {form!r}")
    reader: Any = {"parquet": _parquet, "json": _json_lines, "files": _files}[form]
    return _with_ids(reader(spark, path))


def form_of(path: str) -> str:
    """Return what an archive is by its name: Parquet, JSON lines, else a folder with a file a message.

    >>> form_of("archive/2025.jsonl")
    'json'
    """
    lowered = path.rstrip("/").lower().removesuffix(".gz")
    return next((form for ending, form in ENDINGS.items() if lowered.endswith(ending)), "files")


def _parquet(spark: SparkSession, path: str) -> DataFrame:
    rows = spark.read.parquet(path)
    if "body" not in rows.columns:
        raise error(SPARK_OPTION, f"{path} has no column body; it has {', '.join(rows.columns)}")
    return rows.select([name for name in rows.columns if name in _COLUMNS])


def _json_lines(spark: SparkSession, path: str) -> DataFrame:
    """Read one message a line; ids are hexadecimal, a body that is no text is in body_base64."""
    from pyspark.sql import functions as f

    types = {name: _JSON_TYPES.get(kind, kind) for name, kind in _COLUMNS.items() if name != "reservation"}
    schema = ", ".join(f"{name} {kind}" for name, kind in types.items()) + ", body_base64 string"
    rows = spark.read.schema(schema).option("mode", "FAILFAST").json(path)
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
    return rows.select(columns).where(f.col("body").isNotNull())


def _files(spark: SparkSession, path: str) -> DataFrame:
    """Read one message a file; its time is that of the file."""
    from pyspark.sql import functions as f

    rows = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(path)
    return rows.select(f.col("content").alias("body"), f.col("modificationTime").alias("put_time"))


def _with_ids(rows: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    made = f.unhex(f.substring(f.sha2("body", 256), 1, 48))
    if "msg_id" not in rows.columns:
        return rows.withColumn("msg_id", made)
    return rows.withColumn("msg_id", f.coalesce("msg_id", made))
