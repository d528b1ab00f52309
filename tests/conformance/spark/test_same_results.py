"""One flow, three engines, the same results: inline, on embedded Spark, on a cluster with two workers.

Clock, ids and random numbers are given, so that everything can be compared. The flows are all the examples
that may run on Spark, and some that fail, look up, or depend on chance.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sysconfig import get_paths
from typing import Any

import pytest

from penstock.flow.engines import why_not_spark
from penstock.flow.loading import compiled_flow
from penstock.flow.project import Project
from penstock.spark import flow_job, packing
from penstock.spark.flow_job import SparkRun
from tests.conformance.spark.clusters import DRIVER
from tests.spark import HOME, Broker, marks
from tests.spark_cases import CASES, EXAMPLES, ORDERS, Engine, differences, inline, play, without_spark
from tests.uncompiled import ROOT

pytestmark = marks
ON_CLUSTER = ("orders", "orders that fail", "clock, ids and chance", "conversion", "swift", "trips")
# they write to databases, or must know at once whether anybody subscribes
REFUSED = {"airline/reservations", "enrichment/enrich", "quotes/quotes"}


def spark_run(broker: Broker, project: str, flow: str, fixed: dict[str, Any], url: str = "") -> SparkRun:
    return SparkRun(
        project,
        flow,
        url or broker.name,
        until_empty=True,
        batch_rows=25,
        checkpoint=str(broker.checkpoint),
        options={"home": str(broker.home)},
        fixed=fixed,
    )


def embedded(spark: Any, broker: Broker) -> Engine:
    def run(project: str, flow: str, fixed: dict[str, Any]) -> None:
        given = spark_run(broker, project, flow, fixed)
        flow_job.run(spark, given.arguments(), lambda event: None, threading.Event())

    return run


@contextmanager
def on_cluster(master: str, broker: Broker, environment: str = str(ROOT), **given: str) -> Iterator[Engine]:
    """Run a driver that runs flows on a cluster, as it is told."""
    options = {
        **DRIVER,
        "spark.executor.memory": "512m",
        "spark.executorEnv.PENSTOCK_HOME": str(HOME),
        "spark.executorEnv.PYTHONPATH": environment,
        **{name.replace("_", "."): value for name, value in given.items()},
    }
    process = subprocess.Popen(
        [
            sys.executable,
            str(ROOT / "tests/conformance/spark/cluster_driver.py"),
            master,
            json.dumps(options),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), get_paths()["purelib"]))},
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def run(project: str, flow: str, fixed: dict[str, Any]) -> None:
        given = spark_run(broker, project, flow, fixed, broker.address())
        print(json.dumps(given.arguments()), file=process.stdin, flush=True)
        answer = process.stdout.readline()
        assert answer.startswith("{"), answer

    try:
        yield run
        process.stdin.close()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


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


@pytest.mark.parametrize("name", CASES)
def test_embedded_spark_gives_what_inline_gives(
    spark: Any, broker: Broker, tmp_path: Path, penstock_home: Path, name: str
) -> None:
    case = CASES[name]
    for home in (penstock_home, HOME):
        case.home(home)
    with broker.local() as qm:
        expected = play(case, qm, inline(broker.local), tmp_path / "project")
        found = play(case, qm, embedded(spark, broker), tmp_path / "project")
    assert differences(found, expected) == []
    assert sum(map(len, expected.values())) > 0


def test_a_cluster_gives_what_inline_gives(
    cluster: str, broker: Broker, tmp_path: Path, penstock_home: Path, scale: int
) -> None:
    """All examples, and what fails or depends on chance; in `make soak` every case."""
    with broker.local() as qm, on_cluster(cluster, broker) as engine:
        for name in ON_CLUSTER if scale == 1 else CASES:
            case = CASES[name]
            for home in (penstock_home, HOME):
                case.home(home)
            folder = tmp_path / "project" / name
            found = play(case, qm, engine, folder)
            assert differences(found, play(case, qm, inline(broker.local), folder)) == [], name


def test_a_connect_server_gives_what_inline_gives(
    connect_server: str, broker: Broker, tmp_path: Path, penstock_home: Path
) -> None:
    """Neither the server nor its tasks are told where the project lies: it comes with the run."""
    case = CASES["orders"]
    with broker.local() as qm, on_cluster(connect_server, broker) as engine:
        found = play(case, qm, engine, tmp_path / "project")
        assert differences(found, play(case, qm, inline(broker.local), tmp_path / "project")) == []


def test_workers_need_nothing_but_a_packed_environment(
    cluster: str, broker: Broker, tmp_path: Path, penstock_home: Path
) -> None:
    """Their Python has what Spark needs, and no Penstock: it comes with the job."""
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("pyarrow", "pandas", "numpy", "dateutil", "pytz", "tzdata", "six.py"):
        for found in Path(get_paths()["purelib"]).glob(f"{name}*"):
            (bare / found.name).symlink_to(found)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # -S: without what is installed here
    python.chmod(0o755)
    packing.pack(tmp_path / "environment.tar.gz")
    options = packing.options_for(tmp_path / "environment.tar.gz")
    paths = os.pathsep.join((options["spark.executorEnv.PYTHONPATH"], str(bare)))
    given = {"spark_archives": options["spark.archives"], "spark_pyspark_python": str(python)}

    case = CASES["orders"]
    with broker.local() as qm, on_cluster(cluster, broker, paths, **given) as engine:
        found = play(case, qm, engine, tmp_path / "project")
        assert differences(found, play(case, qm, inline(broker.local), tmp_path / "project")) == []
