from __future__ import annotations

import pytest

from penstock.model.errors import MQError
from penstock.model.message import Descriptor, Message
from penstock.model.properties import Float32, Int8
from penstock.qmgr.selectors.like import like
from penstock.qmgr.selectors.parser import NESTING_MAX
from penstock.qmgr.selectors.selector import compile_selector, equality_terms
from tests.patience import ends

PROPERTIES = {
    "colour": "red",
    "weight": 3,
    "price": 2.5,
    "urgent": True,
    "done": False,
    "key": b"\x0a\xfc\x23",
    "empty": "",
    "nothing": None,
    "my prop": 7,
    "usr2.deep": 1,
}


def selects(text: str, message: Message | None = None) -> bool:
    return compile_selector(text).matches(message or Message(b"", properties=PROPERTIES))


@pytest.mark.parametrize(
    "text",
    [
        "colour = 'red'",
        "'red' = colour",
        "usr.colour = 'red'",
        "colour <> 'blue'",
        "weight = 3 and Colour IS NULL",
        "weight >= 3 AND weight <= 3 AND NOT weight < 3 AND NOT weight > 3",
        "4 > weight",
        "weight = 3.0",
        "price = 2.5",
        "price = 25E-1",
        "price = .25e1",
        "urgent",
        "urgent = TRUE",
        "NOT done",
        "done = false",
        "urgent <> done",
        'key = "0x0AFC23"',
        'key <> "0x0AFC2300"',
        '"my prop" = 7',
        "usr2.deep = 1",
        "weight = 0x3 AND weight = 03 AND weight = 3L AND weight = +3 AND -weight = -3",
        "weight BETWEEN 1 AND 3",
        "weight NOT BETWEEN 4 AND 9",
        "weight BETWEEN price AND 2 * 2",
        "colour IN ('blue', 'red')",
        "colour NOT IN ('blue', 'green')",
        "colour LIKE 'r%'",
        "colour NOT LIKE 'b%'",
        "colour LIKE '_e_' AND colour LIKE '%e%' AND colour LIKE 'r%d' AND colour LIKE '%'",
        "nothing IS NULL",
        "absent IS NULL AND colour IS NOT NULL",
        "empty IS NOT NULL AND empty = ''",
        "weight + 2 * 3 = 9 AND (weight + 2) * 3 = 15",
        "weight - 1 - 1 = 1",
        "7 / 2 = weight",
        "-7 / 2 = -weight",
        "7.0 / 2 > weight",
        "absent = 1 OR weight = 3",
        "colour = 'blue' OR absent > 1 OR urgent",
        "NOT NOT urgent",
        "TRUE",
        "NOT colour = 'blue' AND weight = 3",
        "colour='red'AND(weight=3)",
    ],
)
def test_selects(text: str) -> None:
    assert selects(text)


@pytest.mark.parametrize(
    "text",
    [
        "colour = 'Red'",
        "colour = 'red '",
        "absent = 1",
        "absent <> 1",
        "NOT absent = 1",
        "absent AND urgent",
        "NOT absent",
        "absent LIKE '%'",
        "absent NOT LIKE '%'",
        "absent IN ('a')",
        "absent NOT IN ('a')",
        "absent BETWEEN 1 AND 2",
        "absent NOT BETWEEN 1 AND 2",
        "absent = absent",
        "weight + absent > 0",
        "weight NOT BETWEEN 1 AND 9",
        "done",
        "colour LIKE 'r_'",
        "colour LIKE 'R%'",
    ],
)
def test_does_not_select_what_is_false_or_unknown(text: str) -> None:
    assert not selects(text)


def test_typed_numbers_and_subclasses_compare_as_what_they_are() -> None:
    class Shade(str):
        __slots__ = ()

    message = Message(b"", properties={"a": Int8(3), "b": Float32(0.5), "c": Shade("red"), "usr.x.y": 1})
    assert selects("a = 3 AND a < 4 AND a * 2 = 6 AND a / 2 = 1 AND b = 0.5 AND a > b AND -a = -3", message)
    assert selects("c = 'red' AND c LIKE 'r%' AND c IN ('red') AND usr.x.y = 1", message)


def test_empty_selector_selects_everything() -> None:
    assert selects("")
    assert selects("  \n")


def test_message_without_properties_is_looked_at() -> None:
    assert selects("colour IS NULL", Message(b""))
    assert not selects("colour = 'red'", Message(b""))


def test_decision_unlike_types_compare_false_both_ways() -> None:
    assert not selects("colour = 3")
    assert not selects("colour <> 3")
    assert not selects("urgent = 1")
    assert not selects("weight = TRUE")
    assert selects("NOT (colour = 3)")


