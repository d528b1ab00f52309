"""What watching costs: instructions of a put and a get, with statistics, accounting and traces off and on.

`python -m tests.instructions` runs this module as a child of valgrind (callgrind), which counts what the
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
MODES = {
    "off": "",
    "statistics every second": "ALTER QMGR STATMQI(ON) STATQ(ON) STATINT(1)",
    "accounting": "ALTER QMGR ACCTMQI(ON) ACCTQ(ON)",
    "trace of the queue": "QUEUE",
    "trace of another queue": "OTHER",
    "trace of everything": "ALL",
    "OpenTelemetry at 1 %": "OTEL",
    "off, again": "",
}


def child(home: str) -> None:
    """Make the pairs of every mode; the caller counts."""
    for number, change in enumerate(MODES.values()):
        with ExitStack() as stack:
            owner = stack.enter_context(penstock.embed(f"QM{number}", create=True, home=home))
            owner.mqsc("DEFINE QLOCAL(Q)\nDEFINE QLOCAL(OTHER)", check=True)
            configure(Settings("http://127.0.0.1:9/v1/traces", 0.01) if change == "OTEL" else None)
            if change.startswith("ALTER"):
                owner.mqsc(change, check=True)
            elif change == "OTEL":
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


def measured(folder: Path) -> dict[str, float]:
    """Return the instructions of a pair in every mode."""
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
    return {mode: counts[2 * number + 1] / PAIRS for number, mode in enumerate(MODES)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", default="")
    home = parser.parse_args().home
    if home:
        child(home)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder))
    for mode, count in found.items():
        print(f"{mode:<30}{count:>10,.0f} instructions  {count / found['off']:>7.3f}")


if __name__ == "__main__":
    main()
