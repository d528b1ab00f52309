"""A process for tests/crash/test_file_input.py: reads records of a folder to a queue until it is killed."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import penstock
from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.running.listener import listener_for


def main(folder: Path) -> None:
    flow = Flow("records")
    start = flow.add(nodes.FileInput("in", records="delimited", polling=0.05, processed="archive"))
    out = flow.add(nodes.MQOutput("OUT", transaction="yes", persistence="yes"))
    start.out >> out.in_
    with penstock.embed("QM1", create=not (folder / "home" / "QM1").exists(), home=folder / "home") as qm:
        qm.mqsc("DEFINE QLOCAL(OUT) DEFPSIST(YES) MAXDEPTH(100000)")
        listener = listener_for(CompiledFlow(flow, Project(folder)), "FileInput", lambda: qm)
        print("ready", flush=True)
        listener.run(threading.Event(), until_empty=len(sys.argv) > 2)


main(Path(sys.argv[1]))