def test_decision_ordering_a_string_property_is_false() -> None:
    assert not selects("colour > 1")
    assert not selects("colour <= colour")
    assert selects("NOT colour > 1")


def test_decision_not_between_is_less_or_greater_so_unlike_types_stay_false() -> None:
    assert not selects("colour BETWEEN 1 AND 2")
    assert not selects("colour NOT BETWEEN 1 AND 2")


def test_decision_not_in_and_not_like_negate_so_unlike_types_are_true() -> None:
    assert not selects("weight IN ('3')")
    assert selects("weight NOT IN ('3')")
    assert not selects("weight LIKE '3'")
    assert selects("weight NOT LIKE '3'")


def test_decision_arithmetic_on_a_string_division_by_zero_and_overflow_are_unknown() -> None:
    for text in ("colour + 1 = 1", "weight / 0 = 1", "weight * 9223372036854775807 > 0", "urgent + 1 = 2"):
        assert not selects(text)
        assert not selects(f"NOT ({text})")


def test_decision_a_name_that_is_no_boolean_is_false_as_a_condition() -> None:
    assert not selects("weight")
    assert selects("NOT weight")


MESSAGE = Message(
    b"x",
    msg_id=bytes(range(24)),
    correl_id=b"c" * 24,
    persistent=True,
    priority=4,
    put_time=1700000000.25,
    expires_at=1700000010.25,
    descriptor=Descriptor(
        format="MQSTR",
        reply_to="REPLY",
        reply_to_qmgr="QM1",
        user_id="ann",
        put_appl_name="app",
        seq_number=2,
        flags=8,
    ),
)


@pytest.mark.parametrize(
    "text",
    [
        'Root.MQMD.MsgId = "0x' + bytes(range(24)).hex() + '"',
        "Root.MQMD.Priority = 4 AND Root.MQMD.Persistence = 1 AND Root.MQMD.MsgType = 8",
        "Root.MQMD.Expiry = 100",
        "Root.MQMD.PutDate = '20231114' AND Root.MQMD.PutTime = '22132025'",
        "Root.MQMD.UserIdentifier = 'ann' AND Root.MQMD.BackoutCount = 0 AND Root.MQMD.Version = 2",
        "JMSMessageID = 'ID:" + bytes(range(24)).hex() + "'",
        "JMSCorrelationID = 'ID:" + (b"c" * 24).hex() + "'",
        "JMSPriority > 3 AND JMSTimestamp = 1700000000250 AND JMSExpiration = 1700000010250",
        "NOT JMSRedelivered AND JMSXDeliveryCount = 1",
        "JMSXUserID = 'ann' AND JMSXAppID = 'app' AND JMSReplyTo = 'queue://QM1/REPLY'",
        "JMSXGroupSeq = 2 AND JMSXGroupID IS NULL AND JMSType IS NULL",
        "JMS_IBM_Format = 'MQSTR' AND JMS_IBM_MQMD_Priority = 4",
    ],
)
def test_fields_of_the_descriptor(text: str) -> None:
    assert selects(text, MESSAGE)


def test_decision_trailing_blanks_do_not_count_against_descriptor_fields() -> None:
    assert selects("Root.MQMD.Format = 'MQSTR   ' AND Root.MQMD.Format IN ('MQSTR   ')", MESSAGE)


def test_decision_delivery_mode_compares_with_its_name_and_its_number() -> None:
    assert selects("JMSDeliveryMode = 'PERSISTENT' AND JMSDeliveryMode = 2", MESSAGE)
    assert selects("JMSDeliveryMode = 'NON_PERSISTENT' AND JMSDeliveryMode <> 2", Message(b""))


def test_decision_a_jms_property_goes_before_the_descriptor() -> None:
    message = Message(b"", correl_id=b"c" * 24, properties={"jms.Cid": "order-7", "mcd.Type": "t"})
    assert selects("JMSCorrelationID = 'order-7' AND JMSType = 't'", message)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("a == 1", 2),
        ("a != 1", 2),
        ("a = 1 && b = 2", 6),
        ("a =", 3),
        ("= 1", 0),
        ("20 < b < 30", 0),
        ("a = 'x", 4),
        ('a = "0xABC"', 4),
        ('a = "', 4),
        ("a = 09", 4),
        ("a = 5x", 4),
        ("a = 9223372036854775808", 4),
        ("a > 'x'", 4),
        ("a < TRUE", 4),
        ("a BETWEEN 'a' AND 'b'", 10),
        ("a BETWEEN 1 OR 2", 12),
        ("a IN (1)", 6),
        ("a IN ()", 6),
        ("'x' IN ('x')", 0),
        ("a LIKE b", 7),
        ("a LIKE 'x' ESCAPE 'ab'", 18),
        ("a LIKE 'x!' ESCAPE '!'", 7),
        ("a NOT = 1", 6),
        ("a IS 1", 5),
        ("(a = 1", 6),
        ("a = 1)", 5),
        ("a = 1 b = 2", 6),
        ("1 + 2", 0),
        ("'red'", 0),
        ("'a' + 1 = 2", 0),
        ("(a = 1) = TRUE", 0),
        ("a = # 1", 4),
        ("Root.MQMD.Nonsense = 1", 0),
        ("a = 1E999", 4),
        ("NOT 5", 4),
    ],
)
def test_bad_syntax_is_2459_with_its_place(text: str, position: int) -> None:
    with pytest.raises(MQError) as caught:
        compile_selector(text)
    assert caught.value.reason == 2459
    assert caught.value.fields["position"] == position
    assert caught.value.fields["column"] == position + 1
    line, caret = caught.value.fields["caret"].split("\n")
    assert text.startswith(line[:5])
    assert caret.index("^") == position


