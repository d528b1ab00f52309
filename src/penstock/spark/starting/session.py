"""A Spark session for this process: embedded by default, on a cluster or a Connect server by its address.

`local[...]` starts a driver JVM through `launcher` with settings for one machine; `spark://`, `yarn` and
`k8s://` start one too, on a full Java; `sc://` starts none. There is one session per process: the second call
returns it, warm. A program with its own Spark session needs only `register`.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.starting.java import find_java
from penstock.spark.starting.launcher import JAVA_OPTIONS, launch
from penstock.spark.starting.preloading import preloaded
from penstock.store.home import make_private, penstock_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    Step = Callable[[str], None]  # called when a step of a start is done

logger = logging.getLogger(__name__)

TASK_ATTEMPTS = 4  # as on a cluster; Spark's own `local[*]` gives a task one
DEFAULT_MASTER = "local[*]"
# A batch's notes: renamed into place as by default, without a checksum file and a `chmod` process for each
PLAIN_CHECKPOINTS = {
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
}
# A query that was stopped while it wrote its first note leaves a piece of it, and has to start nevertheless:
# the queue manager knows where the flow is
VERIFY_EMPTY = "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart"
# For a JVM that hands rows to Python: half the processor time of a start, and no threads that compile further
QUICK_START = {"spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
LOCAL = re.compile(r"local(\[(\*|[1-9]\d*)(,\s*[1-9]\d*)?\])?$")
CONNECT = "sc://"
CONNECT_PORT = 15002
CONNECT_SECONDS = 10.0  # Spark itself would try for many minutes
FAR = ("spark://", "yarn", "k8s://", "local-cluster[", CONNECT)
PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")


def no_step(name: str) -> None:
    """Ignore a step."""


def session(
    master: str = "",
    options: Mapping[str, str] | None = None,
    *,
    application: str = "penstock",
    home: str | os.PathLike[str] | None = None,
    step: Step = no_step,
) -> SparkSession:
    """Return this process's Spark session with the format "penstock" registered; start it if necessary.

    Without a master it is the running one, or a new one on `local[*]`. `options` are Spark's own and override
    ours; `step` is called after every step of a start. 8401 without PySpark, 8402 without Java, 8403
    for an unusable master, 8404 if Spark does not start.
    """
    _check_pyspark()
    from penstock.spark.failures import told
    from penstock.spark.format.registration import register

    check_master(master)
    given = dict(options or {})
    with told(mq.PSRC_SPARK_START):
        far = master.startswith(CONNECT)
        spark = _remote(master, given) if far else _classic(master, given, application, home, step)
        register(spark)
        step("formats")
    return spark


def check_master(master: str) -> None:
    """Refuse an unknown master before anything is started: 8403."""
    if master and not is_local(master) and not master.startswith(FAR):
        text = (
            f"{master!r} is not one of local, local[N], local[*], {', '.join(f'{each}...' for each in FAR)}"
        )
        raise error(mq.PSRC_SPARK_MASTER, text, master=master)


def is_local(master: str) -> bool:
    """Return whether a master runs its tasks in the driver's JVM."""
    return LOCAL.match(master) is not None


def master_of(spark: SparkSession) -> str:
    """Return the master that a session runs on; for a Connect server, whatever its own is, `sc://`."""
    return str(spark.conf.get("spark.master", "")) if hasattr(spark, "_jsparkSession") else "sc://"


def quick_start(master: str, options: Mapping[str, str]) -> dict[str, str]:
    """Return options for a JVM that only passes rows to Python; the user's own options replace them."""
    own = set(JAVA_OPTIONS) & set(options)
    return {**options} if own or not is_local(master) else {**QUICK_START, **options}


def settings_for(master: str, options: Mapping[str, str], application: str = "penstock") -> dict[str, str]:
    """Return the Spark settings of a session: ours for the master, then the given ones."""
    settings = {
        "spark.master": _with_attempts(master),
        "spark.app.name": application,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "WARN",
        "spark.sql.streaming.minBatchesToRetain": "10",
        VERIFY_EMPTY: "false",
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    }
    if is_local(master):
        settings |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": str(_cores(master)),
            **PLAIN_CHECKPOINTS,
        }
    return {**settings, **options}


