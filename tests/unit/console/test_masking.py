"""What masking rules hide, and that nothing shows through: cut bodies, other character sets, dead letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.console import masking
from penstock.console.searching import conditions_of
from penstock.model.errors import MQError
from penstock.model.headers import DeadLetterHeader
from penstock.model.message import NO_ID, Descriptor, Message
from penstock.model.peeked import Peeked

if TYPE_CHECKING:
    from pathlib import Path

RULES = """
- queues: "CARDS.*"
  fields: [Number, pin]
- queues: "NOTES"
  pattern: '\\b\\d{16}\\b'
- queues: "SECRET"
  whole: true
"""


def message(body: bytes, ccsid: int = 1208, format: str = "MQSTR", **properties: object) -> Message:
    made = Message(body, NO_ID, NO_ID, False, 0, 0.0, -1.0, Descriptor(format=format, ccsid=ccsid))
    made.properties = properties or None
    return made


def shown(body: bytes, queue: str = "CARDS.IN", ccsid: int = 1208, length: int = 0) -> bytes:
    found = masking.masked(message(body, ccsid), queue, masking.rules_of(RULES), length)
    return bytes(found.body or b"")


@pytest.mark.parametrize(
    ("body", "visible"),
    [
        (
            "<Card><Number>4111</Number><Name>Ann</Name></Card>",
            "<Card><Number>***</Number><Name>Ann</Name></Card>",
        ),
        ('<c:Number xmlns:c="u">4111</c:Number>', '<c:Number xmlns:c="u">***</c:Number>'),
        ("<Number><![CDATA[41<11]]></Number>", "<Number>***</Number>"),
        ("<Card pin='12' name='Ann'/>", "<Card pin=\"***\" name='Ann'/>"),
        ('{"pin": 1234, "name": "Ann"}', '{"pin": "***", "name": "Ann"}'),
        ('{"pin" : "12\\"34", "name": "Ann"}', '{"pin" : "***", "name": "Ann"}'),
        ("<Card><Name>Ann</Name></Card>", "<Card><Name>Ann</Name></Card>"),
    ],
)
def test_fields_are_hidden_by_name_and_the_rest_stays(body: str, visible: str) -> None:
    assert shown(body.encode()) == visible.encode()


@pytest.mark.parametrize("body", ["<Card><Number>41115", '<Card pin="12', '{"pin": "12', '{"pin": 12'])
def test_a_body_that_is_cut_within_a_field_does_not_show_it(body: str) -> None:
    assert b"1" not in shown(body.encode(), length=1000)


def test_a_cut_character_does_not_hide_the_rest() -> None:
    assert shown("<Name>é".encode()[:-1], length=1000) == b"<Name>\xc3"


def test_other_character_sets_are_read_and_kept() -> None:
    for ccsid, codec in ((500, "cp500"), (1200, "utf-16-le")):
        body = shown("<Number>4111</Number>".encode(codec), ccsid=ccsid)
        assert body.decode(codec) == "<Number>***</Number>"


def test_what_is_no_text_is_hidden_as_a_whole() -> None:
    assert shown(b"\xff\xfe4111") == b"***"
    assert shown(b"4111", ccsid=0) == b"4111"  # UTF-8, without such a field
    assert shown(b"anything", "SECRET") == b"***"
    assert shown(b"4111111111111111 is mine", "NOTES") == b"*** is mine"


def test_queues_without_a_rule_are_shown_as_they_are() -> None:
    own = message(b"<Number>4111</Number>")
    assert masking.masked(own, "ORDERS", masking.rules_of(RULES)) is own


def test_a_dead_letter_is_masked_by_the_queue_that_it_was_going_to() -> None:
    header = DeadLetterHeader(2053, "CARDS.IN", "QM1", 546, 1208, "MQSTR").pack()
    own = message(header + b"<Number>4111</Number>", format="MQDEAD")
    found = masking.masked(own, "DEAD", masking.rules_of(RULES))
    assert found.body == header + b"<Number>***</Number>"
    assert own.body == header + b"<Number>4111</Number>"


def test_properties_with_a_hidden_name_are_hidden() -> None:
    own = message(b"x", pin="1234", colour="red")
    found = masking.masked(own, "CARDS.IN", masking.rules_of(RULES))
    assert found.properties == {"pin": "***", "colour": "red"}


def test_a_search_does_not_find_what_is_hidden() -> None:
    row = Peeked(0, 1, 21, "", message(b"<Number>4111</Number>"))
    hidden = masking.masked_row(row, "CARDS.IN", masking.rules_of(RULES))
    wanted = conditions_of("4111", "", "", "")
    assert wanted.accepts(row)
    assert not wanted.accepts(hidden)


@pytest.mark.parametrize(
    "text", ["- fields: [a]", "- queues: Q", "- {queues: Q, colour: red}", "- {queues: Q, pattern: '('}", "7"]
)
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(MQError, match=r"masking\.yaml"):
        masking.rules_of(text)


def test_a_file_that_cannot_be_read_hides_all_bodies(penstock_home: Path) -> None:
    row = Peeked(0, 1, 5, "", message(b"hello"))
    assert masking.masked_rows([row], "Q") == [row]
    (penstock_home / "web").mkdir(parents=True)
    (penstock_home / "web" / masking.NAME).write_text("- {queues: Q, pattern: '('}")
    assert masking.masked_rows([row], "Q")[0].message.body == b"***"


def test_lines_about_fields_and_texts_of_failures_hide_the_same(penstock_home: Path) -> None:
    lines = [
        "+ XMLNSC.Card.Number = '4111'",
        "~ XMLNSC.Card.@pin: '12' -> '13'",
        "+ XMLNSC.Card.{urn:a.b}Number[2] = '4111'",
        "+ XMLNSC.Card.Name = 'Ann'",
        "4111111111111111 is no number",
        "",
    ]
    (penstock_home / "web").mkdir(parents=True)
    (penstock_home / "web" / masking.NAME).write_text(RULES.partition('- queues: "SECRET"')[0])
    assert masking.masked_lines(lines) == [
        "+ XMLNSC.Card.Number = ***",
        "~ XMLNSC.Card.@pin = ***",
        "+ XMLNSC.Card.{urn:a.b}Number[2] = ***",
        "+ XMLNSC.Card.Name = 'Ann'",
        "*** is no number",
        "",
    ]
    (penstock_home / "web" / masking.NAME).write_text(RULES)
    assert masking.masked_lines(["any text", ""]) == ["***", ""]
