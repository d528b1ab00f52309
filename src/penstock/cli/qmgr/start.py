"""`penstock qmgr start`: runs a queue manager with its listener, in the foreground or in the background."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.background import TEMPORARY, let_go, start_in_background
from penstock.cli.connecting import JsonOption, QmgrArgument, QmgrOption, named

if TYPE_CHECKING:
    from penstock.host.folders.folder import Folder
    from penstock.serve.server import Server


def start(
    name: QmgrArgument = "",
    qmgr_name: QmgrOption = "",
    port: Annotated[
        int | None,
        typer.Option("--port", "-p", min=0, max=65535, help="listen on this port; 0 picks a free one"),
    ] = None,
    address: Annotated[
        str, typer.Option("--address", help="listen at this address; * for all of them")
    ] = "127.0.0.1",
    metrics_port: Annotated[
        int | None,
        typer.Option(
            "--metrics-port", min=0, max=65535, help="serve GET /metrics for Prometheus on this port"
        ),
    ] = None,
    metrics_address: Annotated[
        str, typer.Option("--metrics-address", help="the address for it; no password is required")
    ] = "127.0.0.1",
    background: Annotated[bool, typer.Option("--background", "-b", help="return when it runs")] = False,
    as_json: JsonOption = False,
) -> None:
    """Start a queue manager; without --port it listens where LISTENER objects with CONTROL(QMGR) say."""
    from penstock.host.folders.folder import existing_folder
    from penstock.serve.serving import serve

    name = named(name, qmgr_name)
    folder = existing_folder(name)
    if background:
        more = [] if metrics_port is None else ["--metrics-port", str(metrics_port)]
        _start_in_background(name, port, address, [*more, "--metrics-address", metrics_address], as_json)
        return
    metrics = None if metrics_port is None else (metrics_address, metrics_port)
    lasting = not os.environ.get(TEMPORARY)
    serve(folder, port, address, lambda server: _tell(server, folder, as_json), metrics, lasting)


def _tell(server: Server, folder: Folder, as_json: bool) -> None:
    """Report that it runs, and where it listens."""
    from penstock.cli.printing import show_json
    from penstock.cli.service_notice import ready

    name = server.engine.name
    shown = server.metrics
    places = [(each.ipaddr, each.port) for each in server.listeners.status()]
    if as_json:
        facts = {"name": name, "process": os.getpid(), "listeners": [list(each) for each in places]}
        show_json({**facts, "metrics": list(shown.address) if shown is not None else None})
    else:
        where = ", ".join(f"{host}({port})" for host, port in places) or "its local socket only"
        print(f"Queue manager {name} runs in process {os.getpid()}; it listens at {where}.", flush=True)
        if shown is not None:
            print("Metrics are at http://{}:{}/metrics.".format(*shown.address), flush=True)
    ready(f"queue manager {name} runs")
    let_go(folder.errors / "console.log")


def _start_in_background(name: str, port: int | None, address: str, more: list[str], as_json: bool) -> None:
    """Start another process and return when it runs; it survives the closing of the terminal."""
    command = ["qmgr", "start", name, "--address", address]
    command += [] if port is None else ["--port", str(port)]
    command += more
    command += ["--json"] if as_json else []
    start_in_background(command)