def spark_folder(home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of PENSTOCK_HOME that holds logs and the class archive."""
    return penstock_home(home) / ".spark"


def _check_pyspark() -> None:
    try:
        import pyspark  # noqa: F401
    except ImportError as cause:
        raise error(mq.PSRC_SPARK_MISSING, f"PySpark cannot be imported: {cause}") from cause


def _with_attempts(master: str) -> str:
    match = LOCAL.match(master)
    if match is None or match[3]:
        return master
    return f"local[{match[2] or 1},{TASK_ATTEMPTS}]"


def _cores(master: str) -> int:
    match = LOCAL.match(master)
    wanted = match[2] if match else "*"
    return cores() if wanted == "*" else int(wanted or 1)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cores_of(spark: SparkSession) -> int:
    """Return how many tasks a session runs at once; for a Connect server, which does not tell, our cores."""
    context: Any = getattr(getattr(spark, "_jsparkSession", None), "sparkContext", None)
    return int(context().defaultParallelism()) if context is not None else cores()


def _classic(
    master: str, options: dict[str, str], application: str, home: str | os.PathLike[str] | None, step: Step
) -> SparkSession:
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return _same_master(running, master)
    master = master or DEFAULT_MASTER
    settings = settings_for(master, options, application)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else Spark takes the first python3 of PATH
    if "PYSPARK_GATEWAY_PORT" in os.environ or _has_gateway():
        return _build(settings)  # under spark-submit, or after a stop: the JVM is there
    java, folder = find_java(is_local(master)), spark_folder(home)
    make_private(folder)
    workers = preloaded(folder) if is_local(master) else None
    with _environment(workers.environment if workers else {}):
        jvm = launch(java, settings, folder)
        step("Java")
        with _environment({"PYSPARK_GATEWAY_PORT": str(jvm.port), "PYSPARK_GATEWAY_SECRET": jvm.secret}):
            spark = _build(settings)
            step("session")
    gateway: Any = spark.sparkContext._gateway
    gateway.proc, gateway.workers = jvm.process, workers  # their stdin is what keeps them alive
    return spark


@contextmanager
def _environment(given: Mapping[str, str]) -> Iterator[None]:
    """Set variables for a while: children of this process are not to take part in our JVM."""
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _build(settings: dict[str, str]) -> SparkSession:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark: SparkSession = builder.getOrCreate()
    _quiet_accumulators(spark)
    return spark


def _quiet_accumulators(spark: SparkSession) -> None:
    """Have the thread that collects Spark's accumulators say nothing when the JVM ends before it does."""
    server: Any = getattr(spark.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda _request, _address: logger.debug(
            "spark_accumulators_ended", exc_info=True
        )


def _has_gateway() -> bool:
    from pyspark import SparkContext

    return getattr(SparkContext, "_gateway", None) is not None


def _same_master(running: SparkSession, master: str) -> SparkSession:
    there = running.conf.get("spark.master", "")
    if there not in (master or there, _with_attempts(master)):
        text = f"this process runs Spark on {there}; stop that session before one on {master} is started"
        raise error(mq.PSRC_SPARK_MASTER, text, master=master)
    return running


def _knock(address: str) -> None:
    """Make sure that a Connect server listens at an address: 8404."""
    if any(os.environ.get(name) for name in PROXIES):
        return  # a way that is not ours to try
    try:
        place = urlsplit(address.partition("/;")[0])
        with socket.create_connection((place.hostname, place.port or CONNECT_PORT), CONNECT_SECONDS):
            pass
    except (OSError, ValueError) as cause:
        raise error(mq.PSRC_SPARK_START, f"no Spark Connect server answers at {address}: {cause}") from cause


def _remote(address: str, options: dict[str, str]) -> SparkSession:
    from pyspark.sql import SparkSession

    try:
        import grpc  # noqa: F401
    except ImportError as cause:
        text = f"{address} is a Spark Connect address, which needs the packages of pyspark[connect]: {cause}"
        raise error(mq.PSRC_SPARK_MISSING, text) from cause
    _knock(address)
    builder: Any = SparkSession.builder.remote(address)
    for name, value in options.items():
        builder = builder.config(name, value)
    spark: SparkSession = builder.getOrCreate()
    return spark
