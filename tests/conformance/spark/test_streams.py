"""Queues as streams: what is read, how much at a time, and when a batch ends, with Spark running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.spark import Broker, finish, marks

pytestmark = marks


def stream(spark: Any, broker: Broker, schema: str = "body binary", **options: object) -> Any:
    return spark.readStream.format("penstock").schema(schema).options(**broker.options(**options)).load()


def to_queue(rows: Any, broker: Broker, **options: object) -> Any:
    given = {"queue": "OUT", "checkpointLocation": broker.checkpoint, **options}
    return (
        rows.writeStream.format("penstock")
        .options(**broker.options(**given))
        .trigger(availableNow=True)
        .start()
    )


def test_rows_go_from_queue_to_queue_with_their_reservation(spark: Any, broker: Broker) -> None:
    bodies = broker.put(250)

    query = to_queue(
        stream(spark, broker, "body binary, reservation string", queue="IN", maxRows=100), broker
    )
    finish(query)

    assert broker.bodies() == bodies
    assert broker.bodies("IN") == []
    assert [progress.numInputRows for progress in query.recentProgress] == [100, 100, 50]
    assert set(broker.flows()) == {"spark/IN"}
    assert broker.flows()["spark/IN"]["recorded"] == 3


def test_a_queue_that_is_not_there_is_told_of_and_an_alias_is_its_target(spark: Any, broker: Broker) -> None:
    with broker.local() as qm:
        qm.mqsc("DEFINE QALIAS(INDIRECT) TARGET(IN)")
    bodies = broker.put(20)

    with pytest.raises(Exception, match="2085 MQRC_UNKNOWN_OBJECT_NAME"):
        finish(to_queue(stream(spark, broker, queue="ABSENT"), broker))
    finish(
        to_queue(stream(spark, broker, queue="INDIRECT"), broker, checkpointLocation=broker.home / "alias")
    )

    assert sorted(broker.bodies()) == bodies


def test_rows_without_the_mark_are_committed_under_the_number_of_the_batch(
    spark: Any, broker: Broker
) -> None:
    bodies = broker.put(120)

    finish(to_queue(stream(spark, broker, queue="IN", maxRows=60).repartition(2), broker))

    assert sorted(broker.bodies()) == bodies
    assert broker.bodies("IN") == []
    flows = broker.flows()
    (sink,) = (name for name in flows if name.startswith("sink/"))
    assert (flows["spark/IN"]["recorded"], flows[sink]["recorded"]) == (2, 2)
    assert flows["spark/IN"]["n"] is None


def test_marked_rows_that_were_shuffled_are_refused(spark: Any, broker: Broker) -> None:
    broker.put(10)
    rows = stream(spark, broker, "body binary, reservation string", queue="IN").repartition(2)

    with pytest.raises(Exception, match="8034 PSRC_BATCH_MIXED"):
        finish(to_queue(rows, broker))

    assert broker.bodies() == []


def test_a_batch_that_is_all_filtered_away_ends_too(spark: Any, broker: Broker) -> None:
    broker.put(20)
    rows = stream(spark, broker, "body binary, reservation string", queue="IN").where("length(body) > 100")

    finish(to_queue(rows, broker))

    assert broker.bodies() == broker.bodies("IN") == []
    assert broker.flows()["spark/IN"]["n"] is None


def test_a_deleted_checkpoint_resumes(spark: Any, broker: Broker) -> None:
    rows = stream(spark, broker, "body binary, reservation string", queue="IN")
    first = broker.put(30)
    finish(to_queue(rows, broker))
    broker.forget_checkpoint()
    second = broker.put(30, first=30)

    finish(to_queue(rows, broker))

    assert broker.bodies() == first + second


def test_a_checkpoint_of_another_flow_is_refused(spark: Any, broker: Broker) -> None:
    broker.put(10)
    finish(to_queue(stream(spark, broker, "body binary, reservation string", queue="IN"), broker))
    broker.put(10, queue="OTHER")

    with pytest.raises(Exception, match="8033 PSRC_CHECKPOINT_FOREIGN"):
        finish(to_queue(stream(spark, broker, "body binary, reservation string", queue="OTHER"), broker))

    assert len(broker.bodies("OTHER")) == 10


def test_a_checkpoint_that_was_overtaken_is_refused(spark: Any, broker: Broker, tmp_path: Path) -> None:
    rows = stream(spark, broker, "body binary, reservation string", queue="IN")
    broker.put(10)
    finish(to_queue(rows, broker))
    broker.put(10, first=10)
    finish(to_queue(rows, broker, checkpointLocation=tmp_path / "another"))
    broker.put(10, first=20)

    with pytest.raises(Exception, match="8033 PSRC_CHECKPOINT_FOREIGN"):
        finish(to_queue(rows, broker))

    assert len(broker.bodies()) == 20


def test_parquet_gets_every_message_once(spark: Any, broker: Broker, tmp_path: Path) -> None:
    bodies = broker.put(90)
    rows = stream(spark, broker, "body binary, priority int", queue="IN", maxRows=40)

    def run() -> None:
        finish(
            rows.writeStream.format("parquet")
            .options(path=str(tmp_path / "archive"), checkpointLocation=str(broker.checkpoint))
            .trigger(availableNow=True)
            .start()
        )

    run()
    bodies += broker.put(10, first=90)
    run()

    found = spark.read.parquet(str(tmp_path / "archive")).collect()
    assert sorted(bytes(row.body) for row in found) == bodies
    assert broker.bodies("IN") == []
    assert broker.flows()["spark/IN"]["n"] is None


def test_bytes_limit_a_batch(spark: Any, broker: Broker) -> None:
    broker.put(40)  # of six bytes each

    query = to_queue(
        stream(spark, broker, "body binary, reservation string", queue="IN", maxBytes=60), broker
    )
    finish(query)

    assert [progress.numInputRows for progress in query.recentProgress] == [10, 10, 10, 10]


def test_other_getters_go_on_getting(spark: Any, broker: Broker) -> None:
    bodies = broker.put(60)
    with broker.local() as qm:
        epoch = qm.batches.new_epoch("spark/IN")
        qm.batches.reserve("spark/IN", "IN", after=0, epoch=epoch, max_rows=20)
        got = [message.body for message in qm.get_many("IN", 20)]

    finish(to_queue(stream(spark, broker, "body binary, reservation string", queue="IN"), broker))

    assert got == bodies[20:40]
    assert broker.bodies() == bodies[:20] + bodies[40:]


def test_an_earlier_epoch_is_shut_out(spark: Any, broker: Broker) -> None:
    broker.put(10)
    with broker.local() as qm:
        old = qm.batches.new_epoch("spark/IN")
        qm.batches.reserve("spark/IN", "IN", after=0, epoch=old)

        finish(to_queue(stream(spark, broker, "body binary, reservation string", queue="IN"), broker))

        with pytest.raises(Exception, match="8031"):
            qm.batches.read_slice("spark/IN", 1, 0, 1, epoch=old)
    assert len(broker.bodies()) == 10


def test_a_subscription_is_a_source(spark: Any, broker: Broker) -> None:
    rows = stream(spark, broker, "body binary, reservation string", topic="price/#", subscription="s1")
    finish(to_queue(rows, broker))
    with broker.local() as qm:
        qm.publish("price/fruit/apple", b"1.20", persistent=True)
        qm.publish("weather", b"rain", persistent=True)
        qm.publish("price/fruit/pear", b"1.50", persistent=True)

    finish(to_queue(rows, broker))

    assert broker.bodies() == [b"1.20", b"1.50"]


def test_a_subscription_that_is_not_there_is_told_of(spark: Any, broker: Broker) -> None:
    rows = stream(spark, broker, "body binary, reservation string", subscription="nobody")
    with pytest.raises(Exception, match="2428 MQRC_NO_SUBSCRIPTION"):
        finish(to_queue(rows, broker))

    assert broker.flows() == {}


def test_by_address_and_with_a_queue_a_row(spark: Any, broker: Broker) -> None:
    bodies = broker.put(20)
    url = broker.address()
    rows = stream(spark, broker, "body binary, reservation string", url=url, queue="IN").selectExpr(
        "body",
        "if(body < '000010', 'OUT', 'OTHER') as queue",
        "7 as priority",
        "map('colour', 'red') as properties",
        "reservation",
    )

    finish(to_queue(rows, broker, url=url, queue=""))

    assert (broker.bodies("OUT"), broker.bodies("OTHER")) == (bodies[:10], bodies[10:])
    with broker.local() as qm:
        message = next(iter(qm.browse("OUT")))
    assert (message.priority, message.properties, message.persistent) == (7, {"colour": "red"}, True)


def test_a_missing_option_is_said(spark: Any, broker: Broker) -> None:
    with pytest.raises(Exception, match=r"8405 PSRC_SPARK_OPTION.*one source is needed"):
        finish(to_queue(stream(spark, broker), broker))
