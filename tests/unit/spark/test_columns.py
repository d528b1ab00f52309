"""Messages as rows and rows as messages, without Spark running."""

from __future__ import annotations

import datetime as dt

import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed")

from pyspark.sql import types

from penstock.model.errors import MQError
from penstock.model.message import Descriptor, Message
from penstock.model.properties import Float32, Int8, Int16, Int32, Int64
from penstock.spark.format.columns import SCHEMA, OutputMaker, RowMaker, typed_properties

PROPERTIES = {
    "flag": True,
    "tiny": Int8(-3),
    "short": Int16(300),
    "int": Int32(70_000),
    "long": Int64(1 << 40),
    "single": Float32(1.5),
    "double": 2.25,
    "text": "héllo",
    "raw": b"\x00\xff",
    "nothing": None,
}


def rows_of(*messages: Message, schema: str = SCHEMA) -> list[dict[str, object]]:
    batch = RowMaker(struct(schema)).batch(list(messages), "mark")
    return batch.to_pylist()


def struct(schema: str) -> types.StructType:
    """Read a schema; Spark itself can do it only while it runs."""
    text = types.StringType()
    kinds = {
        "bigint": types.LongType(),
        "binary": types.BinaryType(),
        "boolean": types.BooleanType(),
        "double": types.DoubleType(),
        "int": types.IntegerType(),
        "map<string,string>": types.MapType(text, text),
        "string": text,
        "timestamp": types.TimestampType(),
        "timestamp_ntz": types.TimestampNTZType(),
    }
    fields = (field.split() for field in schema.split(", "))
    return types.StructType([types.StructField(name, kinds[kind]) for name, kind in fields])


def test_a_row_has_what_the_message_has() -> None:
    descriptor = Descriptor(format="MQSTR", reply_to="REPLIES", ccsid=819, group_id=b"g" * 24, seq_number=3)
    message = Message(b"body", b"m" * 24, b"c" * 24, True, 5, 1_700_000_000.25, 0.0, descriptor)
    message.backout_count = 2

    (row,) = rows_of(message)

    assert row["body"] == b"body"
    assert (row["msg_id"], row["correl_id"], row["priority"]) == (b"m" * 24, b"c" * 24, 5)
    assert (row["persistent"], row["backout_count"], row["expiry"]) == (True, 2, None)
    assert (row["format"], row["reply_to"], row["ccsid"]) == ("MQSTR", "REPLIES", 819)
    assert (row["group_id"], row["seq_number"]) == (b"g" * 24, 3)
    assert row["put_time"].timestamp() == 1_700_000_000.25  # type: ignore[attr-defined]
    assert row["reservation"] == "mark"


def test_a_schema_of_the_users_own_is_a_choice_of_columns() -> None:
    assert rows_of(Message(b"x"), schema="priority int, body binary") == [{"priority": 0, "body": b"x"}]


def test_a_number_may_be_a_bigint_and_a_time_without_a_zone() -> None:
    message = Message(b"x", priority=7, put_time=1_700_000_000.25, descriptor=Descriptor(ccsid=819))

    (row,) = rows_of(message, schema="priority bigint, ccsid bigint, put_time timestamp_ntz")

    moment = dt.datetime(2023, 11, 14, 22, 13, 20, 250_000)  # noqa: DTZ001 - in UTC, and says no zone
    assert row == {"priority": 7, "ccsid": 819, "put_time": moment}


def test_a_column_that_no_message_has_is_refused() -> None:
    with pytest.raises(MQError, match="no column colour") as caught:
        rows_of(Message(b"x"), schema="body binary, colour string")

    assert caught.value.reason == 8405


def test_properties_come_back_with_their_types() -> None:
    (row,) = rows_of(Message(b"x", properties=PROPERTIES))

    ((queue, body, details),) = OutputMaker(
        ["body", "properties", "property_types"], {"queue": "OUT"}
    ).outputs([row])

    assert (queue, body) == ("OUT", b"x")
    assert details["properties"] == PROPERTIES
    assert [type(value) for value in details["properties"].values()] == [
        type(value) for value in PROPERTIES.values()
    ]


def test_a_property_without_a_type_is_a_text() -> None:
    assert typed_properties({"a": "1", "b": None}, {}) == {"a": "1", "b": None}


@pytest.mark.parametrize("kind", ["int32", "bytes", "colour"])
def test_a_property_that_is_not_of_its_type_is_refused(kind: str) -> None:
    with pytest.raises(MQError) as caught:
        typed_properties({"a": "zz"}, {"a": kind})

    assert caught.value.reason == 8405


def test_a_row_names_its_queue() -> None:
    maker = OutputMaker(["body", "queue", "priority", "correl_id"], {"queue": "DEFAULT"})
    rows = [
        {"body": "a", "queue": "ONE", "priority": 3, "correl_id": b"c" * 24},
        {"body": "b", "queue": None, "priority": None, "correl_id": None},
    ]

    assert list(maker.outputs(rows)) == [
        ("ONE", "a", {"priority": 3, "correl_id": b"c" * 24}),
        ("DEFAULT", "b", {}),
    ]


def test_what_the_queue_manager_sets_is_left_out() -> None:
    ((_, _, details),) = OutputMaker(
        ["body", "user_id", "put_time", "backout_count"], {"queue": "OUT"}
    ).outputs([{"body": b"", "user_id": "mallory", "put_time": 0, "backout_count": 9}])

    assert details == {}


@pytest.mark.parametrize(
    ("names", "queue"), [(["msg_id"], "OUT"), (["body", "colour"], "OUT"), (["body"], "")]
)
def test_rows_that_cannot_be_messages_are_refused(names: list[str], queue: str) -> None:
    with pytest.raises(MQError) as caught:
        OutputMaker(names, {"queue": queue})

    assert caught.value.reason == 8405


def test_the_nearest_column_is_named() -> None:
    with pytest.raises(MQError, match="no column correlid that could be written; did you mean correl_id"):
        OutputMaker(["body", "correlid"], {"queue": "OUT"})
    with pytest.raises(MQError, match="no column puttime; did you mean put_time"):
        rows_of(Message(b"x"), schema="puttime timestamp")


@pytest.mark.parametrize(
    "schema", ["priority string", "put_time string", "properties string", "msg_id string", "persistent int"]
)
def test_a_type_that_a_column_cannot_have_is_refused(schema: str) -> None:
    name, kind = schema.split()
    with pytest.raises(MQError, match=rf"column {name} is .*, not {kind}") as caught:
        rows_of(Message(b"x"), schema=schema)

    assert caught.value.reason == 8405


def test_a_body_may_be_read_as_text_when_it_is_one() -> None:
    assert rows_of(Message("häuser".encode()), schema="body string") == [{"body": "häuser"}]

    with pytest.raises(MQError, match="is no UTF-8: read the column body as binary") as caught:
        rows_of(Message(b"\xff"), schema="body string")

    assert caught.value.reason == 8405
