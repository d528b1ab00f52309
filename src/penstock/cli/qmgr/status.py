"""`penstock qmgr status`: what a queue manager is doing, for people and for monitors."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from penstock.cli.choosing import NOT_RUNNING

OF_THIS_START = {"STATUS", "CONNS", "STARTDA", "STARTTI", "started"}  # made by this command itself


def status(
    name: Annotated[str, typer.Argument(help="the queue manager, or its mq:// address")],
    as_json: Annotated[bool, typer.Option("--json", help="answer in JSON")] = False,
) -> None:
    """Show log use, syncs, queues, units of work and who holds the folder.

    One that a program has embedded shows only its holder.
    """
    from penstock.cli.listing import show_facts, show_json
    from penstock.wire.client.address import is_address

    facts = of_address(name) if is_address(name) else of_folder(name)
    if as_json:
        show_json(facts)
    else:
        show_facts({key: value for key, value in facts.items() if value is not None})


def of_address(address: str) -> dict[str, Any]:
    """Return what a queue manager tells of itself over the network."""
    from penstock.cli.choosing import connected

    with connected(address) as qm:
        facts = {"name": qm.name, "status": "Running"}
        return facts | found(qm.status(), facts)


def of_folder(name: str) -> dict[str, Any]:
    """Return what is known of a queue manager of this machine, whoever runs it."""
    import penstock
    from penstock.host.folder import existing_folder
    from penstock.host.folder_lock import holder_of

    folder = existing_folder(name)
    holder = holder_of(folder.lock)
    facts: dict[str, Any] = {
        "name": name,
        "status": "Running" if holder else "Ended",
        "folder": str(folder.path),
        "holder": asdict(holder) if holder else None,
    }
    try:
        with penstock.embed(name) if holder is None else penstock.connect(name) as qm:
            facts |= found(qm.status(), facts)
    except penstock.MQError as failure:
        if holder is None or failure.reason != NOT_RUNNING:
            raise
    return facts


def found(status: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return what is left to say of a queue manager that only this command runs."""
    figures = {key.lower(): value for key, value in status.items() if key not in OF_THIS_START}
    return {key: value for key, value in figures.items() if key not in known}
