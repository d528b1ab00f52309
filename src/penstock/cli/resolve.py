"""`penstock resolve`: where messages that are put to a name go, and what was looked up on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrOption, QueueArgument

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager

LEADS_NOWHERE = 1


def resolve(
    queue: QueueArgument,
    qmgr: QmgrOption = "",
    at: Annotated[
        str,
        typer.Option("--at", help="the queue manager that a program names beside the queue (ObjectQMgrName)"),
    ] = "",
    hop: Annotated[
        bool, typer.Option("--hop", help="continue at the next queue manager, if it is in this home")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show where a name leads: each definition looked up, the queue at the end. Exit 1 if nowhere."""
    from penstock.cli.printing import show_json

    hops = _hops(qmgr, queue, at, hop)
    if as_json:
        show_json({"leads": hops[-1]["leads"], "hops": hops})
    else:
        for each in hops:
            _print_hop(each)
    if not hops[-1]["leads"]:
        raise typer.Exit(LEADS_NOWHERE)


def _hops(qmgr: str, queue: str, at: str, further: bool) -> list[dict[str, Any]]:
    """Return the answers of one queue manager after another; a circle ends where it closes."""
    from penstock.cli.connecting import connected
    from penstock.model.errors import MQError

    hops: list[dict[str, Any]] = []
    while True:
        try:
            with connected(qmgr, commands_only=True) as qm:
                answer = {"at": qm.name, **_answer(qm, queue, at)}
        except MQError as failure:
            if not hops:
                raise
            hops[-1]["next"] = f"{qmgr} was not asked: {failure}"
            return hops
        if any(
            (answer["at"], answer["name"], answer["qmgr"]) == (e["at"], e["name"], e["qmgr"]) for e in hops
        ):
            hops[-1] |= {"leads": False, "text": f"a circle: {answer['at']} has had this name before"}
            return hops
        hops.append(answer)
        if not further or not answer["leads"] or not answer["remote"] or "instances" in answer:
            return hops  # a cluster queue goes to several queue managers
        qmgr, queue, at = answer["remote_qmgr"], answer["remote_queue"], answer["remote_qmgr"]


def _answer(qm: BlockingQueueManager, queue: str, at: str) -> dict[str, Any]:
    """Return how a queue manager resolves a name, with each instance of a cluster queue."""
    from penstock.tools.cluster_choice import explained

    answer = qm.explain_route(queue, at)
    if at or not any(step["type"] == "CLUSTER" for step in answer["steps"]):
        return answer
    return {**answer, "instances": explained(qm, queue)["instances"]}


def _print_hop(hop: dict[str, Any]) -> None:
    name = f"{hop['name']} at {hop['qmgr']}" if hop["qmgr"] else hop["name"]
    print(f"{name}, as queue manager {hop['at']} resolves it:")
    for step in hop["steps"]:
        print(f"  {step['object']}: {step['type'] + ', ' if step['type'] else ''}{step['text']}")
    for each in hop.get("instances", ()):
        verdict = "yes" if each["chosen"] else "no"
        print(f"  {verdict:4}{each['qmgr']} by {each['channel']} ({each['state']}): {each['rule']}")
    print(_outcome(hop))
    if hop.get("next"):
        print(hop["next"])


def _outcome(hop: dict[str, Any]) -> str:
    if not hop["leads"]:
        number = f"{hop['reason']} {hop['error']}: " if "reason" in hop else ""
        return f"It leads nowhere: {number}{hop['text']}."
    inhibited = (
        f" Puts are refused: {hop['put_inhibited_by']} is PUT(DISABLED)." if hop["put_inhibited_by"] else ""
    )
    if hop["topic"]:
        return f"Messages are published to topic {hop['topic']}.{inhibited}"
    if not hop["remote"]:
        return f"Messages go to queue {hop['queue']}.{inhibited}"
    if "instances" in hop:
        takers = sum(each["chosen"] for each in hop["instances"])
        return f"Messages go to {takers} of {len(hop['instances'])} instances by {hop['queue']}.{inhibited}"
    by = " or ".join(hop["channels"])
    channel = f"channel {by} sends them" if by else "no channel serves that queue"
    return (
        f"Messages go to transmission queue {hop['queue']} for queue {hop['remote_queue']} "
        f"at {hop['remote_qmgr']}; {channel}.{inhibited}"
    )
