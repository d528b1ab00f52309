"""What the `trace` commands share: the option that chooses a subject, and how an event is shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from penstock.cli import completion
from penstock.cli.shared_options import with_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.face.blocking import BlockingQueueManager

OPTIONS = {
    "queue": (
        Annotated[
            str, typer.Option("--queue", "-q", help="only this queue", autocompletion=completion.queues)
        ],
        "",
    ),
    "channel": (Annotated[str, typer.Option("--channel", "-c", help="only this channel")], ""),
    "connection": (
        Annotated[str, typer.Option("--connection", help="only this connection: CONN of DISPLAY CONN")],
        "",
    ),
    "flow": (
        Annotated[str, typer.Option("--flow", help="only the connections of this deployed flow")],
        "",
    ),
}
LOOK_SECONDS = 0.2
HEAD = ("number", "time", "kind", "name", "event")


class Subject(NamedTuple):
    """What is traced: a QUEUE, a CHANNEL, a CONNECTION, a FLOW, or ALL without a name."""

    kind: str
    name: str


def tracing(command: Callable[..., None]) -> Callable[..., Any]:
    """Give a command the options that choose a subject; it gets it as `traced`."""
    del command.__annotations__["traced"]  # typer does not see it
    return with_options(command, OPTIONS, lambda values: {"traced": _subject(**values)})


def _subject(queue: str, channel: str, connection: str, flow: str) -> Subject:
    options = {"QUEUE": queue, "CHANNEL": channel, "CONNECTION": connection.upper(), "FLOW": flow}
    given = [Subject(kind, name) for kind, name in options.items() if name]
    if len(given) > 1:
        raise typer.BadParameter("trace a queue, a channel, a connection or a flow, or everything")
    return given[0] if given else Subject("ALL", "")


def check_subject(qm: BlockingQueueManager, kind: str, name: str) -> None:
    """Refuse an unknown queue, channel or connection: a trace of it would stay empty without a reason.

    A flow may be started later.
    """
    from penstock.model import constants as mq
    from penstock.model.errors import error
    from penstock.tools.channel_facts import channel_of, displayed, mqsc_name

    if kind == "CHANNEL" and not displayed(qm, f"DISPLAY CHANNEL({mqsc_name(name)}) CHLTYPE(SVRCONN)"):
        channel_of(qm, name)
    if kind == "CONNECTION" and not any(
        reply.attributes and reply.attributes["CONN"] == name for reply in qm.mqsc("DISPLAY CONN(*)")
    ):
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"there is no connection {name}", object=name)
    if kind == "QUEUE" and not any(each.queue == name for each in qm.queues(name)):
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{name} is not a local queue", object=name)


def events(
    qm: BlockingQueueManager, kind: str, name: str, number: int, wait: float
) -> Iterator[dict[str, Any]]:
    """Yield events as they are recorded, at most `number`, for so many seconds."""
    last, left, until = 0, number, time.monotonic() + wait
    while left > 0:
        for event in qm.trace(kind, name, last)[:left]:
            last, left = event["number"], left - 1
            yield event
        if time.monotonic() >= until:
            return
        time.sleep(LOOK_SECONDS)


def line(event: dict[str, Any]) -> str:
    """Return an event for people."""
    at = time.strftime("%H:%M:%S", time.localtime(event["time"])) + f"{event['time'] % 1:.3f}"[1:]
    facts = " ".join(f"{name}={value}" for name, value in event.items() if name not in HEAD)
    return f"{at}  {event['kind']} {event['name']}  {event['event']}  {facts}"
