"""The catalogue is complete, well-formed, and answers by number and by name."""

import doctest
import re

import pytest

from penstock.model import constants, reasons
from penstock.model.reasons import NUMBERS, REASONS, by_name, reason


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (0, "MQRC_NONE"),
        (2001, "MQRC_ALIAS_BASE_Q_TYPE_ERROR"),
        (2009, "MQRC_CONNECTION_BROKEN"),
        (2013, "MQRC_EXPIRY_ERROR"),
        (2018, "MQRC_HCONN_ERROR"),
        (2033, "MQRC_NO_MSG_AVAILABLE"),
        (2035, "MQRC_NOT_AUTHORIZED"),
        (2053, "MQRC_Q_FULL"),
        (2085, "MQRC_UNKNOWN_OBJECT_NAME"),
        (2119, "MQRC_NOT_CONVERTED"),
        (2120, "MQRC_CONVERTED_MSG_TOO_BIG"),
        (2192, "MQRC_STORAGE_MEDIUM_FULL"),
        (2195, "MQRC_UNEXPECTED_ERROR"),
        (2241, "MQRC_INCOMPLETE_GROUP"),
        (2393, "MQRC_SSL_INITIALIZATION_ERROR"),
        (2459, "MQRC_SELECTOR_SYNTAX_ERROR"),
        (2550, "MQRC_NO_SUBS_MATCHED"),
        (2595, "MQRC_CSP_ERROR"),
        (3008, "MQRCCF_COMMAND_FAILED"),
        (3065, "MQRCCF_CHL_STATUS_NOT_FOUND"),
        (4001, "MQRCCF_OBJECT_ALREADY_EXISTS"),
        (4032, "MQRCCF_CHANNEL_NOT_FOUND"),
        (6124, "MQRC_NOT_CONNECTED"),
        (8001, "PSRC_FOLDER_LOCKED"),
        (8004, "PSRC_JOURNAL_STOPPED"),
    ],
)
def test_number_has_its_name(number, name):
    assert reason(number).name == name
    assert by_name(name).number == number


def test_catalogue_holds_all_families():
    def count(first, last):
        return sum(first <= number <= last for number in REASONS)

    assert count(2001, 2999) >= 500
    assert count(3001, 3999) >= 250
    assert count(4001, 4999) >= 85
    assert count(8001, 8999) >= 10


def test_every_reason_has_name_meaning_and_action():
    for entry in REASONS.values():
        assert re.fullmatch(r"(MQRC|MQRCCF|PSRC)_[A-Z0-9_]+", entry.name), entry
        for sentence in (entry.meaning, entry.action):
            assert len(sentence) > 10, entry
            assert sentence[0].isupper(), entry
            assert sentence.endswith("."), entry
            assert ">" not in sentence, entry


def test_names_are_unique_and_agree_with_numbers():
    names = [entry.name for entry in REASONS.values()]

    assert len(set(names)) == len(names)
    assert all(entry.number == number for number, entry in REASONS.items())
    assert all(NUMBERS[entry.name] == entry.number for entry in REASONS.values())


def test_reason_constants_agree_with_the_catalogue():
    named = {name: value for name, value in vars(constants).items() if re.match("MQRC_|MQRCCF_|PSRC_", name)}

    assert len(named) > 300
    for name, value in named.items():
        assert REASONS[value].name == name


@pytest.mark.parametrize(
    "text", ["MQRC_NOT_AUTHORIZED", "NOT_AUTHORIZED", "not_authorized", " mqrc_not_authorized "]
)
def test_name_is_found_with_or_without_prefix_in_any_case(text):
    assert by_name(text).number == 2035


def test_bare_name_means_the_call_before_the_command():
    assert by_name("SUB_ALREADY_EXISTS").number == 2432
    assert by_name("MQRCCF_SUB_ALREADY_EXISTS").number == 3311
    assert by_name("COMMAND_FAILED").number == 3008


@pytest.mark.parametrize(("second", "number"), [("MQRC_TRUNCATED", 2120), ("PAGESET_FULL", 2192)])
def test_second_name_of_a_number_is_known(second, number):
    assert by_name(second).number == number


def test_unknown_number_and_name_say_so():
    with pytest.raises(LookupError, match="no reason code 2084"):
        reason(2084)
    with pytest.raises(LookupError, match="NO_SUCH_THING"):
        by_name("NO_SUCH_THING")


def test_catalogue_cannot_be_changed():
    with pytest.raises(TypeError):
        REASONS[1] = REASONS[2033]
    with pytest.raises(AttributeError):
        REASONS[2033].name = "X"


def test_examples_in_the_docstrings_hold():
    assert doctest.testmod(reasons).failed == 0
