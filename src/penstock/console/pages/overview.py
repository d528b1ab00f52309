"""The overview: queue managers, what needs attention, the busiest queues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.console import attention
from penstock.console.brokers import brokers
from penstock.console.people import RUNNING, queue_managers
from penstock.console.visit import Page, command
from penstock.model.errors import MQError
from penstock.tools.channel_facts import channels_of
from penstock.tools.dead_letters import dead_letter_queue

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.attention import Finding
    from penstock.console.visit import Visit

BUSIEST = 8
FINDINGS_MAX = 50
CHANNEL_SECONDS = 5.0
DEADQ_SECONDS = 30.0


def overview(visit: Visit) -> Page:
    """Return the page."""
    managers, found = [], []
    for name, state in queue_managers().items():
        facts, findings = _manager(visit, name, state)
        managers.append(facts)
        found += findings
    own = brokers()
    found += attention.of_brokers(own)
    found.sort(key=lambda each: each.level)
    visit.shape += [f"{each['name']} {each['state']}" for each in managers]
    visit.shape += [f"{each.subject} {each.level}" for each in found]
    visit.live["attention"] = str(len(found))
    busiest = sorted((row for each in managers for row in each["busiest"]), key=_busy, reverse=True)[:BUSIEST]
    visit.shape += [f"{row['qm']}/{row['queue']}" for row in busiest]
    data = {
        "managers": managers,
        "findings": found[:FINDINGS_MAX],
        "more": max(0, len(found) - FINDINGS_MAX),
        "busiest": busiest,
        "brokers": own,
    }
    return Page("overview.html", "Overview", data, command("qmgr", "list"))


def _busy(row: dict[str, Any]) -> tuple[float, int]:
    rates = row["rates"]
    return (rates.put + rates.get if rates else 0.0, row["depth"])


def _manager(visit: Visit, name: str, state: str) -> tuple[dict[str, Any], list[Finding]]:
    """Return what is known of a queue manager, and what needs attention there."""
    facts: dict[str, Any] = {"name": name, "state": state, "status": None, "refused": "", "busiest": []}
    if state != RUNNING:
        return facts, list(attention.of_state(name, state))
    try:
        status = visit.asked(name, lambda qm: qm.status())
        rows = visit.queues(name)
        dead = visit.session.kept(("deadq", name), DEADQ_SECONDS, lambda: visit.asked(name, deadq))
    except MQError as failure:
        refused = f"{failure.reason} {failure.name}"
        return {**facts, "refused": refused}, list(attention.of_refusal(name, failure))
    channels = visit.session.kept(("channels", name), CHANNEL_SECONDS, lambda: visit.asked(name, _channels))
    findings = [*attention.of_qmgr(name, status), *attention.of_queues(name, rows, dead)]
    findings += attention.of_channels(name, channels)
    sampler = visit.world.sampler
    totals = sampler.history(name, "")
    own = [row for row in rows if not row.queue.startswith(("SYSTEM.", "AMQ."))]
    busiest = [
        {"qm": name, "queue": row.queue, "depth": row.depth, "rates": sampler.rates(name, row.queue)}
        for row in own
        if row.depth or row.arrived
    ]
    rates = [each for row in rows if (each := sampler.rates(name, row.queue))]
    facts |= {
        "status": status,
        "messages": sum(row.depth for row in own),
        "queues": len(own),
        "put_rate": sum(each.put for each in rates) if rates else None,
        "get_rate": sum(each.get for each in rates) if rates else None,
        "totals": totals,
        "log": status.log.used_bytes / status.log.capacity_bytes if status.log.capacity_bytes else 0.0,
        "busiest": sorted(busiest, key=_busy, reverse=True)[:BUSIEST],
    }
    for row in facts["busiest"]:
        row["history"] = sampler.history(name, row["queue"])
    return facts, findings


def deadq(qm: ClientQueueManager) -> str:
    """Return the dead-letter queue of a queue manager; empty when there is none, or none for this person."""
    try:
        return dead_letter_queue(qm)
    except MQError:
        return ""


def _channels(qm: ClientQueueManager) -> list[Any]:
    try:
        return channels_of(qm)
    except MQError:
        return []
