"""`penstock qmgr status`: the state of a queue manager, for people and for monitors.

It never starts one: for a stopped queue manager it shows that, and exits with 1.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from penstock.cli.connecting import JsonOption, QmgrArgument, QmgrOption, named
from penstock.model import constants as mq
from penstock.model.status import Status, values


def status(
    name: QmgrArgument = "",
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show log use, syncs, queues, units of work and who holds the folder; exit 1 unless it runs.

    If a program has it embedded, only that process is shown.
    """
    from penstock.cli.printing import show_facts, show_json
    from penstock.client.address import is_address
    from penstock.host.folders.folder_lock import RUNNING

    name = named(name, qmgr)
    facts = of_connection(name) if is_address(name) or is_of_another_user(name) else of_folder(name)
    if as_json:
        show_json(facts)
    else:
        show_facts({key: value for key, value in facts.items() if value is not None})
    raise typer.Exit(0 if facts["status"] == RUNNING else 1)


def is_of_another_user(name: str) -> bool:
    """Return whether a queue manager is not of this home, and its owner lets this user in."""
    from penstock.host.folders.folder import list_folders
    from penstock.host.local_socket import folders_of_others

    return name in folders_of_others() and name not in {folder.name for folder in list_folders()}


def of_connection(address: str) -> dict[str, Any]:
    """Return the status of a queue manager over the network, or over the socket that its owner shares."""
    from penstock.cli.connecting import connected

    with connected(address, commands_only=True) as qm:
        return told(qm.status(), {"name": qm.name})


def of_folder(name: str) -> dict[str, Any]:
    """Return the status of a local queue manager, whichever user runs it."""
    import penstock
    from penstock.host.folders.folder import existing_folder
    from penstock.host.folders.folder_lock import state_of

    folder = existing_folder(name)
    state, holder = state_of(folder.lock)
    facts: dict[str, Any] = {
        "name": name,
        "status": state,
        "folder": str(folder.path),
        "holder": asdict(holder) if holder else None,
    }
    if holder is None:
        return facts
    try:
        with penstock.connect(name, commands_only=True) as qm:
            return told(qm.status(), facts)
    except penstock.MQError as failure:
        if failure.reason != mq.MQRC_Q_MGR_NOT_AVAILABLE:
            raise
    return facts


def told(status: Status, known: dict[str, Any]) -> dict[str, Any]:
    """Return the known facts with the queue manager's own."""
    from penstock.cli.message_view import iso_time

    facts = {**known, "status": status.status.capitalize(), "started": iso_time(status.started)}
    figures = values(status)
    last = status.log.checkpoint_last
    figures["log"]["checkpoint_last"] = iso_time(last) if last else None
    return facts | {key: value for key, value in figures.items() if key not in facts}
