"""`penstock broker start`: runs a broker, in the foreground or in the background."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import completion
from penstock.cli.background import let_go, start_in_background
from penstock.cli.connecting import JsonOption, QmgrOption

if TYPE_CHECKING:
    from penstock.flow.broker.home import BrokerHome
    from penstock.flow.broker.supervisor import Supervisor

NameArgument = Annotated[str, typer.Argument(help="the broker's name", autocompletion=completion.brokers)]


def start(
    name: NameArgument = "default",
    qmgr: QmgrOption = "",
    background: Annotated[bool, typer.Option("--background", "-b", help="return when it runs")] = False,
    log_json: Annotated[bool, typer.Option("--log-json", help="log lines are JSON objects")] = False,
    log_data: Annotated[
        bool, typer.Option("--log-data", help="log the texts of exceptions, which may quote messages")
    ] = False,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            "--metrics-port",
            min=0,
            max=65535,
            help="count every node, and serve GET /metrics for Prometheus on this port",
        ),
    ] = None,
    metrics_address: Annotated[
        str, typer.Option("--metrics-address", help="the address for it; no password is required")
    ] = "127.0.0.1",
    as_json: JsonOption = False,
) -> None:
    """Start a broker and everything deployed to it. The first start creates it."""
    from penstock.flow.broker.home import broker_home

    home = broker_home(name, create=True)
    if background:
        logging = [*(["--log-json"] if log_json else []), *(["--log-data"] if log_data else [])]
        if metrics_port is not None:
            logging += ["--metrics-port", str(metrics_port), "--metrics-address", metrics_address]
        _start_in_background(name, qmgr, as_json, logging)
        return
    with home.lock():
        metrics = None if metrics_port is None else (metrics_address, metrics_port)
        _run(home, qmgr, as_json, log_json, log_data, metrics)


def _run(
    home: BrokerHome,
    qmgr: str,
    as_json: bool,
    log_json: bool,
    log_data: bool,
    metrics: tuple[str, int] | None,
) -> None:
    """Run the broker until a signal comes."""
    from penstock.cli.connecting import USER, password_of
    from penstock.cli.ending_signals import on_ending
    from penstock.cli.own_queue_manager import running
    from penstock.flow.broker.logs import log_later
    from penstock.flow.broker.metrics import page_of
    from penstock.flow.broker.supervisor import Supervisor
    from penstock.telemetry.metrics import exporting

    stop = threading.Event()
    user = os.environ.get(USER, "")
    chosen = qmgr or home.read_deployed()["qmgr"]
    with on_ending(lambda *_: stop.set()), running(chosen, _say, what="the broker") as found:
        with home.changing() as state:
            state["qmgr"] = found
        password = password_of(user)
        supervisor = Supervisor(
            home, found, user, password, log_json=log_json, log_data=log_data, counters=metrics is not None
        )
        shown = None if metrics is None else _metrics(home, supervisor, *metrics)
        exporting(lambda: page_of(home.name, supervisor.status()["workers"]))
        with log_later(log_json, log_data):  # the lines about the first workers too
            supervisor.step()
            _tell(home, found, as_json, shown)
        supervisor.run(stop)


def _metrics(home: BrokerHome, supervisor: Supervisor, address: str, port: int) -> str:
    """Serve the page of metrics while this process runs; return its address."""
    from penstock.flow.broker.metrics import BrokerMetrics

    bound = BrokerMetrics(home.name, supervisor.status, address, port).port
    return f"http://{address}:{bound}/metrics"


def _tell(home: BrokerHome, qmgr: str, as_json: bool, metrics: str | None) -> None:
    """Report that it runs."""
    from penstock.cli.printing import show_json_line
    from penstock.cli.service_notice import ready

    if as_json:
        facts = {"name": home.name, "process": os.getpid(), "qmgr": qmgr}
        show_json_line(facts if metrics is None else {**facts, "metrics": metrics})
    else:
        print(f"Broker {home.name} runs in process {os.getpid()}, on queue manager {qmgr}.")
        if metrics is not None:
            print(f"Metrics are at {metrics}.")
    ready(f"broker {home.name} runs")
    let_go(home.logs / "broker.log")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _start_in_background(name: str, qmgr: str, as_json: bool, logging: list[str]) -> None:
    """Start another process and return when it runs; it continues when the terminal is closed."""
    command = ["broker", "start", name]
    command += ["--qmgr", qmgr] if qmgr else []
    command += [*logging, *(["--json"] if as_json else [])]
    start_in_background(command)
