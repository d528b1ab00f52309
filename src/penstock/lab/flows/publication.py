"""The Publication tests of the broker's performance report: an MQInput and a Publication (section 3.9)."""

from __future__ import annotations

from penstock.flow import Flow, nodes


def publishing(domain: str, prefix: str = "", topic: str = "bench") -> Flow:
    """Return a flow that publishes what it gets from IN."""
    flow = Flow("publishing")
    start = flow.add(nodes.MQInput(f"{prefix}IN", domain=domain, transaction="automatic"))
    start.out >> flow.add(nodes.Publication(topic)).in_
    return flow
