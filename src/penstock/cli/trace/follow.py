"""`penstock trace follow`: events as they are recorded, on the terminal or in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.trace.subjects import Subject, check_subject, events, line, tracing

NO_END = 1e9


@tracing
def follow(
    qmgr: QmgrOption = "",
    number: Annotated[
        int, typer.Option("--number", "-n", min=1, help="end after so many events")
    ] = 1_000_000,
    wait: Annotated[
        float, typer.Option("--wait", min=0, help="end after so many seconds; 0 for never")
    ] = 0.0,
    file: Annotated[str, typer.Option("--file", "-f", help="write the events there, one JSON per line")] = "",
    as_json: JsonOption = False,
    *,
    traced: Subject,
) -> None:
    """Trace while this command runs, and print the events; everything without a choice."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json_line

    kind, name = traced
    with connected(qmgr, commands_only=True) as qm:
        check_subject(qm, kind, name)
        if file:
            with Path(file).open("a", encoding="utf-8") as out:
                for event in events(qm, kind, name, number, wait or NO_END):
                    out.write(json.dumps(event) + "\n")
                    out.flush()
            return
        for event in events(qm, kind, name, number, wait or NO_END):
            if as_json:
                show_json_line(event)
            else:
                print(line(event), flush=True)
