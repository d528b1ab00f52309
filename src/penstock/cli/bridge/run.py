"""`penstock bridge run`: serve a queue with a program, until it is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import QmgrOption


def run(
    target: Annotated[
        str, typer.Argument(help="module:function, http://host/path or kafka://host:port/topic")
    ],
    queue: Annotated[
        str, typer.Option("--queue", "-q", help="the queue to serve", autocompletion=completion.queues)
    ],
    qmgr: QmgrOption = "",
    commit_mode: Annotated[
        int | None, typer.Option("--commit-mode", help="0: commit, then send; 1: send, then commit")
    ] = None,
    sync_level: Annotated[
        str | None, typer.Option("--sync-level", help="none, or confirm (only with commit mode 1)")
    ] = None,
    concurrency: Annotated[int | None, typer.Option("--concurrency", "-c", help="threads")] = None,
    retries: Annotated[
        int | None, typer.Option("--retries", help="how often a failing program is called again")
    ] = None,
    users: Annotated[
        str, typer.Option("--users", help="users who may send requests, separated by commas")
    ] = "",
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="a file with the token that requests must contain")
    ] = None,
    until_empty: Annotated[bool, typer.Option("--until-empty", help="end when the queue is empty")] = False,
) -> None:
    """Serve a queue with a transaction program: a Python function, an HTTP service, a Kafka topic."""
    from penstock.bridge.running import Bridge
    from penstock.bridge.targets import program_at
    from penstock.cli.connecting import chosen, connected
    from penstock.cli.ending_signals import on_ending

    program = program_at(target)
    given: dict[str, Any] = {
        "commit_mode": commit_mode,
        "sync_level": sync_level,
        "concurrency": concurrency,
        "retries": retries,
        "users": tuple(part.strip() for part in users.split(",") if part.strip()) or None,
        "token": token_file.read_text("utf-8").strip() if token_file is not None else None,
    }
    name = chosen(qmgr)
    options = {key: value for key, value in given.items() if value is not None}
    with connected(name) as qm:  # one that this process runs stays open meanwhile
        bridge = Bridge(lambda: connected(name), queue, program, **options)
        with on_ending(lambda *_: bridge.stop()):
            bridge.start(until_empty)
            print(f"{program.name} serves queue {queue} of {qm.name}.", flush=True)
            while not bridge.join_for(0.5):
                pass
    print(f"{bridge.done} requests done.")
