"""The accident: a process with both flows of an aggregation is killed with SIGKILL at every call it makes.

Each process finishes what the one before it left, begins a trip, and dies one call later than that one.
The last one lives. Then every trip has ended once: complete, or by its timer with the reply that came.
"""

from __future__ import annotations

from pathlib import Path

import penstock
from penstock.flow.aggregation.records import State
from tests.command_forks import run_command

CALLS_MAX = 60  # more than any process makes


def test_every_trip_ends_once_whatever_call_the_process_dies_at(tmp_path: Path) -> None:
    home, number, call = tmp_path / "home", 0, 0
    while True:
        done = work(home, number, call)
        number += 1
        if done and call:  # it made fewer calls than that
            break
        call += 1
        assert call < CALLS_MAX
    assert call > 20  # there was something to interrupt
    assert work(home, number, 0)
    with penstock.embed("QM1", home=home) as qm:
        out, late, unknown = (
            [message.body.decode() for message in qm.get_many(queue, 1000)]
            for queue in ("OUT", "LATE", "UNKNOWN")
        )
        kept = [state.name for state in State if qm.get(state.value) is not None]
    begun = set(range(number + 1)) - not_begun(out + late, number)
    assert sorted(out) == sorted(f"TAXI={n} HOTEL={n}" for n in begun if n % 2 == 0)
    assert sorted(late) == sorted(f"TAXI={n}" for n in begun if n % 2)
    assert (unknown, kept) == ([], [])


def work(home: Path, number: int, call: int) -> bool:
    """Run a process; say whether it came to its end."""
    ended = run_command(str(home), str(number), str(call), module="tests.crash.killed_trips")
    assert ended.returncode in (0, -9), ended.stderr
    return ended.returncode == 0


def not_begun(lines: list[str], number: int) -> set[int]:
    """Return the trips of processes that died before their first message was put: call 1 is that put."""
    ended = {int(line.split("=")[1].split()[0]) for line in lines}
    missing = set(range(number + 1)) - ended
    assert missing <= {1}
    return missing
