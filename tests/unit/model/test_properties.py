"""Property names and values: what may be set, and which type a value has."""

import pytest

from penstock.model import constants
from penstock.model.errors import MQError
from penstock.model.properties import (
    Float32,
    Int8,
    Int16,
    Int32,
    Int64,
    canonical_name,
    check_name,
    check_properties,
    check_value,
    property_type,
)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("colour", "colour"),
        ("usr.colour", "colour"),
        ("a.b.c", "a.b.c"),
        ("usr.a.b", "usr.a.b"),
        ("_x$1", "_x$1"),
        ("größe", "größe"),
        ("JMSType", "mcd.Type"),
        ("JMSCorrelationID", "jms.Cid"),
        ("JMSReplyTo", "jms.Rto"),
        ("JMSXGroupID", "jms.Gid"),
        ("JMSXGroupSeq", "jms.Seq"),
        ("Root.MQMD.CorrelId", "Root.MQMD.CorrelId"),
        ("mq_usr.a.b", "mq_usr.a.b"),
        ("mqext.Arm", "mqext.Arm"),
        ("traceparent", "traceparent"),
    ],
)
def test_good_names(name, canonical):
    assert check_name(name) == canonical
    assert canonical_name(name) == canonical


@pytest.mark.parametrize(
    "name",
    [
        "a b", "a\x00b", "a\nb", "1a", "a..b", ".a", "a.", "a-b", "a=b", "a<b", "a.1b", "😀", "a😀",
        "NULL", "null", "usr.True", "AND", "or", "Between", "LIKE", "in", "IS", "Escape", "NOT", "FALSE",
        "JMSPriority", "JMSMessageID", "JMSFoo", "usr.JMSType", "JMS_IBM_Format",
        "Body.x", "Root.x", "Body", "mqext.a.b", "MQfoo.a.b", ".".join(["a"] * 101),
    ],
)  # fmt: skip
def test_bad_names_raise_2442(name):
    with pytest.raises(MQError) as caught:
        check_name(name)
    assert caught.value.reason == 2442


@pytest.mark.parametrize("name", ["", "a" * 4096])
def test_length_of_a_name_raises_2513(name):
    with pytest.raises(MQError) as caught:
        check_name(name)
    assert caught.value.reason == 2513


def test_a_name_of_4095_characters_is_good():
    assert check_name("a" * 4095) == "a" * 4095


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("text", "STRING"),
        (True, "BOOLEAN"),
        (5, "INT32"),
        (-(2**31), "INT32"),
        (2**31, "INT64"),
        (Int8(5), "INT8"),
        (Int16(5), "INT16"),
        (Int32(5), "INT32"),
        (Int64(5), "INT64"),
        (1.5, "FLOAT64"),
        (Float32(1.5), "FLOAT32"),
        (b"\1", "BYTE_STRING"),
        (None, "NULL"),
    ],
)
def test_types_of_values(value, name):
    assert property_type(value) == getattr(constants, f"MQTYPE_{name}")


@pytest.mark.parametrize("value", [[1], {}, 1j, object(), bytearray(b"x"), 2**63, -(2**63) - 1, "\ud800"])
def test_values_of_other_types_raise_2473(value):
    with pytest.raises(MQError) as caught:
        check_value(value)
    assert caught.value.reason == 2473


def test_value_longer_than_a_message_raises_2469():
    with pytest.raises(MQError) as caught:
        check_value(bytes(104_857_601))
    assert caught.value.reason == 2469


@pytest.mark.parametrize(
    ("kind", "value"), [(Int8, 128), (Int8, -129), (Int16, 2**15), (Int32, 2**31), (Int64, 2**63)]
)
def test_narrow_integers_refuse_what_does_not_fit(kind, value):
    with pytest.raises(MQError) as caught:
        kind(value)
    assert caught.value.reason == 2473


def test_narrow_numbers_behave_as_numbers():
    assert Int8(5) == 5
    assert Int8(5) + 1 == 6
    assert Float32(0.1) != 0.1
    assert Float32(0.5) == 0.5
    with pytest.raises(MQError):
        Float32(1e300)


def test_check_properties_gives_canonical_names():
    assert check_properties({"usr.a": 1, "JMSType": "t", "b": "é" * 2000}) == {
        "a": 1,
        "mcd.Type": "t",
        "b": "é" * 2000,
    }


def test_check_properties_refuses_too_many():
    with pytest.raises(MQError) as caught:
        check_properties({f"p{number}": 1 for number in range(10_001)})
    assert caught.value.reason == 2478
