"""How ids, properties and messages are written on the command line."""

import base64

import pytest
import typer

from penstock.cli.message_view import message_facts, parse_id, parse_properties
from penstock.model.message import Message


def test_an_id_may_be_hexadecimal_or_text():
    assert parse_id("41" * 24, "--msg-id") == b"A" * 24
    assert parse_id("0x41", "--msg-id") == b"A".ljust(24, b"\0")
    assert parse_id("41", "--msg-id") == b"41".ljust(24, b"\0")
    assert parse_id("z" * 24, "--msg-id") == b"z" * 24
    assert parse_id(None, "--msg-id") is None


def test_an_id_that_is_too_long_is_refused():
    with pytest.raises(typer.BadParameter, match="24 bytes"):
        parse_id("x" * 25, "--correl-id")


def test_properties_take_the_type_that_their_text_shows():
    texts = ["a=1", "b=1.5", "c=true", 'd="1"', "e=x=y", "f="]

    assert parse_properties(texts) == {"a": 1, "b": 1.5, "c": True, "d": "1", "e": "x=y", "f": ""}


@pytest.mark.parametrize("text", ["colour", "=red"])
def test_a_property_without_name_or_value_is_refused(text):
    with pytest.raises(typer.BadParameter, match="name=value"):
        parse_properties([text])


def test_a_body_that_is_not_text_is_shown_in_base64():
    facts = message_facts(Message(b"\xff\xfe"))

    assert base64.b64decode(facts["body_base64"]) == b"\xff\xfe"
    assert "body" not in facts
