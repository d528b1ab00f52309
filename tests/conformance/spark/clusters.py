"""Clusters for tests: a standalone one of a master and two workers, and a Spark Connect server.

Both are started from the installed PySpark, with the system's Java; without one there is nothing to prove.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.spark.starting import java
from penstock.spark.starting.launcher import OPENED, spark_home
from tests.patience import until
from tests.ports import free_port
from tests.spark import SPARK_SECONDS
from tests.uncompiled import ROOT

# Spark speculates on another host only, so that each worker has a name of its own where loopback has several
HOSTS = ("127.0.0.1", "127.0.0.2" if sys.platform == "linux" else "127.0.0.1")
DRIVER = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


@pytest.fixture(scope="session")
def real_java() -> java.Java:
    try:
        return java.find_java(local=False)
    except MQError as failure:
        pytest.skip(str(failure))


@contextmanager
def running(found: java.Java, folder: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process of Spark's."""
    folder.mkdir()
    environment = {
        **os.environ,
        "JAVA_HOME": str(found.home),
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SCALA_VERSION": "2.13",  # the script that usually starts a worker finds it out
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
    }
    opened = [f"--add-opens={package}=ALL-UNNAMED" for package in OPENED]
    command = [str(found.program), "-Xmx512m", *opened, "-cp", str(spark_home() / "jars" / "*"), *words]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(what: Any, folder: Path) -> None:
    try:
        until(what, pause=0.1, seconds=SPARK_SECONDS)
    except AssertionError as late:
        raise AssertionError((folder / "log").read_text()[-3000:]) from late


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def at(host: str) -> list[str]:
    return ["--host", host, "--webui-port", "0"]


@pytest.fixture(scope="session")
def cluster(real_java: java.Java, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A master and two workers, for all tests."""
    tmp_path = tmp_path_factory.mktemp("cluster")
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    with ExitStack() as stack:
        master = tmp_path / "master"
        words = [f"{deploy}.master.Master", *at(HOSTS[0]), "--port", str(port)]
        stack.enter_context(running(real_java, master, *words))
        wait_for(lambda: listens(port), master)
        for name, host in zip(("one", "two"), HOSTS, strict=True):
            size = ["--cores", "1", "--memory", "1g", "--work-dir", str(tmp_path / name / "work")]
            words = [f"{deploy}.worker.Worker", *at(host), *size, address]
            stack.enter_context(running(real_java, tmp_path / name, *words))
        registered = "Registering worker"
        wait_for(lambda: (master / "log").read_text().count(registered) == 2, master)
        yield address


@pytest.fixture(scope="session")
def connect_server(real_java: java.Java, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Spark Connect server, for all tests."""
    pytest.importorskip("grpc", reason="the packages of pyspark[connect] are not installed")
    port, folder = free_port(), tmp_path_factory.mktemp("connect") / "server"
    settings = {
        **DRIVER,
        "spark.master": "local[2,4]",
        "spark.ui.enabled": "false",
        "spark.connect.grpc.binding.port": str(port),
    }
    words = ["org.apache.spark.deploy.SparkSubmit"]
    words += [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    words += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    with running(real_java, folder, *words):
        wait_for(lambda: listens(port), folder)
        yield f"sc://127.0.0.1:{port}"
