"""What watching costs: instructions of a put and a get, with statistics, accounting and traces off and on.

The counts that are always on are functions of the engine: what these execute is their cost. `python -m
tests.instructions` runs this module as a child of valgrind (callgrind), which counts what the
processor executes, in the thread that puts and gets: nearly the same on every machine and at every load.
What housekeeping does in its own thread, once a second at most, is not counted. Non-persistent messages of
1 KB, embedded. The last row repeats the first one: their difference is the error of the others.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import penstock
from penstock.telemetry.settings import Settings
from penstock.telemetry.spans import configure

DUMP_AT = "getpgid"  # a call of the system that nothing else makes: callgrind dumps there
PAIRS = 10_000
BODY = bytes(1024)
FUNCTION = re.compile(r"(?P<kind>c?fn)=\((?P<id>\d+)\)(?: (?P<name>.*))?$")
COST = re.compile(r"[+\-*\d]\S* \d+")
COUNTING = re.compile(r"queue_count_(?:put|got)|Core__count_(?:put|get)|WaitHistogram_add")
MODES = {
    "off": "",
    "statistics every second": "ALTER QMGR STATMQI(ON) STATQ(ON) STATINT(1)",
    "accounting": "ALTER QMGR ACCTMQI(ON) ACCTQ(ON)",
    "trace of the queue": "QUEUE",
    "trace of another queue": "OTHER",
    "trace of everything": "ALL",
    "OpenTelemetry at 0 %": "OTEL 0.0",
    "OpenTelemetry at 1 %": "OTEL 0.01",
    "off, again": "",
}


def child(home: str) -> None:
    """Make the pairs of every mode; the caller counts."""
    for number, change in enumerate(MODES.values()):
        with ExitStack() as stack:
            owner = stack.enter_context(penstock.embed(f"QM{number}", create=True, home=home))
            owner.mqsc("DEFINE QLOCAL(Q)\nDEFINE QLOCAL(OTHER)", check=True)
            telemetry, _, ratio = change.partition(" ") if change.startswith("OTEL") else ("", "", "")
            configure(Settings("http://127.0.0.1:9/v1/traces", float(ratio)) if telemetry else None)
            if change.startswith("ALTER"):
                owner.mqsc(change, check=True)
            elif telemetry:
                pass  # the program below connects with it; nobody listens, spans are dropped
            elif change:
                name = {"ALL": "", "QUEUE": "Q"}.get(change, change)
                owner.trace("ALL" if change == "ALL" else "QUEUE", name, seconds=3600.0)
            program = stack.enter_context(penstock.embed(f"QM{number}", home=home))
            pairs(program, 1000)
            os.getpgid(0)
            pairs(program, PAIRS)
            os.getpgid(0)


def pairs(qm: penstock.QueueManager, count: int) -> None:
    for _ in range(count):
        qm.put("Q", BODY)
        qm.get("Q")


def measured(folder: Path) -> tuple[dict[str, float], float]:
    """Return the instructions of a pair in every mode, and those of its counts with everything off."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--separate-threads=yes"]
    command += [f"--dump-before={DUMP_AT}", sys.executable, "-m", "tests.instructions", "--home", str(folder)]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    dumps = sorted(folder.glob("out.*-01"), key=lambda path: int(path.suffix[1:].partition("-")[0]))
    counts = []
    for path in dumps:
        match = re.search(r"^(?:summary|totals): (\d+)", path.read_text(errors="replace"), re.MULTILINE)
        assert match is not None, path
        counts.append(int(match[1]))
    of_modes = {mode: counts[2 * number + 1] / PAIRS for number, mode in enumerate(MODES)}
    return of_modes, spent_in(dumps[1], COUNTING) / PAIRS


def spent_in(dump: Path, wanted: re.Pattern[str]) -> int:
    """Return the instructions of functions alone, without what they call."""
    names: dict[str, str] = {}
    spent, is_wanted, is_call = 0, False, False
    for line in dump.read_text(errors="replace").splitlines():
        if match := FUNCTION.match(line):
            names.setdefault(match["id"], match["name"] or "")
            if match["kind"] == "fn":
                is_wanted = bool(wanted.search(names[match["id"]]))
        elif line.startswith("calls="):
            is_call = True  # the next line has what was called
        elif COST.match(line):
            spent += int(line.split()[1]) if is_wanted and not is_call else 0
            is_call = False
    return spent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", default="")
    home = parser.parse_args().home
    if home:
        child(home)
        return
    with tempfile.TemporaryDirectory() as folder:
        found, counting = measured(Path(folder))
    for mode, count in found.items():
        print(f"{mode:<30}{count:>10,.0f} instructions  {count / found['off']:>7.3f}")
    without = found["off"] - counting
    print(f"{'counts, always on':<30}{counting:>10,.0f} instructions  {found['off'] / without:>7.3f}")


if __name__ == "__main__":
    main()
