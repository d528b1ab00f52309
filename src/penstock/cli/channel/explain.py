"""`penstock channel explain`: why a channel does what it does; both ends compared where both are in reach."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrOption

WRONG = 1


def explain(
    channel: Annotated[str, typer.Argument(help="the channel")],
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show the state of a channel, its last error, and what to do. Exit 1 if something is wrong."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json
    from penstock.tools.channel_checks import examined

    with connected(qmgr, commands_only=True) as qm:
        answer = examined(qm, channel, _partner)
    if as_json:
        show_json(answer)
    else:
        _print(answer)
    if not all(each["passed"] for each in answer["checks"]):
        raise typer.Exit(WRONG)


def _partner(name: str) -> Any:
    """Connect to the partner if it runs in this home."""
    import penstock

    return penstock.connect(name, commands_only=True)


def _print(answer: dict[str, Any]) -> None:
    from penstock.cli.channel.trace import line

    facts = answer["channel"]
    partner = f" to {facts['partner']}" if facts["partner"] else ""
    print(f"{facts['channel']} ({facts['type']}) of {facts['queue_manager']}{partner}: {facts['state']}")
    for each in answer["checks"]:
        print(f"{'yes' if each['passed'] else 'NO ':3}  {each['check']}: {each['text']}")
        if each["advice"]:
            print(f"       {each['advice']}")
    for event in answer["milestones"]:
        print(f"  {line(event)}")
