"""`penstock cluster join`: makes a queue manager a member of a cluster, and waits until both sides know."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.cluster.acting import (
    FAILED,
    WAIT_SECONDS,
    AddressOption,
    ChannelOption,
    ClusterArgument,
    DryRunOption,
    MemberArgument,
    WaitOption,
    entrance,
    refuse,
    run,
    show,
    wait_until,
)
from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager

ADDRESS = re.compile(r"[^/()]+\(\d+\)")  # host(port)


@dataclass
class Repository:
    """The full repository by which a member joins; its name is known if it was asked."""

    channel: str
    address: str
    name: str = ""
    sender: list[str] = field(default_factory=list)  # the command for its channel to a new full repository


def join(
    cluster: ClusterArgument,
    qmgr: MemberArgument,
    through: Annotated[
        str, typer.Option("--through", help="a full repository: queue manager, mq:// address or host(port)")
    ],
    through_channel: Annotated[
        str, typer.Option("--through-channel", help="its CLUSRCVR, if --through is host(port)")
    ] = "",
    full: Annotated[bool, typer.Option("--full", help="become a full repository, too")] = False,
    address: AddressOption = "",
    channel: ChannelOption = "",
    wait: WaitOption = WAIT_SECONDS,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Let QM join a cluster by one of its full repositories. Exit 1 if that does not answer."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json
    from penstock.tools import cluster_facts
    from penstock.tools import cluster_scripts as scripts

    with connected(qmgr, commands_only=True) as qm:
        name, where = entrance(qm, cluster, channel, address, full)
        if not cluster_facts.is_started(qm):
            refuse(f"{qm.name} is not started, and channels run only in a started one")
        repository = _repository(cluster, through, through_channel)
        refuse(scripts.objection_to_sender(qm, cluster, repository.channel))
        sender = scripts.sending(cluster, repository.channel, repository.address)
        commands = {qm.name: [sender, *scripts.entering(cluster, name, where, full)]}
        if full and repository.name:
            repository.sender = [scripts.sending(cluster, name, where)]
            commands[repository.name] = repository.sender
        known, member = False, qm.name
        if not dry_run:
            run(qm, commands[member])
            known = _is_known(qm, cluster, repository, through, wait)
            state = "" if known else _state(qm, cluster, repository.channel)
    if as_json:
        facts = {"cluster": cluster, "member": member, "channel": name, "address": where, "full": full}
        show_json({**facts, "commands": commands, "run": not dry_run, "known": known})
    else:
        show(commands)
        if not dry_run:
            role = "a full repository" if full else "a member"
            print(f"\n{member} is {role} of {cluster}." if known else f"\n{state}")
    if not dry_run and not known:
        raise typer.Exit(FAILED)


def _repository(cluster: str, through: str, channel: str) -> Repository:
    """Return the full repository; it is asked for its channel and address unless only an address is given."""
    from penstock.cli.connecting import connected
    from penstock.tools.cluster_facts import members_of

    if ADDRESS.fullmatch(through):
        if not channel:
            refuse("--through host(port) needs --through-channel, the name of the CLUSRCVR there")
        return Repository(channel, through)
    with connected(through, commands_only=True) as qm:
        members = members_of(qm, cluster)
        own = [each for each in members if each.here]
        if not own:
            refuse(f"{qm.name} is not in cluster {cluster}")
        if own[0].role != "full":
            others = ", ".join(each.name for each in members if each.role == "full" and each.is_known)
            refuse(f"{qm.name} is not a full repository of {cluster}: join through {others or 'one that is'}")
        return Repository(own[0].channel, own[0].address, qm.name)


def _is_known(
    qm: BlockingQueueManager, cluster: str, repository: Repository, through: str, wait: float
) -> bool:
    """Wait until the member knows the repository and, if that can be asked, the repository the member."""
    from penstock.cli.connecting import connected
    from penstock.tools.cluster_facts import members_of

    def here() -> bool:
        found = members_of(qm, cluster)
        return any(each.channel == repository.channel and each.is_known for each in found)

    if not repository.name:
        return wait_until(here, wait)
    with connected(through, commands_only=True) as other:
        run(other, repository.sender)
        return wait_until(
            lambda: here() and any(each.name == qm.name for each in members_of(other, cluster)), wait
        )


def _state(qm: BlockingQueueManager, cluster: str, channel: str) -> str:
    """Say how far a member is whose repository does not answer."""
    from penstock.tools.cluster_facts import last_error, members_of

    state = next((each.state for each in members_of(qm, cluster) if each.channel == channel), "INACTIVE")
    why = last_error(qm, channel)
    return (
        f"{qm.name} is defined as a member, but {channel} has no answer yet: "
        f"{state}{': ' + why if why else ''}.\n"
        f"It goes on trying. See `penstock channel explain {channel} -m {qm.name}`, "
        f"or undo it: penstock cluster leave {cluster} {qm.name} --force"
    )
