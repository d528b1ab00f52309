"""`penstock map`: the queue managers of this home and the channels between them, with what waits."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.tools.channel_facts import ChannelFacts
    from penstock.tools.network_map import NetworkMap

COLUMNS = ("from", "channel", "to", "state", "waiting", "oldest", "transmission queue")


def map_(
    dot: Annotated[bool, typer.Option("--dot", help="print it as Graphviz DOT")] = False,
    svg: Annotated[Path | None, typer.Option("--svg", help="write a picture to this file")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the queue managers of this home, the channels between them and waiting messages."""
    from msgspec import to_builtins

    from penstock.cli.printing import show_columns, show_json

    found = gathered()
    if svg is not None:
        svg.write_text(picture(found), "utf-8")
    if as_json:
        show_json(to_builtins(found))
    elif dot:
        print(graphviz(found))
    elif svg is None:
        show_columns(("queue manager", "status"), [(each.name, each.state) for each in found.queue_managers])
        print()
        show_columns(COLUMNS, [_row(each) for each in found.channels])


def gathered() -> NetworkMap:
    """Ask every running queue manager of this home; stopped ones are shown and not started."""
    import penstock
    from penstock.host.folders.folder import list_folders
    from penstock.host.folders.folder_lock import state_of
    from penstock.tools.channel_facts import channels_of
    from penstock.tools.network_map import network

    states: dict[str, str] = {}
    channels: list[ChannelFacts] = []
    for folder in list_folders():
        states[folder.name] = state_of(folder.lock)[0]
        if states[folder.name] == "Running":
            try:
                with penstock.connect(folder.name, commands_only=True) as qm:
                    channels += channels_of(qm)
            except penstock.MQError as failure:
                states[folder.name] = f"Running, not asked: {failure.reason} {failure.name}"
    return network(states, channels)


def graphviz(found: NetworkMap) -> str:
    """Return the map in the language of Graphviz."""
    lines = [
        f"  {_quoted(each.name)} [label={_quoted(each.name + chr(10) + each.state)}];"
        for each in found.queue_managers
    ]
    lines += [
        f"  {_quoted(each.queue_manager)} -> {_quoted(each.partner)} [label={_quoted(_label(each))}];"
        for each in found.channels
    ]
    return "\n".join(["digraph penstock {", "  rankdir=LR; node [shape=box];", *lines, "}"])


def picture(found: NetworkMap) -> str:
    """Return the map as SVG."""
    from penstock.flow.drawing.layout import Line, arranged
    from penstock.flow.drawing.svg import svg_of

    types = {each.name: each.state for each in found.queue_managers}
    lines = [Line(each.queue_manager, _label(each), each.partner, "in") for each in found.channels]
    return svg_of(arranged(types, lines), "queue managers and channels")


def _label(each: ChannelFacts) -> str:
    waiting = f", {each.waiting} waiting" if each.waiting else ""
    return f"{each.channel} {each.state.lower()}{waiting}"


def _row(each: ChannelFacts) -> tuple[str | int, ...]:
    from penstock.cli.queue.list import age

    oldest = age(time.time() - each.oldest) if each.oldest else ""
    return (
        each.queue_manager,
        each.channel,
        each.partner,
        each.state,
        each.waiting,
        oldest,
        each.transmission_queue,
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
