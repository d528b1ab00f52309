"""Queues as tables: browsing them, and writing rows to them all at once, with Spark running."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from tests.spark import Broker, finish, marks

pytestmark = marks


def test_a_batch_read_browses(spark: Any, broker: Broker) -> None:
    bodies = broker.put(30)

    rows = spark.read.format("penstock").options(**broker.options(queue="IN")).load()

    assert [bytes(row.body) for row in rows.select("body", "msg_id").collect()] == bodies
    assert rows.where("persistent and priority = 0 and length(msg_id) = 24").count() == 30
    assert broker.bodies("IN") == bodies


def test_a_batch_read_by_several_tasks(spark: Any, broker: Broker) -> None:
    bodies = broker.put(30)

    rows = spark.read.format("penstock").options(**broker.options(queue="IN", partitions=3)).load()

    assert rows.rdd.getNumPartitions() == 3
    assert sorted(bytes(row.body) for row in rows.select("body").collect()) == bodies
    assert broker.bodies("IN") == bodies


def test_a_batch_write_is_all_or_nothing(spark: Any, broker: Broker) -> None:
    rows = spark.range(100).selectExpr("format_string('%03d', id) as body").repartition(2)

    rows.write.format("penstock").options(**broker.options(queue="OUT")).mode("append").save()

    assert sorted(broker.bodies()) == [b"%03d" % number for number in range(100)]
    assert broker.flows() == {}
    with pytest.raises(Exception, match="2085"):
        rows.selectExpr("body", "if(body = '070', 'NOBODY', 'OUT') as queue").write.format(
            "penstock"
        ).options(**broker.options()).mode("append").save()
    assert len(broker.bodies()) == 100
    assert broker.flows() == {}


def test_a_write_that_would_replace_messages_is_refused(spark: Any, broker: Broker) -> None:
    rows = spark.range(1).selectExpr("string(id) as body")
    with pytest.raises(Exception, match=r"8405 PSRC_SPARK_OPTION.*use mode append"):
        rows.write.format("penstock").options(**broker.options(queue="OUT")).mode("overwrite").save()

    assert broker.bodies() == []


def test_a_stream_that_would_replace_messages_is_refused(spark: Any, broker: Broker) -> None:
    rows = spark.readStream.format("rate-micro-batch").options(rowsPerBatch=10).load()
    writer = rows.groupBy().count().selectExpr("string(count) as body").writeStream.format("penstock")
    given = broker.options(queue="OUT", checkpointLocation=broker.checkpoint)
    with pytest.raises(Exception, match=r"8405 PSRC_SPARK_OPTION.*use outputMode append"):
        finish(writer.options(**given).outputMode("complete").trigger(availableNow=True).start())

    assert broker.bodies() == []


def test_numbers_and_times_of_other_types(spark: Any, broker: Broker) -> None:
    broker.put(1)
    reader = spark.read.format("penstock").options(**broker.options(queue="IN"))

    rows = reader.schema("priority bigint, put_time timestamp_ntz").load()

    assert dict(rows.dtypes) == {"priority": "bigint", "put_time": "timestamp_ntz"}
    (row,) = rows.collect()
    age = dt.datetime.now(dt.UTC).replace(tzinfo=None) - row.put_time
    assert row.priority == 0
    assert abs(age) < dt.timedelta(minutes=10)


def test_a_column_of_a_type_that_no_message_has_is_refused(spark: Any, broker: Broker) -> None:
    reader = spark.read.format("penstock").options(**broker.options(queue="IN"))
    with pytest.raises(Exception, match=r"8405 .*column priority is int or bigint, not string"):
        reader.schema("priority string").load().collect()


def test_a_named_write_is_done_once(spark: Any, broker: Broker) -> None:
    rows = spark.range(5).selectExpr("string(id) as body")
    for batch in (0, 1, 1):
        named = broker.options(queue="OUT", flow="nightly", batch=batch)
        rows.write.format("penstock").options(**named).mode("append").save()

    assert len(broker.bodies()) == 10


def test_foreign_sources_write_once(spark: Any, broker: Broker) -> None:
    rows = spark.readStream.format("rate-micro-batch").options(rowsPerBatch=10, numPartitions=2).load()
    writer = rows.selectExpr("string(value) as body").writeStream.format("penstock")
    given = broker.options(queue="OUT", checkpointLocation=broker.checkpoint)

    finish_after = writer.options(**given).trigger(availableNow=True).start()
    finish(finish_after)

    found = broker.bodies()
    assert len(found) == len(set(found)) >= 10


def test_rows_are_published(spark: Any, broker: Broker) -> None:
    with broker.local() as qm:
        qm.subscribe("price/#", durable="all").close()
    rows = (
        spark.range(2).selectExpr("string(id) as body", "concat('price/', string(id)) as topic").coalesce(1)
    )

    rows.write.format("penstock").options(**broker.options()).mode("append").save()

    with broker.local() as qm, qm.subscribe("price/#", durable="all") as subscription:
        got = [message for message in (subscription.get() for _ in range(3)) if message is not None]
    assert [message.body for message in got] == [b"0", b"1"]
    assert got[1].properties["MQTopicString"] == "price/1"
