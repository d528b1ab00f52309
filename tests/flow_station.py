"""A home with a queue manager and a flow project, and the command line that works on them, for tests.

Everything is real: `penstock` runs as a process of its own. The queue manager runs in another unless a test
wants it down. Used by tests of `penstock flow run`, of the broker and of what crashes leave.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import penstock
from penstock.host.starting import create
from tests.command_forks import Command, run_command

PENSTOCK = (sys.executable, "-m", "penstock.cli.main")
QUEUES = ("IN", "OUT", "OUT2")
SMALL_LOG = {"file_pages": 256, "primary_files": 3}
COPY = """
from penstock.flow import Flow, nodes

flow = Flow("copy", properties={{"greeting": "hello"}})
start = flow.add(nodes.MQInput("IN"), name="start")
out = flow.add(nodes.MQOutput("{queue}"), name="out")
start.out >> out.in_
"""


class Station:
    """One test's home, queue manager QM1 and project."""

    def __init__(self, folder: Path, log: dict[str, int] | None = None) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.server: Command | None = None
        self.env = {**os.environ, "PENSTOCK_HOME": str(self.home)}
        create("QM1", self.home, **(SMALL_LOG if log is None else log))
        with penstock.embed("QM1", home=self.home) as qm:
            for queue in QUEUES:
                qm.mqsc(f"DEFINE QLOCAL({queue}) MAXDEPTH(100000)")
        self.write("flows/copy.py", COPY.format(queue="OUT"))

    def write(self, path: str, text: str) -> None:
        """Write a file of the project."""
        place = self.project / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def start(self) -> None:
        """Start the queue manager."""
        words = ("qmgr", "start", "QM1")
        self.server = Command(words, env=self.env, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        assert "runs in process" in self.server.stdout.readline()

    def stop(self, kill: bool = False) -> None:
        """End the queue manager."""
        if self.server is not None:
            if kill:
                self.server.kill()
            else:
                self.server.terminate()
            self.server.wait(60)
            assert self.server.stdout is not None
            self.server.stdout.close()
            self.server = None

    def connect(self) -> penstock.ClientQueueManager:
        """Connect to the queue manager."""
        return penstock.connect("QM1", home=self.home, share=False)

    def command(self, *words: str) -> list[str]:
        """Return a command line of penstock."""
        return [*PENSTOCK, *words]

    def run(self, *words: str, fails: bool = False) -> str:
        """Run a command to its end and return what it prints; with `fails` what it complains about."""
        done = run_command(*words, env=self.env)
        assert (done.returncode != 0) == fails, done.stderr or done.stdout
        return str(done.stderr if fails else done.stdout)

    def json(self, *words: str) -> Any:
        """Run a command with --json and return what it answers."""
        return json.loads(self.run(*words, "--json"))

    def begin(self, *words: str) -> Command:
        """Start a command that goes on."""
        return Command(words, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lives(process: int) -> bool:
    """Say whether a process runs; one that has ended and waits for its parent does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"
