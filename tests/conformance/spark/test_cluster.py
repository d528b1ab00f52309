"""The same flow on a standalone cluster of one master and two workers, and on a Spark Connect server.

These are for `make soak`; in `make test`, `test_same_results` runs flows of projects on both.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.conformance.spark.clusters import DRIVER
from tests.spark import Broker, Driver, marks
from tests.uncompiled import ROOT

pytestmark = marks


SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "100ms",
}


def on(cluster: str, broker: Broker, **more: str) -> dict[str, Any]:
    options = {**DRIVER, "spark.executor.memory": "512m", "spark.executorEnv.PYTHONPATH": str(ROOT)}
    return {"master": cluster, "spark_options": {**options, **more}, "url": broker.address()}


@pytest.mark.soak
def test_a_connect_server_runs_the_flow(connect_server: str, broker: Broker) -> None:
    bodies = broker.put(400)

    driver = Driver(broker, 200, "mark_done", master=connect_server, url=broker.address())

    assert driver.end() == 0
    assert broker.bodies() == [b"done " + body for body in bodies]


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="Spark wants two hosts; loopback is one here")
def test_spark_starts_a_second_attempt_beside_a_slow_one(cluster: str, broker: Broker) -> None:
    """One task of a batch hangs: speculation does its slice elsewhere, and the batch ends without it.

    In `make test`, `test_tasks_run_twice_at_once` has two attempts at every slice, without a cluster.
    """
    bodies = broker.put(400)
    broker.add_tokens(1)

    driver = Driver(broker, 200, "hang_once", **on(cluster, broker, **SPECULATION))

    assert driver.end() == 0
    assert sorted(path.name for path in broker.home.glob("hang*")) == ["hangs"]
    assert broker.bodies() == [b"done " + body for body in bodies]
    assert broker.bodies("IN") == []
