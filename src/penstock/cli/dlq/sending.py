"""Shared by `retry`, `move` and `export`: options, letters; count first, ask, act one by one, report.

Nothing happens before the user has seen how many messages are chosen. A message that cannot be sent stays
on its queue.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.dlq.letters import FILTER, QueueOption, filter_of, find
from penstock.cli.printing import show_json
from penstock.cli.shared_options import with_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.tools.dead_letters import Letter

OPTIONS: dict[str, tuple[Any, Any]] = {
    "qmgr": (QmgrOption, ""),
    "queue": (QueueOption, ""),
    "dry_run": (
        Annotated[bool, typer.Option("--dry-run", help="list the affected messages, do nothing")],
        False,
    ),
    "yes": (Annotated[bool, typer.Option("--yes", "-y", help="do not ask for confirmation")], False),
    "as_json": (JsonOption, False),
}


@dataclass
class Chosen:
    """The letters that a command was asked to send, the queue that has them, and how to go about it."""

    qm: BlockingQueueManager
    source: str
    letters: list[Letter]
    dry_run: bool
    yes: bool
    as_json: bool

    def act(
        self, what: str, send: Callable[[Letter], bool], before: Callable[[], None] = lambda: None
    ) -> None:
        """Print how many messages are selected, ask, call `before`, send each and report."""
        count = len(self.letters)
        if self.dry_run or not count:
            if not self.as_json:
                done = "Nothing was done." if self.dry_run else ""
                print(f"{what}: {counted(count)}. {done}".rstrip())
            agreed = False
        else:
            agreed = self.yes or typer.confirm(f"{what}: {counted(count)}. Go on?", err=self.as_json)
        if agreed:
            before()
            report(send_all(self.letters, send), self.as_json)
        elif self.as_json:
            show_json({"found": count, "done": 0, "gone": 0, "failed": []})


def with_letters(command: Callable[..., None]) -> Callable[..., Any]:
    """Give a command the options that choose letters and say how to go about it; it gets `chosen`."""
    from penstock.cli.connecting import connected

    del command.__annotations__["chosen"]  # typer does not see it

    @functools.wraps(command)
    def run(given: dict[str, Any], **arguments: Any) -> None:
        how = {name: given.pop(name) for name in OPTIONS}
        with connected(how.pop("qmgr")) as qm:
            source, letters = find(qm, how.pop("queue"), filter_of(**given))
            command(**arguments, chosen=Chosen(qm, source, letters, **how))

    return with_options(run, OPTIONS | FILTER, lambda values: {"given": values})


def counted(number: int) -> str:
    """Return a number of messages in words."""
    return f"{number} message{'' if number == 1 else 's'}"


def send_all(letters: list[Letter], send: Callable[[Letter], bool]) -> dict[str, Any]:
    """Send each letter on; return how many were sent, were gone already, and failed, with the reasons."""
    from penstock.model.errors import MQError

    done = gone = 0
    failed: list[dict[str, Any]] = []
    for letter in letters:
        try:
            if send(letter):
                done += 1
            else:
                gone += 1
        except MQError as failure:
            failed.append(
                {"msg_id": letter.message.msg_id.hex(), "reason": failure.reason, "text": str(failure)}
            )
    return {"found": len(letters), "done": done, "gone": gone, "failed": failed}


def report(outcome: dict[str, Any], as_json: bool) -> None:
    """Show the outcome, and end with 1 when a message could not go."""
    if as_json:
        show_json(outcome)
    else:
        for each in outcome["failed"]:
            print(f"{each['msg_id']}: {each['text']}")
        kept = len(outcome["failed"])
        stay = f"; {kept} could not go and stay{'s' if kept == 1 else ''} here" if kept else ""
        print(f"{outcome['done']} of {counted(outcome['found'])} done{stay}.")
    raise typer.Exit(1 if outcome["failed"] else 0)
