"""When a run is over, and which flows may have two batches at once; no Spark is started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed")
from penstock.flow.loading import compiled_flow
from penstock.spark.runs.flow_queries import FlowQueries
from penstock.spark.runs.spark_run import SECOND, SparkRun, may_overlap
from tests.spark_cases import CASES, ORDERS

LOST = "penstock.model.errors.NotAvailable: 2538 MQRC_HOST_NOT_AVAILABLE: nobody answers"
OVERTAKEN = "penstock.model.errors.MQError: 8031 PSRC_EPOCH_STALE: flow orders/In is at epoch 7"
WRONG = "penstock.model.errors.MQError: 8303 PSRC_FLOW_FAILED: it fails"


class Query:
    """A query that has ended, well or with a failure; "running" has not."""

    def __init__(self, state: str) -> None:
        self.isActive = state == "running"
        self._failure = None if state in ("running", "") else RuntimeError(state)

    def exception(self) -> Exception | None:
        return self._failure


@pytest.mark.parametrize(
    ("states", "over"),
    [
        ({"a": "", "b": ""}, True),
        ({"a": "running", "b": ""}, False),
        ({"a": "running", "b": WRONG}, True),
        ({"a": "running", "b": LOST}, False),  # it ended after the look for lost ones: the next look is its
        ({"a": "running", f"a{SECOND}": OVERTAKEN}, False),
        ({"a": OVERTAKEN, "b": "running"}, True),
    ],
)
def test_a_run_is_over_when_all_have_ended_or_one_has_failed_for_good(
    states: dict[str, str], over: bool
) -> None:
    given = SparkRun("project", "orders", "QM1", also=["QM2"], until_empty=True)
    queries = FlowQueries(None, given, None)  # type: ignore[arg-type]
    found: dict[str, Any] = {name: Query(state) for name, state in states.items()}
    queries.queries = found

    assert queries._is_over() == over


@pytest.mark.parametrize(
    ("case", "flow", "may"),
    [("orders", "orders", True), ("clock, ids and chance", "chance", False), ("groups", "groups", False)],
)
def test_batches_overlap_where_nothing_depends_on_their_order(
    tmp_path: Path, case: str, flow: str, may: bool
) -> None:
    """The second of these flows retains publications, the third keeps groups together."""
    made = ORDERS if flow == "orders" else CASES[case].project(tmp_path / "project")
    compiled = compiled_flow(str(made), flow, {})

    assert [may_overlap(compiled, label) for label in compiled.inputs] == [may]
