"""`python -m tests.bench.peers [--only …] [--peers …] [--rounds N] [--quick] [--json FILE]`: compare, judge.

Exit code 1 when a row fails its target, 0 otherwise. Writes a JSON file with every run and a chart beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.samples import ROUNDS_MIN
from penstock.lab.load.server_process import ServerFailed
from penstock.lab.load.setting import file_system, real_folder
from penstock.lab.measure import machine
from tests.bench import printing
from tests.bench.__main__ import conclude
from tests.bench.peers import (
    between_servers,
    chart,
    durable_batches,
    durable_puts,
    fan_out,
    one_way,
    request_reply,
)
from tests.bench.peers.activemq import ActiveMQ
from tests.bench.peers.comparison import Timing, compare, results
from tests.bench.peers.mosquitto import Mosquitto
from tests.bench.peers.nats_jetstream import NatsJetStream
from tests.bench.peers.nats_links import NatsLeaf, NatsMirror, NatsMirrorSynced
from tests.bench.peers.penstock_channel import PenstockChannel
from tests.bench.peers.penstock_client import PenstockClient
from tests.bench.peers.rabbitmq import RabbitMQ
from tests.bench.peers.rabbitmq_shovel import RabbitMQShovel
from tests.bench.peers.redis_streams import RedisStreams

if TYPE_CHECKING:
    from penstock.lab.analysis.results import Result
    from tests.bench.peers.peer import Peer
    from tests.bench.peers.scenario import Scenario

PEERS: tuple[type[Peer], ...] = (
    *(PenstockClient, RabbitMQ, RedisStreams, NatsJetStream, ActiveMQ, Mosquitto),
    *(PenstockChannel, RabbitMQShovel, NatsLeaf, NatsMirror, NatsMirrorSynced),
)
SCENARIOS: list[Scenario] = [
    scenario
    for module in (request_reply, one_way, durable_puts, durable_batches, fan_out, between_servers)
    for scenario in module.scenarios()
]
FULL = Timing(warm_seconds=0.7, window_seconds=1.5)
QUICK = Timing(warm_seconds=0.4, window_seconds=0.6)
QUICK_ROUNDS = 1
JSON_DEFAULT = Path("build/bench-peers.json")


def main(arguments: list[str] | None = None) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers are stopped
    options = _options(arguments)
    screen = printing.console()
    found: dict[str, list[Result]] = {}
    with real_folder() as folder, ExitStack() as servers:
        about = machine.describe(file_system(folder))
        screen.print("  ".join(f"[dim]{key}[/] {value}" for key, value in about.items()))
        peers = _start(options.peers, folder, servers, screen)
        systems = {peer.name: f"{peer.version()} with {_client(peer)}" for peer in peers}
        screen.print("  ".join(f"[dim]{name}[/] {text}" for name, text in systems.items()))
        run: dict[str, Any] = about | {
            "command": shlex.join(["python", "-m", "tests.bench.peers", *options.given]),
            "load": f"{os.getloadavg()[0]:.2f}",
            "rounds": options.rounds,
            "systems": systems,
            "foreign_percent": {},
        }
        runs: dict[str, Any] = {}
        for scenario in options.scenarios:
            chosen = [peer for peer in peers if peer.key in (scenario.subject, *scenario.peers)]
            findings = compare(
                scenario,
                chosen,
                options.rounds,
                options.timing,
                folder,
                lambda text: screen.print(text, style="dim", markup=False),
            )
            found[scenario.name] = results(findings, chosen)
            runs[scenario.name] = {
                key: [asdict(each) for each in every] for key, every in findings.runs.items()
            }
            foreign = [each.foreign_percent for every in findings.runs.values() for each in every]
            run["foreign_percent"][scenario.name] = sum(foreign) / max(1, len(foreign))
            printing.show(screen, scenario.name, found[scenario.name], run["foreign_percent"][scenario.name])
            _write(options.json, {"run": run, "runs": runs}, found)
    return conclude(screen, found, options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    keys = [peer.key for peer in PEERS]
    names = [scenario.name for scenario in SCENARIOS]
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peers", description=__doc__)
    parser.add_argument(
        "--only", help=f"scenarios or beginnings of their names, with commas: {', '.join(names)}"
    )
    parser.add_argument("--peers", help=f"systems, with commas: {', '.join(keys)} (default: all installed)")
    parser.add_argument("--rounds", type=int, help=f"rounds of each comparison ({ROUNDS_MIN})")
    parser.add_argument(
        "--quick", action="store_true", help="short windows and one round: figures, no verdicts"
    )
    parser.add_argument("--json", type=Path, default=JSON_DEFAULT, help=f"where to write ({JSON_DEFAULT})")
    options = parser.parse_args(arguments)
    wanted = options.only.split(",") if options.only else names
    begins = tuple(word for word in wanted if word not in names)  # request-reply-1 is not request-reply-16
    options.scenarios = [
        each for each in SCENARIOS if each.name in wanted or (begins and each.name.startswith(begins))
    ]
    if not options.scenarios:
        parser.error(f"no scenario begins with {options.only}; there are {', '.join(names)}")
    options.peers = options.peers.split(",") if options.peers else keys
    if unknown := set(options.peers) - set(keys):
        parser.error(f"no system is called {', '.join(sorted(unknown))}; there are {', '.join(keys)}")
    options.rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS_MIN)
    options.timing = QUICK if options.quick else FULL
    options.given = sys.argv[1:] if arguments is None else arguments
    return options


def _start(keys: list[str], folder: Path, servers: ExitStack, screen: printing.Console) -> list[Peer]:
    """Start each wanted system; name those that are missing or do not come up."""
    started = []
    for peer in (kind() for kind in PEERS if kind.key in keys):
        if missing := peer.missing() or _client_missing(peer):
            screen.print(f"[yellow]{peer.name} is missing:[/] {missing}")
            continue
        servers.callback(peer.stop)
        try:
            peer.start(Path(tempfile.mkdtemp(prefix=peer.key, dir=folder)))
        except ServerFailed as failure:
            screen.print(f"[red]{peer.name} does not start:[/] {failure}")
            continue
        started.append(peer)
    return started


def _client_missing(peer: Peer) -> str:
    try:
        metadata.version(peer.client)
    except metadata.PackageNotFoundError:
        return f"pip install '.[peers]' ({peer.client})"
    return ""


def _client(peer: Peer) -> str:
    return f"{peer.client} {metadata.version(peer.client)}"


def _write(path: Path, whole: dict[str, Any], found: dict[str, list[Result]]) -> None:
    printing.write_json(path, whole, found)
    groups = chart.groups_of(json.loads(path.read_text()), PenstockClient.name)
    path.with_suffix(".svg").write_text(chart.draw("Penstock beside its peers, 1 KB messages", groups))


if __name__ == "__main__":
    sys.exit(main())
