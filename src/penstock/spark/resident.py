"""The warm Spark session: one process keeps a session and runs jobs for others, so that later runs start at
once.

`serve` is that process; `request` asks it to run a job and receives its progress; `run_job` uses it if it
runs, else a session of this process. A job is a function by name, `package.module:function`, called as
`job(spark, arguments, tell, stopped)`; it ends its queries when `stopped` is set, which happens when the
requester is gone. The socket is in PENSTOCK_HOME, in a folder that only its owner may enter, because whoever
reaches it runs code here.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.session import session, spark_folder
from penstock.store.home import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    Tell = Callable[[dict[str, Any]], None]
    Job = Callable[[SparkSession, dict[str, Any], Tell, threading.Event], dict[str, Any]]

LINE_BYTES_MAX = 1 << 20
JOBS_MAX = 16  # at a time
CONNECT_SECONDS = 5.0


def run_job(
    job: str,
    arguments: Mapping[str, Any],
    tell: Tell,
    *,
    master: str = "",
    options: Mapping[str, str] | None = None,
    home: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Run a job and return its result: in the warm session, or here if there is none."""
    if not master and not options and status(home) is not None:
        return request(job, arguments, tell, home=home)
    spark = session(master, options, home=home)
    return job_of(job)(spark, dict(arguments), tell, threading.Event())


def status(home: str | os.PathLike[str] | None = None) -> dict[str, Any] | None:
    """Return the status of the warm session; None if there is none."""
    try:
        return request("", {}, lambda event: None, home=home)
    except MQError as failure:
        if failure.reason != mq.PSRC_SPARK_NOT_RESIDENT:
            raise
        return None


def stop(home: str | os.PathLike[str] | None = None) -> None:
    """End the warm session, with its jobs; 8407 if there is none."""
    request("stop", {}, lambda event: None, home=home)


def request(
    job: str, arguments: Mapping[str, Any], tell: Tell, *, home: str | os.PathLike[str] | None = None
) -> dict[str, Any]:
    """Let the warm session run a job; 8407 if there is none, 8408 with the job's error."""
    with _reached(spark_folder(home)) as link, link.makefile("rb") as lines:
        link.sendall(json.dumps({"job": job, "arguments": dict(arguments)}).encode() + b"\n")
        for line in lines:
            answer: dict[str, Any] = json.loads(line)
            if "result" in answer:
                found: dict[str, Any] = answer["result"]
                return found
            if "failure" in answer:
                raise error(answer["reason"] or mq.PSRC_SPARK_JOB, answer["failure"])
            tell(answer["event"])
    raise error(mq.PSRC_SPARK_JOB, "the Spark that stays has ended before the job has")


