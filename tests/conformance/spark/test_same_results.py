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

from penstock.spark.runs import flow_job
from penstock.spark.starting import packing
from tests.conformance.spark.clusters import DRIVER
from tests.spark import HOME, Broker, marks
from tests.spark_cases import CASES, Engine, differences, inline, play, spark_run
from tests.uncompiled import ROOT

pytestmark = marks
ON_CLUSTER = ("orders", "clock, ids and chance")  # in `make soak` every case
AGGREGATED_AGAIN = ("trips without a hotel", "trips that come late")  # their other flows are those of "trips"


def embedded(spark: Any, broker: Broker) -> Engine:
    def run(project: str, flow: str, fixed: dict[str, Any]) -> None:
        given = spark_run(broker, project, flow, fixed)
        flow_job.run(spark, given.arguments(), lambda event: None, threading.Event())

    return run


def one_of(engine: Engine, name: str, others: Engine) -> Engine:
    """Return an engine for one flow, with another for all others."""

    def run(project: str, flow: str, fixed: dict[str, Any]) -> None:
        (engine if flow == name else others)(project, flow, fixed)

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


def packed(tmp_path: Path) -> tuple[str, dict[str, str]]:
    """Pack the environment; return the paths and options of workers that have nothing else."""
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
    return paths, {"spark_archives": options["spark.archives"], "spark_pyspark_python": str(python)}


@pytest.mark.parametrize("name", CASES)
def test_embedded_spark_gives_what_inline_gives(
    spark: Any, broker: Broker, tmp_path: Path, penstock_home: Path, name: str, scale: int
) -> None:
    case = CASES[name]
    for home in (penstock_home, HOME):
        case.home(home)
    with broker.local() as qm:
        expected = play(case, qm, inline(broker.local), tmp_path / "project")
        engine = embedded(spark, broker)
        if name in AGGREGATED_AGAIN and scale == 1:
            engine = one_of(engine, "travel", inline(broker.local))
        found = play(case, qm, engine, tmp_path / "project")
    assert differences(found, expected) == []
    assert sum(map(len, expected.values())) > 0


def test_a_cluster_whose_workers_have_no_penstock_gives_what_inline_gives(
    cluster: str, broker: Broker, tmp_path: Path, penstock_home: Path, scale: int
) -> None:
    """Their Python has what Spark needs; Penstock comes with the job, as a packed environment."""
    paths, given = packed(tmp_path)
    with broker.local() as qm, on_cluster(cluster, broker, paths, **given) as engine:
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
