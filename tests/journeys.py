"""Which files one operation passes through: `python -m tests.journeys` prints and counts them.

Three operations, each after it has run before: a persistent put over TCP, a message through a flow, a batch
of Spark's (what driver and tasks call, without a JVM). A file counts when one of its functions is entered
every time that the operation is made: what housekeeping does beside one of them is not on its way.
Those of Python are seen by a profile function, those of compiled modules by valgrind (callgrind), which runs
this module as a child; both ends of a connection are threads of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from typing import Any

import uvloop

import penstock
from penstock.flow.loading import compiled_flow
from penstock.flow.running.listener import listener_for
from penstock.host import registry
from penstock.host.folders.folder import existing_folder
from penstock.serve.entry.access import ServerAccess
from penstock.serve.runtime import runtime_of
from penstock.serve.server import Server
from penstock.spark.runs import spark_run
from tests.spark_cases import batches_of

PACKAGE = str(Path(penstock.__file__).parent) + os.sep
BEGIN, END = (
    "getpgid",
    "getsid",
)  # calls of the system that nothing else makes: callgrind begins and dumps there
ESQL = """
CREATE COMPUTE MODULE Billing
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET OutputRoot.XMLNSC.Order.Total = CAST(InputRoot.XMLNSC.Order.Total AS INTEGER) * 2;
    RETURN TRUE;
  END;
END MODULE;
"""
FLOW = """
from penstock.flow import Flow, nodes

flow = Flow("orders")
order = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
bill = flow.add(nodes.Compute("billing.esql", module="Billing"))
out = flow.add(nodes.MQOutput("OUT"))
order.out >> bill.in_
bill.out >> out.in_
"""
ORDER = b"<Order><Total>2000</Total></Order>"
WARM_UP = 3
TIMES = 5


class Journey:
    """Records the files of Python that are entered, in all threads that began since."""

    def __init__(self) -> None:
        self.files: list[set[str]] = []  # of each time
        self.recording = False
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def of(self, operation: Callable[[], Any], prepare: Callable[[], Any] = lambda: None) -> list[set[str]]:
        """Return the files of an operation, for each time it is made; it is warmed up first."""
        for _ in range(WARM_UP):
            prepare()
            operation()
        for _ in range(TIMES):
            prepare()
            self.files.append(set())
            self.recording = True
            os.getpgid(0)
            operation()
            os.getsid(0)
            self.recording = False
        threading.setprofile(None)
        sys.setprofile(None)
        return self.files

    def _profile(self, frame: Any, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename
        if self.recording and event == "call" and name.startswith(PACKAGE):
            self.files[-1].add(name.removeprefix(PACKAGE))


@contextmanager
def serving(folder: Any) -> Iterator[int]:
    """Serve a queue manager in a thread; yield its port."""
    ready = threading.Event()
    told: dict[str, Any] = {}

    async def serve() -> None:
        host = registry.enter(folder)
        server = Server(host, asyncio.get_running_loop())
        server.access = ServerAccess(host)
        host.engine.runtime = runtime_of(server)
        server.listeners.start_local(host.folder.path)
        told["port"] = server.listeners.listen("L", "127.0.0.1", 0)[1]
        told["stop"] = lambda: server.loop.call_soon_threadsafe(server.stop, "immediate")
        ready.set()
        await server.stopped.wait()
        await server.services.close()
        server.listeners.close()
        host.engine.runtime = None
        server.close()
        registry.leave(host)

    thread = threading.Thread(target=lambda: uvloop.run(serve()))
    thread.start()
    ready.wait()
    try:
        yield told["port"]
    finally:
        told["stop"]()
        thread.join()


def put_over_tcp(home: Path) -> list[set[str]]:
    """A persistent put by a client, confirmed by the disk."""
    with penstock.embed("JOURNEY", create=True, home=home) as qm:
        qm.mqsc(
            f"DEFINE QLOCAL(ORDERS)\nDEFINE CHANNEL(APP) CHLTYPE(SVRCONN) MCAUSER('{getuser()}')", check=True
        )
        qm.mqsc("ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')\nREFRESH SECURITY", check=True)
    journey = Journey()
    with serving(existing_folder("JOURNEY", home)) as port:
        with penstock.connect(f"mq://127.0.0.1:{port}/JOURNEY?channel=APP") as client:
            found = journey.of(lambda: client.put("ORDERS", ORDER, persistent=True))
    return found


def orders_project(home: Path) -> Path:
    """Write the project of a flow with a Compute node."""
    project = home / "project"
    (project / "flows").mkdir(parents=True)
    (project / "billing.esql").write_text(ESQL)
    (project / "flows" / "orders.py").write_text(FLOW)
    return project


def through_a_flow(home: Path) -> list[set[str]]:
    """A message from a queue, through a Compute node, to a queue."""
    with penstock.embed("FLOW", create=True, home=home) as qm:
        qm.mqsc("DEFINE QLOCAL(IN)\nDEFINE QLOCAL(OUT)")
        compiled = compiled_flow(str(orders_project(home)), "orders", {})
        listener: Any = listener_for(compiled, next(iter(compiled.inputs)), lambda: qm)
        return Journey().of(
            lambda: listener.step(0.0),
            prepare=lambda: qm.put("IN", ORDER, persistent=True),
        )


def spark_batch(home: Path) -> list[set[str]]:
    """A batch of one message: what Spark's driver and its tasks call, in this process."""
    with penstock.embed("SPARK", create=True, home=home) as qm:
        qm.mqsc("DEFINE QLOCAL(IN)\nDEFINE QLOCAL(OUT)")
    os.environ["PENSTOCK_HOME"] = str(home)
    journey = Journey()
    with serving(existing_folder("SPARK", home)), penstock.connect("SPARK") as qm:
        told = spark_run.SparkRun(
            str(orders_project(home)),
            "orders",
            "SPARK",
            until_empty=True,
            checkpoint=str(home / "checkpoint"),
        )
        compiled = told.compiled()
        options, arguments = spark_run.of_query(told, compiled, next(iter(compiled.inputs)))
        batch = batches_of(options, arguments)
        return journey.of(lambda: next(batch), prepare=lambda: qm.put("IN", ORDER, persistent=True))