def test_error_in_a_long_selector_shows_the_line_around_the_place() -> None:
    with pytest.raises(MQError) as caught:
        compile_selector("a = 1 AND\n" + "b = 1 AND " * 50 + "c ==")
    assert caught.value.fields["line"] == 2
    line, caret = caught.value.fields["caret"].split("\n")
    assert line[caret.index("^") :].startswith("==")


def test_selector_that_cannot_be_true_is_2504() -> None:
    for text in ("FALSE", "TRUE <> TRUE", "1 = 2", "1 = 'a'", "1 / 0 = 1"):
        with pytest.raises(MQError) as caught:
            compile_selector(text)
        assert caught.value.reason == 2504
    assert selects("1 = 1")


def test_length_and_nesting_are_limited_and_chains_are_not_nesting() -> None:
    with pytest.raises(MQError):
        compile_selector("a = '" + "x" * 10240 + "'")
    with pytest.raises(MQError):
        compile_selector("(" * (NESTING_MAX + 1) + "a = 1" + ")" * (NESTING_MAX + 1))
    with pytest.raises(MQError):
        compile_selector("a = " + "1 + (2 * (" * 60 + "1" + "))" * 60)
    depth = NESTING_MAX - 2
    assert selects("(" * depth + "weight = 3" + ")" * depth)
    assert selects("absent OR " * 900 + "urgent")
    assert selects("NOT " * 1000 + "urgent")
    assert selects("weight = " + "- " * 1000 + "3")
    assert selects("weight < " + "1 + " * 2000 + "1")


def test_deepest_nesting_runs_from_a_deep_stack() -> None:
    text = "(absent AND NOT (" * 24 + "urgent" + "))" * 24

    def deep(frames: int) -> bool:
        return deep(frames - 1) if frames else selects(text)

    assert not deep(300)


@pytest.mark.parametrize(
    ("pattern", "escape", "text", "expected"),
    [
        ("12%3", "", "123", True),
        ("12%3", "", "12993", True),
        ("12%3", "", "1234", False),
        ("l_se", "", "lose", True),
        ("l_se", "", "loose", False),
        (r"\_%", "\\", "_foo", True),
        (r"\_%", "\\", "bar", False),
        ("a!!b", "!", "a!b", True),
        ("a!xb", "!", "axb", True),
        ("%%", "", "", True),
        ("ab%ba", "", "aba", False),
        ("%a_c%e", "", "xxabcde", True),
        ("a.c", "", "abc", False),
        ("_", "", "\n", True),
        ("", "", "", True),
        ("", "", "a", False),
    ],
)
def test_like(pattern: str, escape: str, text: str, expected: bool) -> None:
    assert like(pattern, escape)(text) is expected


def test_like_does_not_blow_up() -> None:
    test = like("%a_%a_%a_%a_%a_%a_%a_%a_%a_%b")
    with ends():
        assert not test("a" * 20000)


def test_equality_terms_are_those_that_must_hold() -> None:
    text = "usr.a = 'x' AND 3 = b AND (c = 1 OR d = 2) AND e > 1 AND NOT f = 1"
    assert equality_terms(compile_selector(text)) == {"a": "x", "b": 3}
    assert equality_terms(compile_selector("a = TRUE")) == {"a": True}
    assert equality_terms(compile_selector("a = 1 OR b = 2")) == {}
    assert equality_terms(compile_selector("")) == {}
    assert equality_terms(compile_selector("Root.MQMD.Format = 'MQSTR  '")) == {"Root.MQMD.Format": "MQSTR"}


def test_compiled_selectors_are_kept() -> None:
    assert compile_selector("a = 1") is compile_selector("a = 1")
