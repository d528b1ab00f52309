"""`penstock trace show`: the recorded events, or those of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.trace.subjects import Subject, events, line, tracing

if TYPE_CHECKING:
    from collections.abc import Iterator


@tracing
def show(
    file: Annotated[str, typer.Argument(help="a file of `trace follow --file`; else what is recorded")] = "",
    qmgr: QmgrOption = "",
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="at most so many events")] = 10_000,
    as_json: JsonOption = False,
    *,
    traced: Subject,
) -> None:
    """Print the recorded events of a queue, a channel, a connection, a flow or everything."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json_line

    kind, name = traced
    if file:
        found = list(of_file(Path(file), kind, name))[-number:]
    else:
        with connected(qmgr, commands_only=True) as qm:
            found = list(events(qm, kind, name, number, 0.0))
    for event in found:
        if as_json:
            show_json_line(event)
        else:
            print(line(event))


def of_file(path: Path, kind: str, name: str) -> Iterator[dict[str, Any]]:
    """Yield the events of a file; a usage error for a file of another kind."""
    for text in path.read_text("utf-8").splitlines():
        try:
            event = json.loads(text)
            wanted = kind == "ALL" or (event["kind"], event["name"]) == (kind, name)
        except (ValueError, KeyError, TypeError):
            raise typer.BadParameter(f"{path} has no events of a trace") from None
        if wanted:
            yield event
