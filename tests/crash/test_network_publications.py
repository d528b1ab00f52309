"""Queue managers of a publish/subscribe cluster and of a hierarchy are killed while publications travel.

LONDON publishes, PARIS subscribes, both are killed in the middle: every persistent publication arrives once
and in order, whatever was in a batch, on a transmission queue, or being republished. A dead topic host is
passed over. `make soak` repeats it with kills at random.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster_group import Group
from tests.patience import SECONDS, until

pytestmark = pytest.mark.crash
MANY = 30
SOAK_ROUNDS = 25


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    """A cluster with a topic of each route; PARIS is also a child of LONDON."""
    running = Group(tmp_path, ("LONDON", "NEWYORK", "PARIS"))
    try:
        running.form("NEWS")
        running.run("LONDON", "DEFINE TOPIC(D) TOPICSTR('direct') CLUSTER(NEWS)")
        for name in ("NEWYORK", "PARIS"):
            running.run(name, "DEFINE TOPIC(H) TOPICSTR('hosted') CLUSTER(NEWS) CLROUTE(TOPICHOST)")
        running.run("PARIS", "ALTER QMGR PARENT(LONDON)")
        running["PARIS"].subscribe("direct/#", durable="far").close()
        running["NEWYORK"].subscribe("hosted/#", durable="far").close()
        running["LONDON"].subscribe("tree/#", durable="up").close()
        for name, topic, target in (
            ("LONDON", "direct/#", "PARIS"),
            ("PARIS", "hosted/#", "NEWYORK"),
            ("PARIS", "tree/#", "LONDON"),
        ):
            until(lambda name=name, wanted=(topic, target): wanted in proxies(running[name]))
        yield running
    finally:
        running.stop()


def proxies(qm: Any) -> set[tuple[str, str]]:
    shown = qm.mqsc("DISPLAY SUB(*) SUBTYPE(PROXY) TOPICSTR DESTQMGR")
    return {(each.attributes["TOPICSTR"], each.attributes["DESTQMGR"]) for each in shown if each.attributes}


def publish(qm: Any, topic: str, numbers: range) -> None:
    for number in numbers:
        qm.publish(topic, b"%d" % number, persistent=True)


def arrived(qm: Any, name: str, count: int) -> list[int]:
    """Return what a durable subscription gets, and whatever comes behind it."""
    with qm.subscribe(durable=name) as subscription:
        found = [int(subscription.get(wait=SECONDS).body) for _ in range(count)]
        assert subscription.get(wait=0.0) is None
    return found


def test_publications_arrive_once_and_in_order_though_both_ends_are_killed(group: Group) -> None:
    publish(group["LONDON"], "direct/x", range(MANY))
    group.kill("PARIS")
    publish(group["LONDON"], "direct/x", range(MANY, 2 * MANY))
    publish(group["LONDON"], "hosted/x", range(MANY))  # the other host is dead
    assert sorted(arrived(group["NEWYORK"], "far", MANY)) == list(range(MANY))
    group.kill("LONDON")
    group.start("PARIS")
    publish(group["PARIS"], "tree/x", range(MANY))  # its parent is dead
    group.start("LONDON")
    publish(group["LONDON"], "direct/x", range(2 * MANY, 3 * MANY))  # the proxies outlive the kill

    assert arrived(group["PARIS"], "far", 3 * MANY) == list(range(3 * MANY))
    assert arrived(group["LONDON"], "up", MANY) == list(range(MANY))
    assert all(group.depth(name, "DLQ") == 0 for name in group.names)


@pytest.mark.soak
def test_publications_arrive_once_and_in_order_whenever_queue_managers_are_killed(group: Group) -> None:
    seed = random.randrange(1 << 32)
    chance, sent = random.Random(seed), 0
    for _ in range(SOAK_ROUNDS):
        some = chance.randint(1, 200)
        publish(group["LONDON"], "direct/x", range(sent, sent + some))
        publish(group["LONDON"], "hosted/x", range(sent, sent + some))
        publish(group["PARIS"], "tree/x", range(sent, sent + some))
        sent += some
        for victim in chance.sample(group.names, chance.randint(1, 3)):
            group.kill(victim)
            group.start(victim)
    assert arrived(group["PARIS"], "far", sent) == list(range(sent)), seed
    assert arrived(group["LONDON"], "up", sent) == list(range(sent)), seed
    assert sorted(arrived(group["NEWYORK"], "far", sent)) == list(range(sent)), seed
