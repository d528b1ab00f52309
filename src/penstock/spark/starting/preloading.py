"""A process that has loaded what Spark's Python workers need, and forks instead of new Pythons.

`preloaded` starts it beside the JVM, while that loads its classes; `penstock_spark_worker` requests a fork. A
fork takes milliseconds where a new process loads PySpark, pandas, Arrow and Penstock for most of a second,
and Spark starts six kinds of workers before its first batch, and one more for every commit. Invariant: it has
one thread whenever it forks; otherwise it refuses and the asker becomes an ordinary Python. It ends with the
process that started it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock_spark_worker import PLACE

MODULES = (
    "pandas",
    "pyarrow",
    "pyspark.daemon",
    "pyspark.worker",
    "pyspark.sql.pandas.serializers",
    "pyspark.sql.streaming.python_streaming_source_runner",
    "pyspark.sql.worker.commit_data_source_write",
    "pyspark.sql.worker.create_data_source",
    "pyspark.sql.worker.lookup_data_sources",
    "pyspark.sql.worker.plan_data_source_read",
    "pyspark.sql.worker.python_streaming_sink_runner",
    "pyspark.sql.worker.write_into_data_source",
    "pyspark_penstock",
    "penstock.client.queue_manager",
    "penstock.flow.nodes",
    "penstock.spark.format.batch_sink",
    "penstock.spark.format.batch_source",
    "penstock.spark.runs.flow_rows",
    "penstock.spark.runs.flow_work",
    "penstock.spark.runs.fused",
)
ONE_THREAD = {  # numpy's and Arrow's libraries start threads, which a fork would lack
    **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")},
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
PROGRAM = "from penstock.spark.starting.preloading import serve; serve()"
REQUEST_BYTES_MAX = 1 << 20
REQUEST_SECONDS = 10.0
BACKLOG = 64


@dataclass(frozen=True)
class Preloaded:
    """The process, which ends when its stdin is closed, and the environment of Spark's JVM for it."""

    process: subprocess.Popen[bytes]
    environment: dict[str, str]


def preloaded(folder: Path) -> Preloaded | None:
    """Start the process; None if the user has chosen a Python for workers. `folder` is for the script."""
    if os.environ.get("PYSPARK_PYTHON", sys.executable) != sys.executable:
        return None
    place = Path(tempfile.mkdtemp(prefix="penstock-workers-"), "socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(place))
        listener.listen(BACKLOG)  # who comes early waits: that is quicker than to load it all again
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(place), str(listener.fileno())],
            env={**os.environ, **ONE_THREAD},
            pass_fds=(listener.fileno(),),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return Preloaded(process, {"PYSPARK_PYTHON": str(script(folder)), PLACE: str(place)})


def script(folder: Path) -> Path:
    """Write the program that Spark starts as its Python, and return its path."""
    import penstock_spark_worker

    words = shlex.join((sys.executable, str(penstock_spark_worker.__file__)))
    made, fresh = folder / "python", folder / f"python.new-{os.getpid()}"
    fresh.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    fresh.chmod(0o700)
    return fresh.replace(made)


def serve() -> None:
    """Load everything, and fork for every request, until stdin is closed."""
    place, number = Path(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    try:
        with socket.socket(fileno=number) as listener:
            load()
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            while number in select.select([0, number], [], [])[0]:
                link, _ = listener.accept()
                with link:
                    answer(link, listener)
    finally:
        shutil.rmtree(place.parent, ignore_errors=True)


def load() -> None:
    """Import the modules that workers need; modules that are not installed are skipped."""
    for name in MODULES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:  # each fork has random numbers of its own, as Python's already has
        os.register_at_fork(after_in_child=numpy.random.seed)
    gc.collect()
    gc.freeze()


def answer(link: socket.socket, listener: socket.socket) -> None:
    """Fork for one asker, unless that would be unsafe."""
    link.settimeout(REQUEST_SECONDS)
    streams: list[int] = []
    try:
        _, streams, _, _ = socket.recv_fds(link, 1, 3)
        with link.makefile("rb") as lines:
            told = json.loads(lines.readline(REQUEST_BYTES_MAX))
        if len(streams) != 3 or threads() > 1:
            link.sendall(b"\n")
        elif (process := os.fork()) == 0:
            listener.close()
            become_worker(streams, told)
        else:
            link.sendall(b"%d\n" % process)
    except (OSError, ValueError):
        pass  # the requester has ended
    finally:
        for stream in streams:
            os.close(stream)


def threads() -> int:
    """Return how many threads this process has."""
    return len(list(Path("/proc/self/task").iterdir()))


def become_worker(streams: list[int], told: dict[str, Any]) -> None:
    """Take the place of the asker: its streams, arguments, environment and path. Never returns."""
    code = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.clear()
        os.environ.update(told["environment"])
        sys.argv[:], sys.path[:] = told["arguments"], told["path"]
        os.chdir(told["folder"])
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        run(told["arguments"][0])
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001  as Python itself ends a program
        traceback.print_exc()
    finally:
        os._exit(code)


def run(module: str) -> None:
    """Run a module as a program. The daemon has no second copy of itself: its functions are loaded."""
    if module == "pyspark.daemon":
        importlib.import_module(module).manager()
    else:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
