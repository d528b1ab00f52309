"""Channels and clients: what waits, who is connected, and why somebody may not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.console.people import queue_managers
from penstock.console.visit import Away, Page, command
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools.channel_facts import channels_of, displayed, mqsc_name

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.visit import Visit

CONNECTIONS_MAX = 500
VERBS = ("", "put", "get", "browse", "inquire", "publish", "subscribe", "alter", "clear", "display")


def channels(visit: Visit) -> Page:
    """Return the page."""
    qmgr = visit.qmgr_name()
    own = visit.asked(qmgr, channels_of)
    connections = visit.asked(qmgr, _connections)
    clients = visit.asked(qmgr, lambda qm: displayed(qm, "DISPLAY CHANNEL(*) CHLTYPE(SVRCONN) ALL"))
    clients = [row for row in clients if not row["CHANNEL"].startswith("SYSTEM.")]
    in_use: dict[str, int] = {}
    for row in connections:
        in_use[row["CHANNEL"]] = in_use.get(row["CHANNEL"], 0) + 1
    visit.shape += [f"{each.channel} {each.state}" for each in own]
    visit.shape += [row["CONN"] for row in connections]
    data = {
        "qmgr": qmgr,
        "managers": list(queue_managers()),
        "channels": own,
        "clients": clients,
        "in_use": in_use,
        "connections": (shown := grouped(connections)[:CONNECTIONS_MAX]),
        "total": len(connections),
        "more": len(connections) - sum(row["count"] for row in shown),
    }
    return Page("channels.html", "Channels and clients", data, command("channel", "list", "-m", qmgr))


def _connections(qm: ClientQueueManager) -> list[dict[str, Any]]:
    return displayed(qm, "DISPLAY CONN(*) ALL")


def grouped(connections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for the connections that a program has alike, with their count; one for each open unit."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in connections:
        unit = "" if row["UOWSTATE"] == "NONE" else row["CONN"]
        key = (*(str(row[name]) for name in ("APPLTAG", "USERID", "PID", "CHANNEL", "CONNAME")), unit)
        found.setdefault(key, {**row, "count": 0})["count"] += 1
    return list(found.values())


def channel_act(visit: Visit) -> Away:
    """Start or stop a channel."""
    qmgr, name, act = visit.qmgr_name(), visit.text("name"), visit.text("act")
    if act not in ("START", "STOP"):
        raise error(mq.MQRC_OPTIONS_ERROR, "a channel is started or stopped")
    visit.asked(qmgr, lambda qm: qm.mqsc(f"{act} CHANNEL({mqsc_name(name)})", check=True))
    visit.did(f"{act.lower()} channel", qmgr=qmgr, channel=name)
    visit.say(f"{act} CHANNEL({name}) was accepted.")
    return Away(visit.link("/channels", qm=qmgr))


def access(visit: Visit) -> Page:
    """Return the page that explains why a user may or may not connect and do something."""
    qmgr = visit.qmgr_name()
    given = {name: visit.text(name).strip() for name in ("user", "channel", "address", "object", "verb")}
    found = None
    if given["user"]:
        if given["channel"] and not given["address"]:
            raise error(
                mq.MQRC_OPTIONS_ERROR, "a channel needs an address: rules depend on where a client is"
            )
        asked = {name: value for name, value in given.items() if name != "user"}
        if not asked["verb"]:
            asked["object"] = ""
        found = visit.asked(qmgr, lambda qm: qm.explain_access(given["user"], **asked))
    data = {"qmgr": qmgr, "managers": list(queue_managers()), "verbs": VERBS, "found": found, "asked": given}
    words = [word for name, value in given.items() if value for word in (f"--{name}", value)]
    shown = command("explain-access", "-m", qmgr, *words) if given["user"] else ""
    return Page(
        "access.html", "Who may do what", data, shown, (("Channels", visit.link("/channels", qm=qmgr)),)
    )
