"""`penstock replay`: what cannot be replayed is refused before Spark starts, which takes a while."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penstock.cli.main import application
from penstock.model.errors import MQError
from penstock.model.message import Descriptor
from penstock.model.rfh2 import attach_properties
from penstock.spark import replay

pytest.importorskip("pyspark", reason="the extra spark is not installed")
ORDERS = str(files("penstock.examples") / "orders")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "one.json").write_text('{"body": "x"}')
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--from": "missing"}, "8405 .*missing.* does not exist"),
        ({"--from": "missing/*.parquet"}, "8405 .*missing.* does not exist"),
        ({"--compare": "missing"}, "8405 .*missing.* does not exist"),
        ({"--to": "archive"}, "8405 .*archive exists already"),
        ({"--flow": "unknown"}, "8304 .*unknown"),
        ({"--set": "nothing=1"}, "nothing"),
        ({"--form": "parqet"}, "8405 .*not 'parqet'"),
        ({"--since": "March"}, "8405 .*'March' is neither a day nor a time"),
        ({"--input": "Nothing"}, "--input is one of MQInput"),
    ],
)
def test_what_is_wrong_is_told_before_spark_starts(
    home: Path, tmp_path: Path, changed: dict[str, str], said: str
) -> None:
    given = {"--from": "archive", "--flow": "orders", "--to": "run", "--project": ORDERS, **changed}
    for name in ("--from", "--to", "--compare"):
        if name in given:
            given[name] = str(tmp_path / given[name])
    done = CliRunner().invoke(application(), ["replay", *(word for pair in given.items() for word in pair)])
    told = str(done.exception) if isinstance(done.exception, MQError) else done.output
    assert done.exit_code != 0
    assert re.search(said, told.replace("\n", " ")), told
    assert not (home / ".spark").exists()


def test_a_difference_is_shown_behind_the_properties() -> None:
    body, descriptor = attach_properties({"colour": "red"}, b"<a/>", Descriptor(format="MQSTR"))
    row = {"verdict": "only_before", "source_id": b"1", "to": "Q", "before": body, "now": None}
    formats = {"before_format": descriptor.format, "now_format": None}
    assert replay._sample(row | formats)["before"] == "<a/>"
    other, _ = attach_properties({"colour": "blue"}, b"<a/>", Descriptor(format="MQSTR"))
    shown = replay._sample({**row, **formats, "now": other, "now_format": descriptor.format})
    assert "red" in shown["before"]
    assert "blue" in shown["now"]
    assert replay.behind_properties(b"no header", descriptor.format) == b"no header"
