"""Steps through a flow with a test message: a process of its own that waits at wires for commands.

`python -m penstock.flow.testing.stepping` reads JSON lines from standard input: first what is run, then one
command for each wait. It writes a line at each wait and one at the end. A message runs depth first in one
thread, so a pause is that thread waiting here; nothing of production is touched (`rig.py`). The end of the
input ends the run. Who starts it gives it a folder for temporary files and removes that. Used by the console.

    {"project": "shop", "flow": "orders", "given": {"body": "<Order/>"}, "breaks": {"MQInput.out": ""}}
    {"do": "step"}   step | over | out | run | set (path, value); each may bring other `breaks`
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.esql.compiler.compile import compile_expression
from penstock.esql.runtime.context import Context
from penstock.flow.testing.cases import named_queues, run_in
from penstock.flow.testing.recording import recorded_case, save_case
from penstock.flow.testing.rig import Rig, seen
from penstock.flow.testing.tree_changes import Journey, fields_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree import Path as TreePath

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.assembly import Assembly
    from penstock.flow.testing.rig import Seen

    Facts = dict[str, Any]

MEMORY_BYTES_MAX = 2 << 30  # of data; a worker of a flow needs some 100 MB
LINES_MAX = 2_000  # of a tree that are shown
WIRES_MAX = 10_000  # that a run may pass: a flow that goes in circles ends
WAYS = ("step", "over", "out", "run")
STEP = re.compile(r"((?:\{[^}]*\})?[^.\[\]]+)(?:\[(\d+)\])?(?:\.|$)")


class Ended(BaseException):
    """Nobody waits for the run any more. Not an Exception, which a flow would treat as its own failure."""


class Stepping:
    """One run: decides at each wire whether to wait, and does what the commands say."""

    def __init__(self, rig: Rig, breaks: dict[str, str], told: Callable[[Facts], Facts | None]) -> None:
        self.rig = rig
        self._told = told  # shows where the run is; returns the next command, None when nobody waits
        self._way = "step"
        self._depth = 0
        self._breaks: dict[str, Any] = {}
        self._journey = Journey()
        self._passed: list[Facts] = []
        self.changes_by_hand = 0
        self.set_breaks(breaks)
        rig.pause = self.pass_wire

    def set_breaks(self, breaks: dict[str, str]) -> None:
        """Set the breakpoints: `node.terminal`, each with a condition in ESQL, empty for always."""
        self._breaks = {
            terminal: compile_expression(text, "breakpoint").module("Expression") if text.strip() else None
            for terminal, text in breaks.items()
        }

    def pass_wire(self, here: Seen, assembly: Assembly) -> None:
        """Note what a wire carries, and wait there if that is wanted."""
        if len(self.rig.wires) > WIRES_MAX:
            raise error(
                mq.PSRC_FLOW_PROJECT, f"the message has passed {WIRES_MAX:,} wires: this run ends here"
            )
        self._passed.append({"wire": here.place, "changes": self._journey.changes(here)})
        why = self._reason(here)
        if not why:
            return
        note = ""
        while True:
            command = self._told(self._facts(here, why, note))
            if command is None:
                raise Ended
            note = self._obey(command, assembly)
            if command.get("do") in WAYS and not note:
                self._way, self._depth = str(command["do"]), self.rig.depth
                return
            here = self.rig.wires[-1]

    def _obey(self, command: Facts, assembly: Assembly) -> str:
        """Do what a command asks for besides going on; return what is wrong with it."""
        try:
            if "breaks" in command:
                self.set_breaks(command["breaks"])
            if command.get("do") == "set":
                assembly.message.set(tree_path(str(command["path"])), command["value"])
                here = self.rig.wires[-1] = seen(self.rig.wires[-1].place, assembly)
                self._journey.replace(here)
                self.changes_by_hand += 1
        except (MQError, ValueError) as wrong:
            return str(wrong)
        return ""

    def _reason(self, here: Seen) -> str:
        """Return why the run waits at a wire; empty if it goes on."""
        terminal = here.place.partition(" -> ")[0]
        if terminal in self._breaks:
            module = self._breaks[terminal]
            try:
                if module is None or module.run(_context(here)) is True:
                    return "breakpoint"
            except MQError as failure:
                return f"breakpoint: its condition failed: {failure}"
        if self._way == "step":
            return "step"
        if self._way == "over" and self.rig.depth <= self._depth:
            return "step over"
        return "step out" if self._way == "out" and self.rig.depth < self._depth else ""

    def _facts(self, here: Seen, why: str, note: str) -> Facts:
        passed, self._passed = self._passed, []
        return {
            "state": "paused",
            "wire": here.place,
            "depth": self.rig.depth,
            "why": why,
            "note": note,
            "passed": passed,
            "trees": {name: lines[:LINES_MAX] for name, lines in fields_of(here).items()},
        }

    def rest(self) -> list[Facts]:
        """Return the wires that the message passed since the last wait."""
        return self._passed


def _context(here: Seen) -> Context:
    """Return the context in which a condition sees a wire: copies, so that it changes nothing."""
    return Context(
        here.message,
        environment=here.environment,
        local_environment=here.local_environment,
        exception_list=here.exception_list,
    )


def tree_path(text: str) -> TreePath:
    """Return the path of a field as pages show it: `XMLNSC.Order.Item[2].@id`.

    >>> tree_path("XMLNSC.Order.Item[2].Price") == TreePath("XMLNSC", "Order", ("Item", 2), "Price")
    True
    """
    at, steps = 0, []
    while at < len(text):
        found = STEP.match(text, at)
        if found is None:
            raise ValueError(f"{text[:80]} is not a path such as XMLNSC.Order.Total")
        name, number = found.groups()
        steps.append((name, int(number)) if number else name)
        at = found.end()
    if len(steps) < 2:
        raise ValueError("a path has a folder and a field: XMLNSC.Order.Total")
    return TreePath(*steps)


def main() -> int:
    """Run what the first line says, waiting for commands."""
    told = os.dup(1)
    os.dup2(2, 1)  # what a flow prints goes to the log
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))

    def say(facts: Facts) -> None:
        os.write(told, json.dumps(facts, default=str).encode() + b"\n")

    def ask(facts: Facts) -> Facts | None:
        say(facts)
        line = sys.stdin.readline()
        return json.loads(line) if line else None

    try:
        say(_run(json.loads(sys.stdin.readline()), ask))
    except Ended:
        return 0
    except (MQError, OSError, ValueError, MemoryError) as failure:
        say({"state": "failed", "error": str(failure) or type(failure).__name__})
        return 1
    return 0


def _run(wanted: Facts, ask: Callable[[Facts], Facts | None]) -> Facts:
    given: Facts = {"in": [wanted["given"]]}
    with Rig(wanted["flow"], wanted["project"], queues=named_queues(given)) as rig:
        stepping = Stepping(rig, wanted.get("breaks", {}), ask)
        run_in(rig, given, Path())
        case = recorded_case(rig, wanted.get("name", "stepped"), given)
    text = "" if stepping.changes_by_hand else _as_test(wanted["flow"], case)  # no test changes fields midway
    results = {name: case[name] for name in ("out", "dead_letters", "replies", "written") if case.get(name)}
    return {"state": "ended", "passed": stepping.rest(), "out": {}, **results, "yaml": text}


def _as_test(flow: str, case: Facts) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test.yaml"
        save_case(path, flow, case)
        return path.read_text("utf-8")


if __name__ == "__main__":
    sys.exit(main())
