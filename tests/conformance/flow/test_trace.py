"""Trace: patterns with places and expressions, and the destinations."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.testing.rig import Rig
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TREE = """(0x01000000:Folder):XMLNSC (
  (0x01000000:Folder):Order (
    (0x03000100:Attribute):id = '7' (CHARACTER)
    (0x03000000:Field):Total = '5' (CHARACTER)
  )
)
"""
ORDER = b'<Order id="7"><Total>5</Total></Order>'


def traced(pattern: str, **properties: Any) -> Flow:
    flow = Flow("traced")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    trace, out = flow.add(nodes.Trace(pattern, **properties)), flow.add(nodes.MQOutput("OUT"))
    failed = flow.add(nodes.MQOutput("FAILED"))
    start.out >> trace.in_
    trace.out >> out.in_
    trace.failure >> failed.in_
    return flow


def written(qm: Any, run: Callable[..., Any], tmp_path: Path, pattern: str) -> str:
    qm.put("IN", ORDER)
    run(traced(pattern, destination="file", file="trace.txt"))
    assert bodies(qm, "OUT") == [ORDER]
    return (tmp_path / "trace.txt").read_text()


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("plain", "plain\n"),
        ("a ${1 + 2} b ${'x}y' || 'z'}", "a 3 b x}yz\n"),
        ("${CAST(Body.Order.Total AS INTEGER) * 2}", "10\n"),
        ("${Body.Order.None || 'x'}", "NULL\n"),
        ("${Environment.Nothing}!", "!\n"),
        ("${Body.Order.Total}", "(0x03000000:Field):Total = '5' (CHARACTER)\n"),
        (
            "${Root.XMLNSC}",
            TREE,
        ),
    ],
)
def test_patterns(qm: Any, run: Callable[..., Any], tmp_path: Path, pattern: str, text: str) -> None:
    assert written(qm, run, tmp_path, pattern) == text


def test_root_shows_all_folders(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    text = written(qm, run, tmp_path, "${Root}")
    assert [line.split("):")[1] for line in text.splitlines() if line.startswith("(")] == [
        "Properties (",
        "MQMD (",
        "XMLNSC (",
    ]


def test_a_file_is_appended_to(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    written(qm, run, tmp_path, "once")
    assert written(qm, run, tmp_path, "again") == "once\nagain\n"


@pytest.mark.parametrize(
    ("destination", "level"), [("userTrace", logging.DEBUG), ("localError", logging.WARNING)]
)
def test_logs(
    qm: Any, run: Callable[..., Any], caplog: pytest.LogCaptureFixture, destination: str, level: int
) -> None:
    caplog.set_level(logging.DEBUG, "penstock.flow")
    qm.put("IN", ORDER)
    run(traced("total ${CAST(Body.Order.Total AS CHARACTER)}", destination=destination))
    found = [record for record in caplog.records if "total 5" in record.getMessage()]
    assert [(record.levelno, "node=Trace" in record.getMessage()) for record in found] == [(level, True)]


def test_none_writes_nothing_and_evaluates_nothing(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", ORDER)
    run(traced("${CAST('x' AS INTEGER)}", destination="none"))
    assert bodies(qm, "OUT") == [ORDER]


def test_an_expression_that_fails_goes_to_failure(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", ORDER)
    run(traced("${CAST('x' AS INTEGER)}"))
    assert bodies(qm, "FAILED") == [ORDER]
    assert bodies(qm, "OUT") == []


def test_a_missing_folder_is_made(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    qm.put("IN", ORDER)
    run(traced("x", destination="file", file="var/log/trace.txt"))
    assert bodies(qm, "OUT") == [ORDER]
    assert (tmp_path / "var/log/trace.txt").read_text() == "x\n"


def test_a_file_that_cannot_be_written_goes_to_failure(
    qm: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    qm.put("IN", ORDER)
    (tmp_path / "log").write_text("a file")
    run(traced("x", destination="file", file="log/trace.txt"))
    assert bodies(qm, "FAILED") == [ORDER]


def test_a_test_traces_into_its_own_folder(tmp_path: Path) -> None:
    flow = traced("x", destination="file", file=str(tmp_path / "live" / "trace.txt"))
    with Rig(flow, Project(tmp_path)) as rig:
        rig.put(ORDER)
        rig.run()
        assert [name.rpartition("/")[2] for name in rig.files.written()] == ["trace.txt"]
    assert not (tmp_path / "live").exists()


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"destination": "elsewhere"}, "destination 'elsewhere' is not one of"),
        ({"destination": "file"}, "needs the file's path"),
        ({"pattern": "a ${Root"}, "is not closed"),
    ],
)
def test_properties_are_checked_when_the_flow_is_built(properties: dict[str, Any], problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        CompiledFlow(traced(**{"pattern": "x", **properties}))
