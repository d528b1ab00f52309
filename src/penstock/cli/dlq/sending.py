"""What `retry`, `move` and `export --remove` share: count first, ask, act one by one, report.

Called by those commands. Nothing is done before the user has seen how many messages are meant, and a
message that cannot go stays where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.dead_letter_tool import Letter


def agreed(what: str, letters: list[Letter], dry_run: bool, yes: bool, as_json: bool) -> bool:
    """Say how many messages are meant, and by default ask; False when nothing shall be done."""
    if dry_run or not letters:
        if not as_json:
            print(f"{what}: {len(letters)} messages. {'Nothing was done.' if dry_run else ''}".rstrip())
        return False
    return yes or typer.confirm(f"{what}: {len(letters)} messages. Go on?", err=as_json)


def send_all(letters: list[Letter], send: Callable[[Letter], bool]) -> dict[str, Any]:
    """Send each letter on; return how many went, were gone already, and could not go and why."""
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
    from penstock.cli.listing import show_json

    if as_json:
        show_json(outcome)
    else:
        for each in outcome["failed"]:
            print(f"{each['msg_id']}: {each['text']}")
        kept = len(outcome["failed"])
        print(
            f"{outcome['done']} of {outcome['found']} messages done{f', {kept} stay here' if kept else ''}."
        )
    raise typer.Exit(1 if outcome["failed"] else 0)
