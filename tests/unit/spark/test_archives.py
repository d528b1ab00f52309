"""What an archive is: seen in its content, whatever it is called; no Spark is needed to see it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.model.errors import MQError

pytest.importorskip("pyspark", reason="the extra spark is not installed")
from penstock.spark.format.archives import form_of, is_left_over
from penstock.spark.replay import check_paths

LINE = json.dumps({"body": "<a/>", "msg_id": "00", "length": 4}) + "\n"


def parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"body": pa.array([b"<a/>"], pa.binary())}), path)


def spark_folder(folder: Path) -> None:
    """As Spark writes one, and as `penstock replay --to` does."""
    parquet(folder / "part-00000-abc.snappy.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000-abc.snappy.parquet.crc").write_bytes(b"crc")


def partitioned(folder: Path) -> None:
    parquet(folder / "day=1" / "part-00000.parquet")


def json_lines(folder: Path) -> None:
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    (folder / "part-00000").write_text(LINE * 3)


def zipped(path: Path) -> None:
    with gzip.open(path.with_suffix(".gz"), "wt") as out:
        out.write(LINE)
    path.with_suffix(".gz").rename(path.with_name("archive.gz"))


def messages(*bodies: bytes) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        folder.mkdir()
        for number, body in enumerate(bodies):
            (folder / f"{number}.json").write_bytes(body)

    return make


MADE: list[tuple[str, Callable[[Path], None], str]] = [
    ("a folder of Spark", spark_folder, "parquet"),
    ("a partitioned folder", partitioned, "parquet"),
    ("a Parquet file without ending", parquet, "parquet"),
    ("lines of browse --json", lambda path: _text(path, LINE), "json"),
    ("lines of bodies alone", lambda path: _text(path, '{"body": "x"}\n{"body_base64": "eA=="}\n'), "json"),
    ("a folder of lines", json_lines, "json"),
    ("a folder of XML", messages(b"<a/>", b"<b/>"), "files"),
    ("a folder of JSON bodies", messages(b'{"order": 1}', b'{"order": 2}'), "files"),
    ("JSON bodies that have a field body", messages(b'{"body": "x", "head": "y"}'), "files"),
    ("JSON bodies over several lines", messages(b'{\n"body": "x"\n}'), "files"),
    ("a folder of binary bodies", messages(b"\x00\x01", b"\xff"), "files"),
    ("an empty folder", messages(), "files"),
    ("an empty file", lambda path: _text(path, ""), "files"),
]


def _text(path: Path, text: str) -> None:
    path.write_text(text)


@pytest.mark.parametrize(("make", "form"), [row[1:] for row in MADE], ids=[row[0] for row in MADE])
def test_the_content_says_what_an_archive_is(tmp_path: Path, make: Callable[[Path], None], form: str) -> None:
    make(tmp_path / "archive")
    assert form_of(str(tmp_path / "archive")) == form
    assert form_of(f"file://{tmp_path}/archive") == form


def test_a_compressed_archive_is_looked_into(tmp_path: Path) -> None:
    zipped(tmp_path / "archive")
    assert form_of(str(tmp_path / "archive.gz")) == "json"


def test_a_pattern_is_what_it_finds(tmp_path: Path) -> None:
    spark_folder(tmp_path / "monday")
    assert form_of(f"{tmp_path}/mon*") == "parquet"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("s3a://archive/2025.parquet", "parquet"),
        ("hdfs://archive/2025.jsonl", "json"),
        ("s3a://archive/2025", ""),
        ("/nowhere/2025.ndjson", "json"),
    ],
)
def test_elsewhere_the_name_says_it_or_nothing_does(path: str, form: str) -> None:
    assert form_of(path) == form


def test_a_name_counts_more_than_lines_that_look_otherwise(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"unknown": 1, "body": "x"}\n')
    assert form_of(str(tmp_path / "a.jsonl")) == "json"


def test_paths_are_checked_without_spark(tmp_path: Path) -> None:
    there, gone = str(tmp_path / "archive"), str(tmp_path / "gone")
    (tmp_path / "archive" / "_temporary").mkdir(parents=True)
    with pytest.raises(MQError, match="no committed files") as interrupted:
        check_paths(there, gone)
    assert interrupted.value.reason == 8405
    (tmp_path / "archive" / "1.xml").write_bytes(b"<a/>")
    check_paths(there, gone)
    check_paths("s3a://archive", "s3a://run", "hdfs://run")
    for given in ((gone, str(tmp_path / "new")), (there, gone, gone), (f"{gone}/*", str(tmp_path / "new"))):
        with pytest.raises(MQError, match="does not exist"):
            check_paths(*given)
    with pytest.raises(MQError, match="exists already") as refused:
        check_paths(there, there)
    assert refused.value.reason == 8405


def test_what_a_run_has_left_that_did_not_end_is_no_obstacle(tmp_path: Path) -> None:
    archive, target = tmp_path / "archive", tmp_path / "run"
    _text(archive, '{"body": "x"}')
    (target / "_temporary" / "0").mkdir(parents=True)
    check_paths(str(archive), str(target))
    _text(target / ".hidden", "of somebody")
    with pytest.raises(MQError, match="exists already"):
        check_paths(str(archive), str(target))
    assert not is_left_over("s3a://archive/run")
    assert not is_left_over(str(tmp_path / "new"))
