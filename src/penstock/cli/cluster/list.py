"""`penstock cluster list`: the members of clusters that a queue manager knows."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption

COLUMNS = ("cluster", "member", "role", "state", "queues", "channel", "address")


def list_(
    cluster: Annotated[str, typer.Argument(metavar="[CLUSTER]", help="only this cluster")] = "*",
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
) -> None:
    """List members with role, state of the channel to them, and number of queues."""
    from msgspec import to_builtins

    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_columns, show_json
    from penstock.tools.cluster_facts import members_of

    with connected(qmgr, commands_only=True) as qm:
        found, name = members_of(qm, cluster), qm.name
    if as_json:
        show_json(to_builtins(found))
        return
    if not found:
        print(f"{name} is in no cluster." if cluster == "*" else f"{name} is not in cluster {cluster}.")
        return
    rows = []
    for each in found:
        state = "this one" if each.here else each.state
        state += ", suspended" if each.suspended else ""
        rows.append(
            (each.cluster, each.name, each.role, state, each.queues, each.channel, each.address),
        )
    show_columns(COLUMNS, rows)
    partial = sorted({each.cluster for each in found if each.here and each.role == "partial"})
    if partial:
        print(f"{name} is a partial repository of {', '.join(partial)}: it knows what it has asked for.")
