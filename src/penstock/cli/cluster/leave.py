"""`penstock cluster leave`: takes a queue manager out of a cluster, and waits until the others know."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.cluster.acting import (
    FAILED,
    WAIT_SECONDS,
    ClusterArgument,
    DryRunOption,
    MemberArgument,
    WaitOption,
    refuse,
    run,
    show,
    wait_until,
)
from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.tools.cluster_facts import MemberFacts

SETTLING_SECONDS = 2.0  # for messages that are just being sent


def leave(
    cluster: ClusterArgument,
    qmgr: MemberArgument,
    force: Annotated[
        bool,
        typer.Option("--force", help="even if messages wait for others, or no full repository is left"),
    ] = False,
    wait: WaitOption = WAIT_SECONDS,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take QM and its objects out of a cluster. Exit 1 if the full repositories do not know in time."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json
    from penstock.tools import cluster_facts as facts
    from penstock.tools import cluster_scripts as scripts

    with connected(qmgr) as qm, ExitStack() as open_ones:
        refuse(scripts.objection_to_leave(qm, cluster))
        members = facts.members_of(qm, cluster)
        if not force:
            refuse(_danger(qm, cluster, members))
        fulls = [each for each in members if each.role == "full" and not each.here]
        asked = _asked(cluster, fulls, open_ones)
        partial = [each for each in members if each.role != "full" and not each.here]
        following = _asked(cluster, partial, open_ones)
        queues, channels = facts.transmission_queues(qm, members), {each.channel for each in members}
        kept = {
            row["NAME"]: row["CURDEPTH"]
            for row in facts.own_objects(qm, cluster)
            if row["TYPE"] == "QLOCAL" and row["CURDEPTH"]
        }
        name, known = qm.name, False
        commands = {name: scripts.unsharing(qm, cluster)}
        last = {name: scripts.deleting(scripts.channels_to_delete(qm, cluster))}
        last.update((other.name, scripts.senders_gone(other, cluster, members)) for other in asked)
        last.update((other.name, scripts.senders_moved(other, cluster, members)) for other in following)
        if not dry_run:
            run(qm, commands[name])
            known = wait_until(
                lambda: (
                    not any(_knows(other, cluster, name) for other in asked)
                    and (len(asked) == len(fulls) or not facts.waiting_on(qm, queues, channels))
                ),
                wait if facts.is_started(qm) else 0.0,
            )
        if known or force or dry_run:
            for one in (qm, *asked, *following):
                if not dry_run:
                    run(one, last[one.name])
                commands.setdefault(one.name, []).extend(last[one.name])
        commands = {owner: each for owner, each in commands.items() if each}
    unasked = [each.name for each in fulls if each.name not in {other.name for other in asked}]
    if as_json:
        done = {"cluster": cluster, "member": name, "commands": commands}
        show_json({**done, "run": not dry_run, "known": known, "not_asked": unasked, "messages_kept": kept})
    else:
        show(commands)
        if not dry_run:
            print(f"\n{_outcome(cluster, name, known, unasked, force)}")
        for queue, depth in kept.items():
            print(f"{depth} messages stay on {queue} at {name}: only programs there get them.")
    if not dry_run and not known:
        raise typer.Exit(FAILED)


def _danger(qm: BlockingQueueManager, cluster: str, members: list[MemberFacts]) -> str:
    """Return what would be lost, stuck or unheard if the queue manager left now."""
    from penstock.tools import cluster_facts as facts

    others = [each for each in members if not each.here and each.is_known]
    if others and not facts.is_started(qm):
        return f"{qm.name} is not started: no other member would be informed. Start it, or use --force"
    if others and not any(each.role == "full" for each in others):
        names = ", ".join(each.name for each in others)
        return f"{qm.name} is the only full repository of {cluster}, and {names} need one: use --force if so"
    queues, channels = facts.transmission_queues(qm, members), {each.channel for each in members}
    if wait_until(lambda: not facts.waiting_on(qm, queues, channels), SETTLING_SECONDS):
        return ""
    count = facts.waiting_on(qm, queues, channels)
    return (
        f"{count} messages wait on {', '.join(sorted(queues))} for other members and "
        "would not be sent: wait, move them, or use --force"
    )


def _asked(cluster: str, members: list[MemberFacts], stack: ExitStack) -> list[BlockingQueueManager]:
    """Connect to the members that run in this home."""
    import penstock
    from penstock.tools.cluster_facts import members_of

    found: list[BlockingQueueManager] = []
    for each in members:
        with suppress(penstock.MQError):
            other = stack.enter_context(penstock.connect(each.name, commands_only=True))
            if any(one.here and one.id == each.id for one in members_of(other, cluster)):
                found.append(other)
    return found


def _knows(other: BlockingQueueManager, cluster: str, name: str) -> bool:
    from penstock.tools.cluster_facts import instances_of, members_of

    return any(each.name == name for each in members_of(other, cluster)) or any(
        row["CLUSQMGR"] == name for row in instances_of(other, cluster)
    )


def _outcome(cluster: str, name: str, known: bool, unasked: list[str], force: bool) -> str:
    if known:
        text = f"{name} has left {cluster}."
        return f"{text} Not in this home, so not asked: {', '.join(unasked)}." if unasked else text
    rest = (
        f"Remove it at a full repository: RESET CLUSTER({cluster}) ACTION(FORCEREMOVE) QMNAME({name})"
        if force
        else "Its channels are kept so that other members are informed: give the command again later"
    )
    return f"{name} is out of {cluster}, but the full repositories do not all know yet. {rest}."
