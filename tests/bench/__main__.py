"""`python -m tests.bench [names…] [--rounds N] [--quick] [--json FILE]`: run benchmarks, show, judge.

Exit code 1 when a row fails its target, 0 otherwise: inconclusive is not a failure.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shlex
import sys
import time
from pathlib import Path

from penstock.lab.analysis.results import Result, Row, Verdict
from penstock.lab.analysis.samples import ROUNDS_MIN
from penstock.lab.load.setting import Setting, file_system, real_folder
from penstock.lab.measure import machine
from tests.bench import printing

NAMES = (
    "pair",
    "correlid",
    "watching",
    "console",
    "durable",
    "restart",
    "mqi",
    "memory",
    "deep_queue",
    "pubsub",
    "chlauth",
    "tree_xml",
    "tree_json",
    "tree_models",
    "tree_swift",
    "esql_programs",
    "limits",
    "flow_inline",
    "flow_start",
    "aggregation",
    "flow_nodes",
    "flow_databases",
    "bridge",
    "flow_conversions",
    "flow_publication",
    "flow_parallel",
    "spark_starts",
    "spark_flows",
    "spark_processor",
    "durable_network",
    "zero_think_time",
    "rated",
    "short_sessions",
    "strangers",
    "held_loop",
    "capacity",
    "channels",
    "channel_capacity",
    "shared",
    "shared_structures",
    "shared_data_sets",
    "shared_peers",
    "cluster_pubsub",
    "cluster_transfers",
    "clusters",
)
JSON_DEFAULT = Path("build/bench.json")


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    screen = printing.console()
    results: dict[str, list[Result]] = {}
    with real_folder() as folder:
        about = machine.describe(file_system(folder))
        screen.print("  ".join(f"[dim]{key}[/] {value}" for key, value in about.items()))
        load = f"{os.getloadavg()[0]:.2f}"
        screen.print(f"[dim]rounds[/] {options.rounds}  [dim]load before[/] {load}\n")
        setting = Setting(options.rounds, options.quick, folder)
        run = about | {"command": shlex.join(["python", "-m", "tests.bench", *options.given]), "load": load}
        foreign: dict[str, float] = {}
        for name in options.names:
            results[name], foreign[name] = _run(name, setting, screen)
            whole = {"run": run | {"rounds": options.rounds, "foreign_percent": foreign}}
            printing.write_json(options.json, whole, results)
    return conclude(screen, results, options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--rounds", type=int, default=ROUNDS_MIN, help="rounds of each comparison (5)")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("--json", type=Path, default=JSON_DEFAULT, help=f"where to write ({JSON_DEFAULT})")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if options.rounds < 1:
        parser.error("at least one round")
    options.names = options.names or list(NAMES)
    options.given = sys.argv[1:] if arguments is None else arguments
    return options


def _run(name: str, setting: Setting, screen: printing.Console) -> tuple[list[Result], float]:
    benchmark = importlib.import_module(f"tests.bench.{name}")
    before = machine.Usage.now()
    began = time.monotonic()
    screen.print(f"[dim]{name} ...[/]")  # no moving picture: its thread would be measured too
    found = list(benchmark.measure(setting))
    foreign = machine.foreign_percent(before, machine.Usage.now())
    printing.show(screen, name, found, foreign, time.monotonic() - began)
    return found, foreign


def conclude(screen: printing.Console, results: dict[str, list[Result]], path: Path) -> int:
    """Say how many rows passed; return the exit code."""
    rows = [row for found in results.values() for row in found if isinstance(row, Row)]
    counts = {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    screen.print(
        f"{counts[Verdict.PASSES]} pass, {counts[Verdict.FAILS]} fail, "
        f"{counts[Verdict.INCONCLUSIVE]} inconclusive; {path} has every round"
    )
    return 1 if counts[Verdict.FAILS] else 0


if __name__ == "__main__":
    sys.exit(main())
