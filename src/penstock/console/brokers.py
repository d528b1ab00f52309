"""The brokers of the home, read from their folders."""

from __future__ import annotations

from typing import Any

from penstock.flow.broker.deployments import broker_facts
from penstock.flow.broker.home import all_brokers


def brokers() -> list[dict[str, Any]]:
    """Return all brokers with deployments and workers."""
    return [broker_facts(home) for home in all_brokers()]
