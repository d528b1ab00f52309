"""`penstock cluster check`: compares what members of a cluster know, and says who cannot reach whom."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import completion
from penstock.cli.cluster.acting import ClusterArgument
from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.tools.cluster_checks import Seen
    from penstock.tools.doctor import Finding

WRONG = 1
PAUSE_SECONDS = 0.5
MARKS = {"ok": "yes", "note": "!", "problem": "NO"}


def check(
    cluster: ClusterArgument,
    qmgrs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QM]...",
            help="members, as names or mq:// addresses; without any, those that run in this home",
            autocompletion=completion.queue_managers,
        ),
    ] = None,
    wait: Annotated[
        float, typer.Option("--wait", min=0.0, help="seconds in which problems may go away by themselves")
    ] = 5.0,
    as_json: JsonOption = False,
) -> None:
    """Compare what members know: differences, channels that fail, repositories. Exit 1 on a problem."""
    from penstock.cli.printing import show_json

    end = time.monotonic() + wait
    found = _findings(cluster, qmgrs or [])
    while _is_wrong(found) and time.monotonic() < end:
        time.sleep(PAUSE_SECONDS)
        found = _findings(cluster, qmgrs or [])
    if as_json:
        show_json({"cluster": cluster, "well": not _is_wrong(found), "findings": [asdict(e) for e in found]})
    else:
        for each in found:
            print(f"{MARKS[each.state]:3}  {each.subject}: {each.text}")
            if each.advice:
                print(f"       {each.advice}")
    if _is_wrong(found):
        raise typer.Exit(WRONG)


def _is_wrong(found: list[Finding]) -> bool:
    return any(each.state == "problem" for each in found)


def _findings(cluster: str, names: list[str]) -> list[Finding]:
    """Ask all members; one that was named and does not answer is a problem."""
    import penstock
    from penstock.cli.connecting import connected
    from penstock.tools.cluster_checks import findings, seen_by
    from penstock.tools.doctor import Finding

    asked: list[Seen] = []
    silent: list[Finding] = []
    for name in names or _running():
        try:
            with connected(name, commands_only=True) as qm:
                seen = seen_by(qm, cluster)
        except penstock.MQError as failure:
            silent.append(Finding(name, "problem", f"was not asked: {failure}", failure.action))
            continue
        if names or seen.is_inside:
            asked.append(seen)
    if not asked and not silent:
        raise typer.BadParameter(f"no queue manager that runs in this home is in cluster {cluster}")
    return [*silent, *findings(cluster, asked)]


def _running() -> list[str]:
    from penstock.host.folders.folder import list_folders
    from penstock.host.folders.folder_lock import state_of

    return [each.name for each in list_folders() if state_of(each.lock)[0] == "Running"]
