"""C5: the route of a message to a queue of the cluster."""

from __future__ import annotations

import pytest

from penstock.tools.route_tracing import Request, trace_route
from tests.cluster_group import Group
from tests.patience import until

pytestmark = [pytest.mark.xdist_group("cluster"), pytest.mark.installed]


def test_the_cluster_channel_and_the_instance_are_told(group: Group) -> None:
    group.run("PARIS", "DEFINE QLOCAL(ROUTED) CLUSTER(INVENTORY) REPLACE")
    until(lambda: group["LONDON"].mqsc("DISPLAY QCLUSTER(ROUTED)")[0].attributes)
    route = trace_route(group["LONDON"], Request("ROUTED", wait_seconds=60.0))
    assert route.is_complete
    told = [(each["qmgr"], each["operation"]) for each in route.operations]
    assert told == [
        ("LONDON", "put"),
        ("LONDON", "get"),
        ("LONDON", "send"),
        ("PARIS", "receive"),
        ("PARIS", "discard"),
    ]
    assert route.operations[2]["channel"] == route.operations[3]["channel"]
    assert route.operations[2]["transmission_queue"].startswith(
        "SYSTEM.CLUSTER.TRANSMIT."
    )  # as DEFCLXQ is now
    assert route.operations[3]["remote_qmgr"] == "LONDON"
