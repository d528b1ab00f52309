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

NameArgument = Annotated[str, typer.Argument(help="the broker's name", autocompletion=completion.brokers)]


def start(
    name: NameArgument = "default",
    qmgr: QmgrOption = "",
    background: Annotated[bool, typer.Option("--background", "-b", help="return when it runs")] = False,
    log_json: Annotated[bool, typer.Option("--log-json", help="log lines are JSON objects")] = False,
    log_data: Annotated[
        bool, typer.Option("--log-data", help="log the texts of exceptions, which may quote messages")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Start a broker and everything deployed to it. The first start creates it."""
    from penstock.flow.broker.home import broker_home

    home = broker_home(name, create=True)
    if background:
        logging = [*(["--log-json"] if log_json else []), *(["--log-data"] if log_data else [])]
        _start_in_background(name, qmgr, as_json, logging)
        return
    with home.lock():
        _run(home, qmgr, as_json, log_json, log_data)


def _run(home: BrokerHome, qmgr: str, as_json: bool, log_json: bool, log_data: bool) -> None:
    """Run the broker until a signal comes."""
    from penstock.cli.connecting import USER, password_of
    from penstock.cli.ending_signals import on_ending
    from penstock.cli.own_queue_manager import running
    from penstock.flow.broker.logs import log_to_stderr
    from penstock.flow.broker.supervisor import Supervisor

    stop = threading.Event()
    user = os.environ.get(USER, "")
    with on_ending(lambda *_: stop.set()), running(qmgr or home.read_deployed()["qmgr"], _say) as found:
        with home.changing() as state:
            state["qmgr"] = found
        password = password_of(user)
        supervisor = Supervisor(home, found, user, password, log_json=log_json, log_data=log_data)
        supervisor.step()
        _tell(home, found, as_json)
        log_to_stderr(log_json, log_data)
        supervisor.run(stop)


def _tell(home: BrokerHome, qmgr: str, as_json: bool) -> None:
    """Report that it runs."""
    from penstock.cli.printing import show_json_line

    if as_json:
        show_json_line({"name": home.name, "process": os.getpid(), "qmgr": qmgr})
    else:
        print(f"Broker {home.name} runs in process {os.getpid()}, on queue manager {qmgr}.")
    let_go(home.logs / "broker.log")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _start_in_background(name: str, qmgr: str, as_json: bool, logging: list[str]) -> None:
    """Start another process and return when it runs; it continues when the terminal is closed."""
    command = ["broker", "start", name]
    command += ["--qmgr", qmgr] if qmgr else []
    command += [*logging, *(["--json"] if as_json else [])]
    start_in_background(command)
