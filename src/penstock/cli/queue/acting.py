"""Shared by `queue purge`, `copy` and `move`: options, the plan, the question, the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.message_view import iso_time, parse_id
from penstock.cli.printing import counted, show_facts, show_json
from penstock.cli.shared_options import with_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.tools.message_acts import Plan

TargetArgument = Annotated[str, typer.Argument(help="the queue they go to", autocompletion=completion.queues)]
OPTIONS: dict[str, tuple[Any, Any]] = {
    "qmgr": (QmgrOption, ""),
    "msg_id": (Annotated[str | None, typer.Option("--msg-id", help="only this message")], None),
    "text": (Annotated[str, typer.Option("--text", help="only messages with this text in the body")], ""),
    "age": (
        Annotated[str, typer.Option("--age", help="only those at least this old: seconds, or 5m, 2h, 1d")],
        "",
    ),
    "count": (Annotated[int, typer.Option("--count", "-n", min=0, help="how many at most; 0 for all")], 0),
    "rate": (Annotated[float, typer.Option("--rate", min=0, help="messages per second at most")], 0.0),
    "dry_run": (
        Annotated[bool, typer.Option("--dry-run", help="show the plan, do nothing")],
        False,
    ),
    "yes": (Annotated[bool, typer.Option("--yes", "-y", help="do not ask for confirmation")], False),
    "as_json": (JsonOption, False),
}


def acting(command: Callable[..., None]) -> Callable[..., Any]:
    """Give a command the options of an act; it gets them as `how`."""
    del command.__annotations__["how"]  # typer does not see it
    return with_options(command, OPTIONS, lambda values: {"how": values})


def act(what: str, queue: str, target: str, how: dict[str, Any]) -> None:
    """Plan an act, ask, do it, report; exit 1 when it failed."""
    from penstock.cli.connecting import connected
    from penstock.cli.dlq.letters import seconds
    from penstock.tools import message_acts

    wanted = message_acts.Wanted(
        parse_id(how["msg_id"], "--msg-id"), how["text"], seconds(how["age"]) or 0.0, how["count"]
    )
    if what != message_acts.PURGE:
        message_acts.check_target(queue, target)
    with connected(how["qmgr"]) as qm:
        made = message_acts.plan(qm, queue, wanted)
        if not _agreed(what, made, target, how):
            return
        outcome = message_acts.carry_out(qm, what, made, wanted, target, how["rate"])
    facts = {"found": outcome.found, "done": outcome.done, "gone": outcome.gone, "failed": outcome.failed}
    if how["as_json"]:
        show_json(facts)
    else:
        print(f"{outcome.done} of {counted(outcome.found, 'message')} done.")
        for each in outcome.failed:
            print(f"Stopped: {each['text']}")
    raise typer.Exit(1 if outcome.failed else 0)


def _agreed(what: str, made: Plan, target: str, how: dict[str, Any]) -> bool:
    """Show the plan; return whether to go on."""
    facts = {
        "act": what,
        "queue": made.queue,
        **({"target": target} if target else {}),
        "messages": made.messages,
        "bytes": made.bytes,
        "held": made.held,
        "oldest": iso_time(made.oldest) if made.oldest else None,
        "newest": iso_time(made.newest) if made.newest else None,
    }
    if how["dry_run"] or not made.messages:
        if how["as_json"]:
            show_json({**facts, "done": 0})
        else:
            show_facts({name: value for name, value in facts.items() if value is not None})
            print("Nothing was done.")
        return False
    where = f" to {target}" if target else ""
    question = f"{what} {counted(made.messages, 'message')} of {made.queue}{where}. Go on?"
    return bool(how["yes"] or typer.confirm(question, err=how["as_json"]))
