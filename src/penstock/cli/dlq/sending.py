"""Shared by `retry`, `move` and `export --remove`: count first, ask, act one by one, report.

Nothing happens before the user has seen how many messages are chosen. A message that cannot be sent stays
on its queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.printing import show_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.tools.dead_letters import Letter


def act(
    what: str,
    letters: list[Letter],
    send: Callable[[Letter], bool],
    dry_run: bool,
    yes: bool,
    as_json: bool,
    before: Callable[[], None] = lambda: None,
) -> None:
    """Print how many messages are selected, ask, call `before`, send each and report."""
    if dry_run or not letters:
        if not as_json:
            print(f"{what}: {counted(len(letters))}. {'Nothing was done.' if dry_run else ''}".rstrip())
        agreed = False
    else:
        agreed = yes or typer.confirm(f"{what}: {counted(len(letters))}. Go on?", err=as_json)
    if agreed:
        before()
        report(send_all(letters, send), as_json)
    elif as_json:
        show_json({"found": len(letters), "done": 0, "gone": 0, "failed": []})


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
