"""`penstock cluster explain`: each instance of a cluster queue, and the rule that chose or dropped it."""

from __future__ import annotations

from typing import Any

import typer

from penstock.cli.cluster.acting import MemberArgument
from penstock.cli.connecting import JsonOption, QueueArgument

NOBODY = 1
COLUMNS = ("", "member", "cluster", "channel", "state", "weight", "rule")


def explain(queue: QueueArgument, qmgr: MemberArgument, as_json: JsonOption = False) -> None:
    """Show which instances of a cluster queue get what programs put at QM, and why. Exit 1 if none."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_columns, show_json
    from penstock.tools.cluster_choice import explained

    with connected(qmgr, commands_only=True) as qm:
        answer = explained(qm, queue)
    rows = answer["instances"]
    if as_json:
        show_json(answer)
    else:
        if rows:
            names = ("qmgr", "cluster", "channel", "state", "weight", "rule")
            show_columns(
                COLUMNS, [("yes" if row["chosen"] else "no", *(row[each] for each in names)) for row in rows]
            )
        print(_outcome(answer))
    if not answer["leads"] or answer["put_inhibited_by"] or not any(row["chosen"] for row in rows):
        raise typer.Exit(NOBODY)


def _outcome(answer: dict[str, Any]) -> str:
    name, at = answer["queue"], answer["at"]
    chosen = [row for row in answer["instances"] if row["chosen"]]
    if not answer["leads"]:
        return f"{name} leads nowhere at {at}: {answer['text']}."
    if not answer["instances"]:
        return f"{name} is not a cluster queue at {at}: see `penstock resolve {name} -m {at}`."
    if answer["put_inhibited_by"]:
        return f"Puts are refused: {answer['put_inhibited_by']} is PUT(DISABLED)."
    if len(chosen) > 1:
        weighted = any(row["weight"] != 50 for row in chosen)
        how = "in proportion to CLWLWGHT" if weighted else "to the channel that was used least recently"
        limit = answer["recent_max"]
        few = f", by at most {limit} channels (CLWLMRUC)" if limit < len(chosen) else ""
        return f"Messages are distributed over {len(chosen)} instances, {how}{few}."
    return f"All messages go to {chosen[0]['qmgr']}." if chosen else f"No instance of {name} takes messages."
