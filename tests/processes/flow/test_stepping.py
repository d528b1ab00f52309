"""Stepping through a flow: a real process that waits at wires; breakpoints, changes, a test at the end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import penstock.examples
from penstock.flow.project import Project
from penstock.flow.testing.cases import run_file
from penstock.flow.testing.stepping import tree_path

ORDERS = next(iter(penstock.examples.__path__)) + "/orders"
LARGE = "<Order><Id>7</Id><Customer><Id>9</Id></Customer><Total>1400</Total></Order>"


class Stepper:
    """A run, and the place where it waits."""

    def __init__(self, folder: Path, **wanted: Any) -> None:
        self.folder = folder
        self.passed: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "penstock.flow.testing.stepping"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"TMPDIR": str(folder), "PATH": "/usr/bin:/bin"},
        )
        self.last = self.do(project=ORDERS, flow="orders", given={"body": LARGE}, **wanted)

    def do(self, way: str = "", **facts: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": way, **facts}) + "\n")
        self.process.stdin.flush()
        self.last = json.loads(self.process.stdout.readline())
        self.passed += [each["wire"] for each in self.last.get("passed", ())]
        return self.last

    def end(self) -> int:
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
        return self.process.wait(60)


@pytest.fixture
def stepper(tmp_path: Path) -> Iterator[Stepper]:
    made = Stepper(tmp_path)
    try:
        yield made
    finally:
        code = made.end()
    assert code == 0
    assert not list(tmp_path.iterdir()), "the run leaves nothing behind"


def test_given_a_message_when_stepped_then_it_waits_at_every_wire_and_ends_as_a_test(
    stepper: Stepper, tmp_path: Path
) -> None:
    assert stepper.last["state"] == "paused"
    assert stepper.last["wire"] == "MQInput.out -> Known"
    assert "XMLNSC.Order.Total = '1400'" in stepper.last["trees"]["message"]
    assert any(line.startswith("MQMD.") for line in stepper.last["trees"]["headers"])
    waits = 1
    while stepper.do("step")["state"] == "paused":
        waits += 1
    assert stepper.last["state"] == "ended"
    assert len(stepper.passed) == waits
    made = yaml.safe_load(stepper.last["yaml"])
    assert made["tests"][0]["in"] == [{"body": LARGE}]
    path = tmp_path / "stepped.yaml"
    path.write_text(stepper.last["yaml"], "utf-8")
    assert [each.passed for each in run_file(Project(ORDERS), path)] == [True]
    path.unlink()


def test_given_a_breakpoint_with_a_condition_when_run_then_it_waits_only_where_that_holds(
    stepper: Stepper,
) -> None:
    assert (
        stepper.do("run", breaks={"Large.true": "CAST(Body.Order.Total AS DECIMAL) > 9999"})["state"]
        == "ended"
    )


def test_given_a_breakpoint_when_run_then_over_skips_what_a_node_calls(tmp_path: Path) -> None:
    stepper = Stepper(
        tmp_path, breaks={"Large.true": "CAST(Body.Order.Total AS DECIMAL) > 1000", "Known.true": ""}
    )
    assert stepper.do("run")["wire"] == "Known.true -> Large"
    assert stepper.last["why"] == "breakpoint"
    assert stepper.do("over", breaks={})["state"] == "ended", "all that follows happens inside that node"
    assert stepper.end() == 0


def test_given_a_field_changed_by_hand_when_run_on_then_the_flow_sees_it_and_no_test_is_offered(
    stepper: Stepper,
) -> None:
    assert "not a path" in stepper.do("set", path="[", value="1")["note"]
    changed = stepper.do("set", path="XMLNSC.Order.Total", value="5")
    assert "XMLNSC.Order.Total = '5'" in changed["trees"]["message"]
    assert "expected" in stepper.do("run", breaks={"Known.true": "1 +"})["note"].lower()
    assert stepper.do("run", breaks={"Large.false": ""})["wire"] == "Large.false -> Pick"
    assert stepper.do("run", breaks={})["yaml"] == ""


def test_given_a_run_that_waits_when_its_reader_goes_then_it_ends_and_leaves_nothing(tmp_path: Path) -> None:
    stepper = Stepper(tmp_path)
    assert stepper.last["state"] == "paused"
    assert stepper.end() == 0
    assert not list(tmp_path.iterdir())


def test_given_paths_as_pages_show_them_when_read_then_steps() -> None:
    from penstock.tree import Path as TreePath

    assert tree_path("XMLNSC.{urn:a.b}Order.@id") == TreePath("XMLNSC", "{urn:a.b}Order", "@id")
    with pytest.raises(ValueError, match="a folder and a field"):
        tree_path("XMLNSC")
