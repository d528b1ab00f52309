"""What driver and tasks do, without Spark between them: the same results as the inline engine, in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.flow.engines import why_not_spark
from penstock.flow.loading import compiled_flow
from penstock.flow.project import Project
from tests.spark import Broker
from tests.spark_cases import CASES, EXAMPLES, ORDERS, differences, inline, play, spark_run, without_spark

pytestmark = pytest.mark.installed
# they write to databases, or must know at once whether anybody subscribes
REFUSED = {
    "airline/reservations",
    "enrichment/enrich",
    "mailbox/mail_orders",
    "parcels/parcels",
    "quotes/quotes",
    "repairs/repairs",
}


def flows_of_examples() -> Iterator[tuple[str, Path, str]]:
    for folder in (ORDERS, *sorted(EXAMPLES.iterdir())):
        if (folder / "flows").is_dir():
            for flow in Project(folder).flows:
                yield f"{folder.name}/{flow}", folder, flow


def test_every_example_that_may_run_on_spark_is_compared() -> None:
    compared = {flow for case in CASES.values() for flow, _ in case.flows}
    for name, folder, flow in flows_of_examples():
        refused = bool(why_not_spark(compiled_flow(str(folder), flow, {})))
        assert refused == (name in REFUSED), name
        assert refused or flow in compared, f"{name} may run on Spark and is not compared"


@pytest.mark.parametrize("name", CASES)
def test_driver_and_tasks_give_what_inline_gives(
    broker: Broker, tmp_path: Path, penstock_home: Path, name: str
) -> None:
    """The same without Spark between them, by address as on a cluster: in seconds, and it can be debugged."""
    case = CASES[name]
    case.home(penstock_home)
    engine = without_spark(lambda *told: spark_run(broker, *told, url=broker.address()))
    with broker.local() as qm:
        expected = play(case, qm, inline(broker.local), tmp_path / "project")
        found = play(case, qm, engine, tmp_path / "project")
    assert differences(found, expected) == []
