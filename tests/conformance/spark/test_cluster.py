"""The same flow on a standalone cluster of one master and two workers, and on a Spark Connect server."""

from __future__ import annotations

from tests.conformance.spark.clusters import DRIVER
from tests.spark import Broker, Driver, marks
from tests.uncompiled import ROOT

pytestmark = marks


def test_a_standalone_cluster_runs_the_flow(cluster: str, broker: Broker) -> None:
    bodies = broker.put(400)
    options = {**DRIVER, "spark.executor.memory": "512m", "spark.executorEnv.PYTHONPATH": str(ROOT)}

    driver = Driver(broker, 200, "mark_done", master=cluster, spark_options=options, url=broker.address())

    assert driver.end() == 0
    assert broker.bodies() == [b"done " + body for body in bodies]
    assert broker.bodies("IN") == []


def test_a_connect_server_runs_the_flow(connect_server: str, broker: Broker) -> None:
    bodies = broker.put(400)

    driver = Driver(broker, 200, "mark_done", master=connect_server, url=broker.address())

    assert driver.end() == 0
    assert broker.bodies() == [b"done " + body for body in bodies]
