"""What the `dlq` commands share: the options, the filter that they make, and a letter as JSON.

`tools.dead_letters` finds letters and sends them on. Only the commands of this folder call this module.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.message_view import iso_time, message_facts, parse_id
from penstock.cli.shared_options import with_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.tools.dead_letters import Filter, Letter

QueueOption = Annotated[
    str,
    typer.Option(
        "--queue", "-q", help="default: the queue manager's DEADQ", autocompletion=completion.queues
    ),
]
ReasonOption = Annotated[str, typer.Option("--reason", help="only this reason: number or name")]
DestinationOption = Annotated[
    str,
    typer.Option("--destination", help="only those going to this queue", autocompletion=completion.queues),
]
ChannelOption = Annotated[str, typer.Option("--channel", help="only those that this channel gave up")]
SelectorOption = Annotated[str | None, typer.Option("--selector", help="such as \"colour = 'red'\"")]
MsgIdOption = Annotated[str | None, typer.Option("--msg-id", help="only this message")]
AgeOption = Annotated[str, typer.Option("--age", help="only those at least this old: seconds, or 5m, 2h, 1d")]
CountOption = Annotated[int, typer.Option("--count", "-n", min=0, help="how many at most; 0 for all")]

FILTER: dict[str, tuple[Any, Any]] = {
    "reason": (ReasonOption, ""),
    "destination": (DestinationOption, ""),
    "selector": (SelectorOption, None),
    "msg_id": (MsgIdOption, None),
    "age": (AgeOption, ""),
    "count": (CountOption, 0),
    "channel": (ChannelOption, ""),
}
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def with_filter(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that choose dead letters; it receives them as `chosen`, a filter."""
    del command.__annotations__["chosen"]  # typer does not see it
    return with_options(command, FILTER, lambda values: {"chosen": filter_of(**values)})


def filter_of(
    reason: str,
    destination: str,
    selector: str | None,
    msg_id: str | None,
    age: str,
    count: int = 0,
    channel: str = "",
) -> Filter:
    """Return the filter that the options specify."""
    from penstock.tools.dead_letters import Filter

    number = reason_number(reason)
    return Filter(number, destination, selector, parse_id(msg_id, "--msg-id"), seconds(age), count, channel)


def find(qm: BlockingQueueManager, queue: str, chosen: Filter) -> tuple[str, list[Letter]]:
    """Return the dead-letter queue, DEADQ if none is named, and the letters on it that are chosen."""
    from penstock.tools import dead_letters

    source = dead_letters.dead_letter_queue(qm, queue)
    return source, dead_letters.find(qm, source, chosen, time.time())


def seconds(text: str) -> float | None:
    """Return an age in seconds; None for none.

    >>> seconds("5m"), seconds("1.5")
    (300.0, 1.5)
    """
    if not text:
        return None
    unit = UNITS.get(text[-1].lower(), 0)
    try:
        value = float(text[:-1] if unit else text) * (unit or 1)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise typer.BadParameter(f"--age {text} is not a number of seconds, nor one with s, m, h or d")
    return value


def reason_number(text: str) -> int:
    """Return the number of a reason given as number or name; 0 for none."""
    from penstock.model.reasons import by_name

    if not text or text.isdigit():
        return int(text or 0)
    try:
        return by_name(text).number
    except LookupError:
        raise typer.BadParameter(f"--reason {text} is not a reason code") from None


def grouped(letters: list[Letter]) -> list[Letter]:
    """Return letters with those of one cause together, the causes in the order of their first letter."""
    order: dict[tuple[int, str, str], int] = {}
    for letter in letters:
        order.setdefault(letter.cause, len(order))
    return sorted(letters, key=lambda each: order[each.cause])


def _failure_facts(letter: Letter) -> dict[str, Any]:
    """Return what failed in the flow that gave a letter up."""
    from penstock.model.reasons import REASONS

    failure = letter.failure
    if failure is None:
        return {"cause": None, "cause_name": "", "flow": "", "node": "", "failed_at": "", "text": ""}
    entry = REASONS.get(failure.cause)
    return {
        "cause": failure.cause,
        "cause_name": entry.name if entry else "",
        "flow": failure.flow,
        "node": failure.node,
        "failed_at": failure.time,
        "text": failure.text,
    }


def letter_facts(letter: Letter, with_body: bool) -> dict[str, Any]:
    """Return a dead letter as JSON can hold it."""
    from penstock.model.reasons import REASONS

    entry = REASONS.get(letter.reason)
    facts: dict[str, Any] = {
        "msg_id": letter.message.msg_id.hex(),
        "reason": letter.reason,
        "reason_name": entry.name if entry else "",
        "destination": letter.destination,
        "destination_qmgr": letter.header.qmgr if letter.header else "",
        "channel": letter.channel,
        "put_time": iso_time(letter.message.put_time),
        "since": iso_time(letter.since),
        "length": len(letter.body),
        **_failure_facts(letter),
    }
    if with_body:
        message = letter.message.snapshot()
        message.body = letter.body
        message.length = len(letter.body)
        facts |= {key: value for key, value in message_facts(message).items() if key not in facts}
        facts["format"] = letter.header.format if letter.header else letter.message.format
    return facts
