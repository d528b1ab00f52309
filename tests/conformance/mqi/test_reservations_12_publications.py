"""Clause: an output of a batch may go to a topic; every subscriber has its copy when the batch is committed,
once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import penstock
from tests.conformance.mqi.reservation_steps import FLOW

PEAR = ("topic:price/fruit/pear", b"1.50", {"properties": {"size": 3}})


def prepare(qm: penstock.QueueManager, *outputs: Any) -> int:
    epoch: int = qm.batches.begin(FLOW, 1)["epoch"]
    qm.batches.prepare_outputs(FLOW, 1, 0, 0, outputs, epoch=epoch)
    return epoch


def test_subscribers_have_their_copies_with_the_commit(qm: penstock.QueueManager) -> None:
    with (
        qm.subscribe("price/#", durable="all") as everything,
        qm.subscribe("price/#", durable="large", selector="size > 10") as large,
        qm.subscribe("weather", durable="rain") as weather,
    ):
        epoch = prepare(qm, PEAR, ("topic:weather", "rain"))
        assert everything.get() is None

        qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)
        qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)

        got = everything.get()
        assert got is not None
        assert (got.body, got.properties["size"]) == (b"1.50", 3)
        assert got.properties["MQTopicString"] == "price/fruit/pear"
        assert everything.get() is None
        assert large.get() is None
        assert getattr(weather.get(), "body", None) == b"rain"


def test_nobody_subscribes(qm: penstock.QueueManager) -> None:
    epoch = prepare(qm, PEAR)

    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)

    assert qm.batches.recorded(FLOW) == 1


def test_a_topic_that_takes_nothing_is_refused(
    qm: penstock.QueueManager, fails: Callable[[int], Any]
) -> None:
    qm.mqsc("DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit') PUB(DISABLED)")

    with fails(2051):
        prepare(qm, PEAR)


def test_publications_survive_a_restart(penstock_home: Any) -> None:
    qm = penstock.embed("QM", create=True)
    qm.subscribe("price/#", durable="all").close()
    prepare(qm, ("topic:price/fruit/fig", b"2.00", {"persistent": True}))
    qm.close()

    qm = penstock.embed("QM")
    qm.batches.commit(FLOW, 1, {0: 0}, epoch=qm.batches.begin(FLOW, 1)["epoch"])
    with qm.subscribe("price/#", durable="all") as subscription:
        assert getattr(subscription.get(), "body", None) == b"2.00"
    qm.close()


def test_a_retained_publication_is_its_topic_s_with_the_commit(qm: penstock.QueueManager) -> None:
    qm.publish("price/fruit/pear", b"before", retain=True)
    epoch = prepare(qm, *[("retain:price/fruit/pear", body) for body in (b"1.50", b"1.60")])
    with qm.subscribe("price/#") as early:
        assert getattr(early.get(), "body", None) == b"before"
        qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)
        assert early.get() is None  # it came after the outputs were prepared

    with qm.subscribe("price/#") as later:
        found = later.get()
        assert found is not None
        assert (found.body, found.properties["MQIsRetained"]) == (b"1.60", True)
        assert later.get() is None


def test_a_topic_may_begin_as_a_prefix_does(qm: penstock.QueueManager) -> None:
    with qm.subscribe("retain:a") as named, qm.subscribe("a") as other:
        epoch = prepare(qm, ("topic:retain:a", b"x"))
        qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)
        assert [getattr(each.get(), "body", None) for each in (named, other)] == [b"x", None]


def test_a_retained_publication_of_a_batch_survives_a_restart(penstock_home: Any) -> None:
    qm = penstock.embed("QM", create=True)
    qm.publish("price/fig", b"1.00", retain=True, persistent=True)
    prepare(qm, ("retain:price/fig", b"2.00", {"persistent": True}))
    for step in ("prepared", "committed", "again"):
        qm.close()
        qm = penstock.embed("QM")
        with qm.subscribe("price/#") as subscription:
            expected = b"1.00" if step == "prepared" else b"2.00"
            assert [subscription.get().body, subscription.get()] == [expected, None], step  # type: ignore[union-attr]
        qm.batches.commit(FLOW, 1, {0: 0}, epoch=qm.batches.begin(FLOW, 1)["epoch"])
    qm.close()
