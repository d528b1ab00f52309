"""`penstock trace start`: records events for some time."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.trace.subjects import Subject, check_subject, tracing


@tracing
def start(
    qmgr: QmgrOption = "",
    lasting: Annotated[
        str, typer.Option("--for", help="then it ends by itself: seconds, or 5m, 2h; a day at most")
    ] = "10m",
    as_json: JsonOption = False,
    *,
    traced: Subject,
) -> None:
    """Record puts, gets and frames, of everything without a choice; bodies are never recorded.

    The last 10,000 events are kept in memory.
    """
    from penstock.cli.connecting import RUNNING, connected
    from penstock.cli.dlq.letters import seconds
    from penstock.cli.printing import show_json

    os.environ[RUNNING] = "1"  # a trace of this command's own queue manager would end with it
    kind, name = traced
    with connected(qmgr, commands_only=True) as qm:
        check_subject(qm, kind, name)
        qm.trace(kind, name, 0, seconds=seconds(lasting) or 600.0)
    if as_json:
        show_json({"kind": kind, "name": name, "for": lasting})
    else:
        print(
            f"{kind} {name}".strip() + f" is traced for {lasting}; `penstock trace show` prints the events."
        )