JOURNEYS = {"spark": spark_batch, "put": put_over_tcp, "flow": through_a_flow}


def compiled_functions(dump: str) -> dict[str, set[str]]:
    """Return the modules and functions that a dump of callgrind names.

    Functions of Cython itself do not count: all modules share those of the module that was loaded first.
    """
    objects, names, found, inside = {}, {}, {}, ""
    for line in dump.splitlines():
        if match := re.match(r"c?ob=\((\d+)\)(?: (.*))?", line):
            if match[2]:
                objects[match[1]] = match[2]
            if not line.startswith("c"):
                inside = objects[match[1]]
        elif match := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
            if match[2]:
                names[match[1]] = match[2]
            name = names[match[1]]
            if line.startswith("fn") and PACKAGE in inside and not name.startswith("__Pyx_"):
                module = inside.split(PACKAGE)[1].partition(".")[0] + ".so"
                found.setdefault(module, set()).add(name)
    return found


def counted(name: str, folder: Path) -> list[str]:
    """Return the files of a journey, which a child makes under callgrind."""
    out = folder / "callgrind.out"
    words = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-pos=no"]
    words += [f"--zero-before={BEGIN}", f"--dump-before={END}", sys.executable, "-m", "tests.journeys", name]
    child = subprocess.run(words, check=True, capture_output=True, text=True)
    times = []
    for number, python in enumerate(json.loads(child.stdout), start=1):
        compiled = compiled_functions((folder / f"callgrind.out.{number}").read_text())
        times.append({*python, *compiled})
    return sorted(set.intersection(*times))


def main() -> None:
    """Print the files of every journey; in a child make one and print those of Python."""
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:]:
            print(json.dumps([sorted(files) for files in JOURNEYS[sys.argv[1]](Path(folder))]))
            return
        for name in JOURNEYS:
            found = counted(name, Path(folder))
            print(f"{name}: {len(found)} files", *found, sep="\n  ")


if __name__ == "__main__":
    main()
