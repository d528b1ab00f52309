"""`python -m tests.bench.flow_peers [--only …] [--rounds N] [--quick] [--json FILE]`: flows beside other
engines.

Exit code 1 when a row fails its target, 0 otherwise. An engine that cannot be had is named with the reason.
"""

from __future__ import annotations

import argparse
import gc
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Row, Target, at_least
from penstock.lab.analysis.samples import ROUNDS_MIN
from penstock.lab.load.server_process import ServerFailed
from penstock.lab.load.setting import file_system, real_folder
from penstock.lab.measure import machine
from penstock.model.errors import MQError
from tests.bench import printing
from tests.bench.__main__ import conclude
from tests.bench.flow_inline import CASES, SIZES, json_body, xml_body
from tests.bench.flow_peers.bytewax_flow import BytewaxFlow
from tests.bench.flow_peers.engine import Engine, EngineFailed
from tests.bench.flow_peers.node_red import NodeRed
from tests.bench.flow_peers.penstock_flow import HandLoop, PenstockFlow
from tests.bench.flow_peers.redis_script import RedisScript

if TYPE_CHECKING:
    from penstock.lab.analysis.results import Result
    from tests.bench.flow_inline import Case

TARGETS: dict[type[Engine], Target | None] = {
    HandLoop: at_least(3),
    RedisScript: at_least(3),
    BytewaxFlow: at_least(3),
    NodeRed: at_least(10),
}
WITHOUT_TARGET = "pass"  # there is no work in it: it measures queues
MESSAGES, MESSAGES_QUICK = 20_000, 4_000
SLOW = {NodeRed: 4}  # so many times fewer messages
JSON_DEFAULT = Path("build/bench-flow-peers.json")


def main(arguments: list[str] | None = None) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers are stopped
    options = _options(arguments)
    screen = printing.console()
    found: dict[str, list[Result]] = {}
    with real_folder() as folder, ExitStack() as servers:
        about = machine.describe(file_system(folder))
        screen.print("  ".join(f"[dim]{key}[/] {value}" for key, value in about.items()))
        ours = PenstockFlow()
        engines = [
            each for each in (ours, *(kind() for kind in TARGETS)) if _started(each, folder, servers, screen)
        ]
        if ours not in engines:
            return 1
        for case in (each for each in CASES if each.name in options.only):
            for size in SIZES:
                name = f"{case.name}, {size} KB"
                found[name] = list(rows(case, size, engines, options, screen))
                printing.show(screen, name, found[name], 0.0)
                printing.write_json(options.json, {"run": about}, found)
    without = not all(found.values())  # our own side has failed
    return conclude(screen, found, options.json) or int(without)


def rows(case: Case, size: int, engines: list[Engine], options: Any, screen: Any) -> list[Result]:
    """Run every engine in every round, another one first each time."""
    body = json_body(size) if case.domain == "JSON" else xml_body(size)
    rates: dict[Engine, list[float]] = {each: [] for each in engines}
    failed: set[Engine] = set()
    for number in range(options.rounds):
        turn = number % len(engines)
        for engine in [*engines[turn:], *engines[:turn]]:
            if engine in failed:
                continue
            gc.collect()
            try:
                count = options.messages // SLOW.get(type(engine), 1)
                rates[engine].append(engine.rate(case, body, count))
            except EngineFailed as failure:
                failed.add(engine)
                screen.print(f"[red]{failure}[/]")
    if engines[0] in failed:  # there is nothing to compare
        return []
    ours = rates[engines[0]]
    return [
        Row(
            case.name,
            engine.name,
            "/s",
            ours,
            rates[engine],
            target=None if case.name == WITHOUT_TARGET else TARGETS[type(engine)],
        )
        for engine in engines[1:]
        if engine not in failed
    ]


def _started(engine: Engine, folder: Path, servers: ExitStack, screen: Any) -> bool:
    """Start what an engine needs; name it when it is missing or does not come up."""
    if missing := engine.missing():
        screen.print(f"[yellow]{engine.name} is missing:[/] {missing}")
        return False
    servers.callback(engine.stop)  # what does not come up may have begun
    try:
        engine.start(Path(tempfile.mkdtemp(dir=folder)))
    except (ServerFailed, MQError, OSError, AssertionError) as failure:
        screen.print(f"[red]{engine.name} does not start:[/] {failure}")
        return False
    screen.print(f"[dim]{engine.name} {engine.version()}[/]")
    return True


def _options(arguments: list[str] | None) -> argparse.Namespace:
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(prog="python -m tests.bench.flow_peers", description=__doc__)
    parser.add_argument("--only", default=",".join(names), help=f"flows, with commas: {', '.join(names)}")
    parser.add_argument("--rounds", type=int, help=f"rounds of each comparison ({ROUNDS_MIN})")
    parser.add_argument(
        "--quick", action="store_true", help="few messages and one round: figures, no verdicts"
    )
    parser.add_argument("--json", type=Path, default=JSON_DEFAULT, help=f"where to write ({JSON_DEFAULT})")
    options = parser.parse_args(arguments)
    options.only = options.only.split(",")
    options.rounds = options.rounds or (1 if options.quick else ROUNDS_MIN)
    options.messages = MESSAGES_QUICK if options.quick else MESSAGES
    return options


if __name__ == "__main__":
    sys.exit(main())
