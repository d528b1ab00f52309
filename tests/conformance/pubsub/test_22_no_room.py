"""A disk or log without room: persistent publications are refused, also by default; others go on."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("details", [{"persistent": True}, {}])
def test_a_disk_that_is_nearly_full(qm, run, fails, bodies, details):
    run("DEFINE TOPIC(T) TOPICSTR('kept') DEFPSIST(YES)")
    with qm.subscribe("#", durable="s") as sub:
        qm.host.disk_low = True
        with fails(2056):
            qm.publish("kept", b"m", **details)
        qm.publish("passing", b"m")
        qm.host.disk_low = False
        qm.publish("kept", b"n", **details)
        assert bodies(sub) == [b"m", b"n"]


def test_a_body_that_no_log_could_hold(qm, run, fails):
    run("DEFINE TOPIC(T) TOPICSTR('kept') DEFPSIST(YES)")
    run("ALTER QMGR MAXMSGL(104857600)")
    with qm.subscribe("#", durable="s"), fails(2102):
        qm.publish("kept", bytes(max(qm.host.high_water_bytes, 1 << 20) + 1))


def test_long_units_of_persistent_publications(qm):
    with qm.subscribe("a", durable="s") as sub, qm.unit_of_work():
        for _ in range(20):
            qm.publish("a", bytes(1000), persistent=True)
        assert qm.engine.queues[sub.queue].uncommitted == 20
