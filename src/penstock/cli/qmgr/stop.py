"""`penstock qmgr stop`: stops a running queue manager and waits until it is gone."""

from __future__ import annotations

import time
from typing import Annotated

import typer

STEP_SECONDS = 0.05


def stop(
    name: Annotated[str, typer.Argument(help="the queue manager")],
    immediate: Annotated[
        bool, typer.Option("--immediate", "-i", help="end clients after their current calls")
    ] = False,
    preemptive: Annotated[bool, typer.Option("--preemptive", "-p", help="end clients at once")] = False,
    wait: Annotated[
        float, typer.Option("--wait", "-w", help="seconds to wait until it is gone; 0 comes back at once")
    ] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="answer in JSON")] = False,
) -> None:
    """Stop a queue manager; by default it waits until its clients have gone (quiesce)."""
    from penstock import connect
    from penstock.cli.listing import show_json
    from penstock.host.folder import existing_folder
    from penstock.host.folder_lock import holder_of

    mode = "preemptive" if preemptive else "immediate" if immediate else "quiesce"
    folder = existing_folder(name)
    qm = connect(name)
    try:
        qm.stop(mode)
    finally:
        qm.close()
    deadline = time.monotonic() + wait
    while (gone := holder_of(folder.lock) is None) is False and time.monotonic() < deadline:
        time.sleep(STEP_SECONDS)
    if as_json:
        show_json({"name": name, "mode": mode, "stopped": gone})
    else:
        print(f"Queue manager {name} has stopped." if gone else f"Queue manager {name} is stopping ({mode}).")
    raise typer.Exit(0 if gone or not wait else 1)
