"""The brokers of the home, read from their folders."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.deployments import deployments_of
from penstock.flow.broker.home import all_brokers

if TYPE_CHECKING:
    from penstock.flow.broker.home import BrokerHome


def brokers() -> list[dict[str, Any]]:
    """Return all brokers with deployments and workers."""
    return [facts_of(home) for home in all_brokers()]


def facts_of(home: BrokerHome) -> dict[str, Any]:
    """Return the facts about one broker."""
    state = home.read_deployed()
    holder = home.holder
    status = home.read_status() if holder is not None else {}
    return {
        "name": home.name,
        "process": None if holder is None else holder.pid,
        "qmgr": status.get("qmgr", state["qmgr"]),
        "deployments": [asdict(each) for each in deployments_of(state).values()],
        "workers": status.get("workers", []),
    }
