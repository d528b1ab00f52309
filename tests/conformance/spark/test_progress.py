"""A running query tells of its batches, in messages."""

from __future__ import annotations

from typing import Any

from penstock.spark.runs import fused
from penstock.spark.runs.progress import BatchDone, Ended, Event, Started, batch_done, watch
from tests.patience import until
from tests.spark import Broker, finish, marks

pytestmark = marks


def test_events_tell_of_messages_rates_and_depth(spark: Any, broker: Broker) -> None:
    broker.put(150)
    events: list[Event] = []

    with watch(spark, events.append):
        query = fused.start(
            spark,
            broker.options(queue="IN", flow="orders", maxRows=100),
            work="tests.spark:mark_done",
            checkpoint=str(broker.checkpoint),
            until_empty=True,
            name="orders",
        )
        finish(query)
        until(lambda: any(isinstance(event, Ended) for event in events))

    batches = [event for event in events if isinstance(event, BatchDone)]
    assert [(each.batch, each.rows, each.outputs, each.bytes) for each in batches] == [
        (0, 100, 100, 600),
        (1, 50, 50, 300),
    ]
    assert all(each.rows_per_second > 0 for each in batches)
    assert batches[-1].depth == 0
    assert events[0] == Started(str(query.id), "orders")
    assert events[-1] == Ended(str(query.id), "")


def test_other_plans_are_counted_by_spark() -> None:
    report = {"id": "q", "batchId": 3, "numInputRows": 7, "batchDuration": 500, "sources": [{}]}

    assert batch_done(report) == BatchDone("q", 3, 7, None, None, 0.5, None)
