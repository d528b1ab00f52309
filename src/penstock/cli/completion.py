"""Completions for TAB: names of queue managers, queues, topics, flows and brokers.

The shell calls this while the user types, so it is fast, prints nothing, and changes nothing: a running queue
manager is asked by its local socket, for a stopped one the last checkpoint is read, and an address is not
used. On errors it offers nothing. Loaded with every command, so it imports nothing at the top.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Iterator

OFFERED_MAX = 1000
QUEUE_KINDS = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")
SECONDS_MAX = 2.0  # for a queue manager to answer


def queue_managers(incomplete: str) -> list[str]:
    """Return the queue managers of this home with this prefix."""
    from penstock.host.folders.folder import list_folders

    with quietly():
        return [each.name for each in list_folders() if each.name.startswith(incomplete)]
    return []


def queues(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the queues with this prefix; SYSTEM queues only if the prefix asks for them."""
    with quietly():
        wanted = incomplete.replace("'", "''")
        found = _names(ctx, f"DISPLAY QUEUE('{wanted}*')", "QUEUE", QUEUE_KINDS)
        return _offered(found, incomplete)
    return []


def topics(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return topic strings with this prefix: those of topic objects, and those that were used."""
    with quietly():
        above = incomplete.rpartition("/")[0]
        under = f"{above}/+" if above else "+"
        found = _names(ctx, "DISPLAY TOPIC(*) TOPICSTR", "TOPICSTR", ("TOPIC",))
        quoted = under.replace("'", "''")
        found += _names(ctx, f"DISPLAY TPSTATUS('{quoted}') TYPE(TOPIC)", "TOPICSTR", ())
        return _offered(found, incomplete)
    return []


def flows(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the flows of the project that the command line names, or of the current folder."""
    from pathlib import Path

    from penstock.flow.open_project import opened

    with quietly():
        with opened(Path(str(ctx.params.get("project") or "."))) as project:
            return _offered(list(project.flows), incomplete)
    return []


def brokers(incomplete: str) -> list[str]:
    """Return the brokers of this home with this prefix."""
    from penstock.flow.broker.home import all_brokers

    with quietly():
        return _offered([each.name for each in all_brokers()], incomplete)
    return []


def projects(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the deployed projects."""
    from penstock.flow.broker.home import broker_home

    with quietly():
        state = broker_home(str(ctx.params.get("broker") or "default")).read_deployed()
        return _offered([each["project"] for each in state["deployments"].values()], incomplete)
    return []


def deployed_flows(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the flows of the deployed projects."""
    from penstock.flow.broker.home import broker_home

    with quietly():
        state = broker_home(str(ctx.params.get("broker") or "default")).read_deployed()
        found = [flow for each in state["deployments"].values() for flow in each["flows"]]
        return _offered(found, incomplete)
    return []


@contextmanager
def quietly() -> Iterator[None]:
    """Offer nothing on errors: the command itself will report them."""
    try:
        yield
    except Exception:  # noqa: BLE001 - an edge: a shell shows a traceback in the middle of what is typed
        return


def _offered(names: list[str], incomplete: str) -> list[str]:
    found = sorted({name for name in names if name and name.startswith(incomplete)})
    plain = [name for name in found if not name.startswith("SYSTEM.")] if not incomplete else found
    return plain[:OFFERED_MAX]


def _names(ctx: Any, command: str, attribute: str, kinds: tuple[str, ...]) -> list[str]:
    """Return names from a running queue manager, by MQSC, or from the last checkpoint of a stopped one."""
    import penstock
    from penstock.cli.connecting import QMGR, chosen
    from penstock.client.address import is_address

    name = chosen(str(ctx.params.get("qmgr") or os.environ.get(QMGR, "")))
    if is_address(name):
        return []
    try:
        with penstock.connect(
            name, commands_only=True, timeout=SECONDS_MAX, connect_timeout=SECONDS_MAX
        ) as qm:
            replies = qm.mqsc(command)
    except penstock.MQError as failure:
        if failure.reason != mq.MQRC_Q_MGR_NOT_AVAILABLE:
            raise
        return _stored(name, kinds, attribute)
    return [str(reply.attributes[attribute]) for reply in replies if reply.attributes]


def _stored(name: str, kinds: tuple[str, ...], attribute: str) -> list[str]:
    from penstock.host.folders.folder import existing_folder
    from penstock.qmgr.restart.snapshot import stored_definitions
    from penstock.store.checkpoint import read_checkpoint

    found = read_checkpoint(existing_folder(name).path)
    if found is None:
        return []
    rows = [row for row in stored_definitions(found.state) if row[0] in kinds]
    return [
        str(values.get(attribute) or "") if attribute == "TOPICSTR" else label for _, label, values in rows
    ]
