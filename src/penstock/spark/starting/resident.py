"""The warm Spark session: one process keeps a session and runs jobs for others, so that later runs start at
once.

`serve` is that process; `request` asks it to run a job and receives its progress; `run_job` uses it if it
runs, else a session of this process. A job is a function by name, `package.module:function`, called as
`job(spark, arguments, tell, stopped)`; it ends its queries when `stopped` is set, which happens when the
requester is gone. The socket is in PENSTOCK_HOME, in a folder that only its owner may enter, because whoever
reaches it runs code here.
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.failures import place_of
from penstock.spark.starting.process_memory import tree_bytes
from penstock.spark.starting.session import no_step, session, spark_folder
from penstock.store.home import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    Tell = Callable[[dict[str, Any]], None]
    Job = Callable[[SparkSession, dict[str, Any], Tell, threading.Event], dict[str, Any]]
    from penstock.spark.starting.session import Step

LINE_BYTES_MAX = 1 << 20
JOBS_MAX = 16  # at a time
CONNECT_SECONDS = 5.0
ACCEPT_SECONDS = 0.2
MEMORY_BYTES_MAX = 3 << 30  # of a session that ends by itself: one that has grown beyond ends after its jobs


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


class HangUp:
    """Lets another thread or a signal handler end a request: the job stops in order and still answers."""

    def __init__(self) -> None:
        self.link: socket.socket | None = None
        self.asked = False

    def ask(self) -> None:
        """Ask the job to stop."""
        self.asked = True
        if self.link is not None:
            try:
                self.link.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it has ended already


def request(
    job: str,
    arguments: Mapping[str, Any],
    tell: Tell,
    *,
    home: str | os.PathLike[str] | None = None,
    hang_up: HangUp | None = None,
) -> dict[str, Any]:
    """Let the warm session run a job; 8407 if there is none, 8408 with the job's error."""
    began = False
    with _reached(spark_folder(home)) as link, link.makefile("rb") as lines:
        link.sendall(json.dumps({"job": job, "arguments": dict(arguments)}).encode() + b"\n")
        if hang_up is not None:
            hang_up.link = link
            if hang_up.asked:
                hang_up.ask()
        for line in lines:
            began = True
            answer: dict[str, Any] = json.loads(line)
            if "result" in answer:
                found: dict[str, Any] = answer["result"]
                return found
            if "failure" in answer:
                raise error(answer["reason"] or mq.PSRC_SPARK_JOB, answer["failure"])
            tell(answer["event"])
    if not began:
        raise error(mq.PSRC_SPARK_NOT_RESIDENT, "the warm session was about to end")
    raise error(mq.PSRC_SPARK_JOB, "the warm session ended before the job")


@contextmanager
def _reached(folder: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(CONNECT_SECONDS)
        try:
            with short_name(folder / "resident") as name:
                link.connect(name)
        except OSError as cause:
            raise error(
                mq.PSRC_SPARK_NOT_RESIDENT, f"there is no warm session in {folder}: {cause.strerror}"
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
    """Runs jobs on request, each in a thread, until it is stopped or was not used for a while.

    `facts` are for its status; `idle_seconds` is 0 for one that stays.
    """

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        idle_seconds: float = 0.0,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self._spark = spark
        self._idle_seconds = idle_seconds
        self._facts = dict(facts or {})
        self._used = time.monotonic()
        self._grown = False
        self._folder = folder / "resident"
        make_private(folder)
        make_private(self._folder)
        self._jobs: set[threading.Event] = set()
        self._gate = threading.Lock()
        self._ended = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Listen; afterwards it cannot be reached any more."""
        path = self._folder / "socket"
        path.unlink(missing_ok=True)
        with short_name(self._folder) as name:
            self._listener.bind(name)
        self._listener.listen(JOBS_MAX)
        self._listener.settimeout(ACCEPT_SECONDS)
        try:
            yield
        finally:
            self._listener.close()
            path.unlink(missing_ok=True)

    def run(self, ready: Callable[[dict[str, Any]], None] = lambda facts: None) -> None:
        """Listen, call `ready`, run jobs; return after a stop, or after a while without use."""
        with self._listening():
            ready(self.status())
            while not self._ended.is_set():
                try:
                    link, _ = self._listener.accept()
                except TimeoutError:
                    if self._is_over():
                        break
                    continue
                threading.Thread(target=self._serve, args=(link,), daemon=True).start()
        for stopped in list(self._jobs):
            stopped.set()

    def _is_over(self) -> bool:
        """Return whether it was not used for a while; a session that has grown too large does not wait."""
        if not self._idle_seconds or self._jobs:
            return False
        return self._grown or time.monotonic() - self._used > self._idle_seconds

    def _serve(self, link: socket.socket) -> None:
        with link, link.makefile("rb") as lines:
            answer: dict[str, Any]
            try:
                asked = json.loads(lines.readline(LINE_BYTES_MAX))
                answer = {"result": self._answer(asked, link)}
            except MQError as failure:
                answer = {"failure": str(failure.detail or failure), "reason": failure.reason}
            except Exception as failure:  # noqa: BLE001  an edge: the requester must get the error
                answer = {"failure": f"{type(failure).__name__}: {failure} {place_of(failure)}", "reason": 0}
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
            "memory_bytes": tree_bytes(os.getpid()),
            "idle_seconds": self._idle_seconds,
            "unused_seconds": 0.0 if self._jobs else time.monotonic() - self._used,
            **self._facts,
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
            self._used = time.monotonic()
            self._grown = tree_bytes(os.getpid()) > MEMORY_BYTES_MAX
            self._jobs.discard(stopped)


def serve(
    master: str = "",
    options: Mapping[str, str] | None = None,
    *,
    home: str | os.PathLike[str] | None = None,
    ready: Callable[[dict[str, Any]], None],
    idle_seconds: float = 0.0,
    facts: Mapping[str, Any] | None = None,
    step: Step = no_step,
) -> None:
    """Start Spark, call `ready`, and run jobs until stopped, or until it was not used for a while.

    One that stays is warmed up first; one that ends by itself was started for a job that waits.
    """
    with _alone(spark_folder(home)):
        spark = session(master, options, home=home, step=step)
        if not idle_seconds:
            warm(spark)
        Resident(spark, spark_folder(home), idle_seconds, facts).run(ready)
        spark.stop()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Make sure that this is the only warm session of a home: 8408."""
    make_private(folder)
    make_private(folder / "resident")
    with (folder / "resident" / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as cause:
            raise error(mq.PSRC_SPARK_JOB, "there is a warm session already; stop it first") from cause
        yield


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
        pass  # there is no listener any more
