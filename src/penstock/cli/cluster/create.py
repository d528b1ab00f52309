"""`penstock cluster create`: makes a queue manager the first full repository of a new cluster."""

from __future__ import annotations

from penstock.cli.cluster.acting import (
    AddressOption,
    ChannelOption,
    ClusterArgument,
    DryRunOption,
    MemberArgument,
    entrance,
    run,
    show,
)
from penstock.cli.connecting import JsonOption


def create(
    cluster: ClusterArgument,
    qmgr: MemberArgument,
    address: AddressOption = "",
    channel: ChannelOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a cluster whose first member and full repository is QM."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json
    from penstock.tools import cluster_scripts as scripts

    with connected(qmgr, commands_only=True) as qm:
        name, where = entrance(qm, cluster, channel, address, True)
        commands = scripts.entering(cluster, name, where, True)
        member = qm.name
        if not dry_run:
            run(qm, commands)
    if as_json:
        facts = {"cluster": cluster, "member": member, "channel": name, "address": where}
        show_json({**facts, "commands": {member: commands}, "run": not dry_run})
        return
    show({member: commands})
    if not dry_run:
        print(
            f"\nCluster {cluster} has its first full repository, {member} at {where}.\n"
            f"Next, a second one: penstock cluster join {cluster} QM --through {member} --full"
        )
