"""The files that runs on Spark are seen by: batches, ends, runs that were killed, and that old ones go."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.flow.running import run_files
from penstock.flow.running.run_files import RunFile, runs

if TYPE_CHECKING:
    from pathlib import Path


def told(batches: int, messages: int, **more: Any) -> dict[str, Any]:
    sums = dict.fromkeys(run_files.SUMS, 0) | {"messages": messages, "outputs": 2 * messages}
    return {**sums, "batches": batches, "seconds": 0.5, "depth": 7, **more}


def test_a_run_shows_its_sums_and_what_each_batch_added(penstock_home: Path) -> None:
    assert runs() == []
    made = RunFile("orders", "local[2]", "QM1")
    made.note({"step": "flow"})
    made.note(told(1, 100))
    made.note(told(2, 130, failed=3))
    (running,) = runs()
    assert (running.facts["state"], running.facts["flow"]) == ("running", "orders")
    made.close()
    (run,) = runs()
    assert (run.facts["state"], run.facts["messages"], run.facts["batches"]) == ("ended", 130, 2)
    assert [(each["messages"], each["outputs"], each["failed"]) for each in run.facts["last"]] == [
        (100, 200, 0),
        (30, 60, 3),
    ]


def test_a_failed_run_has_the_reason_and_a_killed_one_says_so(penstock_home: Path) -> None:
    RunFile("orders", "local[2]", "QM1").close("2059: no queue manager")
    lost = RunFile("orders", "local[2]", "QM1")
    lost._lock.release()  # as the kernel does when a process dies
    assert [(each.facts["state"], each.facts["error"]) for each in runs()] == [
        ("killed", ""),
        ("failed", "2059: no queue manager"),
    ]


def test_the_last_runs_and_their_last_batches_are_kept(penstock_home: Path) -> None:
    for number in range(run_files.RUNS_KEPT + 3):
        made = RunFile(f"f{number}", "local", "QM1")
        for batch in range(1, run_files.BATCHES_KEPT + 5) if not number else ():
            made.note(told(batch, batch))
        if not number:
            assert len(made.facts["last"]) == run_files.BATCHES_KEPT
        made.close()
    found = [each.facts["flow"] for each in runs()]
    assert len(found) == run_files.RUNS_KEPT
    assert found[0] == f"f{run_files.RUNS_KEPT + 2}"
    assert len(list((penstock_home / "runs").glob("*.lock"))) == run_files.RUNS_KEPT


def test_a_file_that_is_no_run_is_left_out(penstock_home: Path) -> None:
    RunFile("orders", "local", "QM1").close()
    (penstock_home / "runs" / "zz.json").write_text("{")
    assert [each.facts["flow"] for each in runs()] == ["orders"]
    assert json.loads(next((penstock_home / "runs").glob("1*.json")).read_text())["flow"] == "orders"