@contextmanager
def _reached(folder: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(CONNECT_SECONDS)
        try:
            with short_name(folder / "resident") as name:
                link.connect(name)
        except OSError as cause:
            raise error(
                mq.PSRC_SPARK_NOT_RESIDENT, f"no Spark stays in {folder}: {cause.strerror}"
            ) from cause
        link.settimeout(None)
        yield link


@contextmanager
def short_name(folder: Path) -> Iterator[str]:
    """Return a short name for the socket of a folder: the kernel allows about a hundred characters."""
    fd = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{fd}/socket"
    finally:
        os.close(fd)


# -- the process that stays ------------------------------------------------------------------


class Resident:
    """Runs jobs on request, each in a thread, until it is asked to stop."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark = spark
        self._folder = folder / "resident"
        make_private(folder)
        make_private(self._folder)
        self._jobs: set[threading.Event] = set()
        self._gate = threading.Lock()
        self._ended = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def run(self) -> None:
        """Listen and run jobs; return after a stop request."""
        path = self._folder / "socket"
        path.unlink(missing_ok=True)
        with short_name(self._folder) as name:
            self._listener.bind(name)
        self._listener.listen(JOBS_MAX)
        self._listener.settimeout(0.2)
        while not self._ended.is_set():
            try:
                link, _ = self._listener.accept()
            except TimeoutError:
                continue
            threading.Thread(target=self._serve, args=(link,), daemon=True).start()
        self._listener.close()
        path.unlink(missing_ok=True)
        for stopped in list(self._jobs):
            stopped.set()

    def _serve(self, link: socket.socket) -> None:
        with link, link.makefile("rb") as lines:
            answer: dict[str, Any]
            try:
                asked = json.loads(lines.readline(LINE_BYTES_MAX))
                answer = {"result": self._answer(asked, link)}
            except MQError as failure:
                answer = {"failure": str(failure.detail or failure), "reason": failure.reason}
            except Exception as failure:  # noqa: BLE001  an edge: whoever asked must hear of it
                answer = {"failure": f"{type(failure).__name__}: {failure}", "reason": 0}
            _say(link, answer)

    def _answer(self, asked: dict[str, Any], link: socket.socket) -> dict[str, Any]:
        if asked["job"] == "stop":
            self._ended.set()
            return {}
        if not asked["job"]:
            return self.status()
        with self._job(link) as stopped:
            make_active(self._spark)
            tell: Tell = lambda event: _say(link, {"event": event})  # noqa: E731
            return job_of(asked["job"])(self._spark, asked["arguments"], tell, stopped)

    def status(self) -> dict[str, Any]:
        """Return the status of this process."""
        context = self._spark.sparkContext
        return {
            "pid": os.getpid(),
            "master": context.master,
            "spark": self._spark.version,
            "jobs": len(self._jobs),
            "started": context.startTime / 1000,
        }

    @contextmanager
    def _job(self, link: socket.socket) -> Iterator[threading.Event]:
        """Count a job, and watch whether its requester goes away."""
        stopped = threading.Event()
        with self._gate:
            if len(self._jobs) >= JOBS_MAX:
                raise error(mq.PSRC_SPARK_JOB, f"{JOBS_MAX} jobs are running already")
            self._jobs.add(stopped)
        threading.Thread(target=_watch, args=(link, stopped), daemon=True).start()
        try:
            yield stopped
        finally:
            self._jobs.discard(stopped)


def serve(
    master: str = "",
    options: Mapping[str, str] | None = None,
    *,
    home: str | os.PathLike[str] | None = None,
    ready: Callable[[dict[str, Any]], None],
) -> None:
    """Start Spark, warm it up, call `ready`, and run jobs until asked to stop."""
    if status(home) is not None:
        raise error(mq.PSRC_SPARK_JOB, "a Spark stays here already; stop it first")
    spark = session(master, options, home=home)
    warm(spark)
    resident = Resident(spark, spark_folder(home))
    ready(resident.status())
    resident.run()
    spark.stop()


def warm(spark: SparkSession) -> None:
    """Run a small stream through Python, so that everything is loaded for the first job."""
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    mapped = rows.mapInArrow(lambda batches: batches, rows.schema)
    mapped.writeStream.format("noop").trigger(availableNow=True).start().awaitTermination()


def make_active(spark: SparkSession) -> None:
    """Make the session active in this thread: Spark looks for data sources in the active one."""
    jvm: Any = getattr(spark, "_jvm", None)
    if jvm is not None:
        type(spark)._get_j_spark_session_class(jvm).setActiveSession(spark._jsparkSession)


def job_of(name: str) -> Job:
    """Return the job of a name."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise error(mq.PSRC_SPARK_JOB, f"a job is named as package.module:function, not {name!r}")
    job: Job = getattr(importlib.import_module(module), attribute)
    return job


def _watch(link: socket.socket, stopped: threading.Event) -> None:
    try:
        if link.recv(1, socket.MSG_PEEK) == b"":
            stopped.set()
    except OSError:
        stopped.set()


def _say(link: socket.socket, answer: dict[str, Any]) -> None:
    try:
        link.sendall(json.dumps(answer).encode() + b"\n")
    except OSError:
        pass  # nobody listens any more
