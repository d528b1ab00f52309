"""The catalogue: every attribute of MQSC with default, limits and number."""

from __future__ import annotations

import copy

import pytest

from penstock.model import constants
from penstock.qmgr.catalogue.attributes import (
    KINDS,
    ValueRefused,
    attribute_called,
    by_number,
    catalogue,
    check_name,
    custom_values,
    defaults,
)
from penstock.qmgr.catalogue.authority import authorities_of
from penstock.qmgr.catalogue.channels import CHANNEL_TYPES


@pytest.mark.parametrize("kind", KINDS)
def test_every_default_is_a_value_its_attribute_takes(kind):
    for attribute in catalogue(kind).values():
        if attribute.default != "" and not attribute.read_only:
            assert attribute.check(attribute.default) == attribute.default


@pytest.mark.parametrize("kind", KINDS)
def test_checking_a_checked_value_changes_nothing(kind):
    for attribute in catalogue(kind).values():
        for word in attribute.values:
            value = attribute.check(word)
            assert attribute.check(value) == value


def test_local_queue_defaults_are_those_of_mq():
    values = defaults("QLOCAL")
    assert (values["MAXDEPTH"], values["MAXMSGL"], values["DEFPSIST"]) == (5000, 4194304, "NO")
    assert (values["SHARE"], values["TRIGGER"], values["HARDENBO"]) == ("YES", "NO", "YES")
    assert "CURDEPTH" not in values


def test_defaults_are_a_copy():
    defaults("QLOCAL")["MAXDEPTH"] = 1
    assert defaults("QLOCAL")["MAXDEPTH"] == 5000


@pytest.mark.parametrize(
    ("kind", "name", "constant"),
    [
        ("QLOCAL", "CURDEPTH", "MQIA_CURRENT_Q_DEPTH"),
        ("QLOCAL", "MAXDEPTH", "MQIA_MAX_Q_DEPTH"),
        ("QLOCAL", "BOQNAME", "MQCA_BACKOUT_REQ_Q_NAME"),
        ("QLOCAL", "GET", "MQIA_INHIBIT_GET"),
        ("QLOCAL", "TRIGGER", "MQIA_TRIGGER_CONTROL"),
        ("QALIAS", "TARGET", "MQCA_BASE_Q_NAME"),
        ("QREMOTE", "RNAME", "MQCA_REMOTE_Q_NAME"),
        ("QMGR", "DEADQ", "MQCA_DEAD_LETTER_Q_NAME"),
        ("QMGR", "MAXHANDS", "MQIA_MAX_HANDLES"),
        ("PROCESS", "APPLICID", "MQCA_APPL_ID"),
        ("NAMELIST", "NAMES", "MQCA_NAMES"),
    ],
)
def test_numbers_are_the_selectors_of_mqinq(kind, name, constant):
    number = getattr(constants, constant)
    assert catalogue(kind)[name].number == number
    assert by_number(kind)[number].name == name


@pytest.mark.parametrize("kind", ["QLOCAL", "QALIAS", "QREMOTE", "QMODEL", "QMGR", "PROCESS", "NAMELIST"])
def test_no_two_attributes_share_a_number(kind):
    numbers = [each.number for each in catalogue(kind).values()]
    assert len(numbers) == len(set(numbers))
    assert all(numbers)


def test_keywords_become_mqs_integers_and_back():
    get = catalogue("QLOCAL")["GET"]
    assert get.to_integer("DISABLED") == constants.MQQA_GET_INHIBITED
    assert get.from_integer(constants.MQQA_GET_ALLOWED) == "ENABLED"
    share = catalogue("QLOCAL")["SHARE"]
    assert share.to_integer("YES") == 1
    with pytest.raises(ValueRefused, match="ENABLED, DISABLED"):
        get.from_integer(7)


def test_a_number_out_of_range_says_the_range():
    with pytest.raises(ValueRefused, match="from 0 to 9") as caught:
        catalogue("QLOCAL")["DEFPRTY"].check("10")
    assert caught.value.reason == 4005
    assert caught.value.attribute == "DEFPRTY"


@pytest.mark.parametrize("text", ["abc", "", "1.5", "9" * 20, "²", "--1"])
def test_text_that_is_no_number_is_refused(text):
    with pytest.raises(ValueRefused):
        catalogue("QLOCAL")["MAXDEPTH"].check(text)


def test_a_number_that_takes_words_keeps_the_word():
    keep_alive = catalogue("CHANNEL", "SVRCONN")["KAINT"]
    assert keep_alive.check("auto") == "AUTO"
    assert keep_alive.check("300") == 300
    assert keep_alive.to_integer("AUTO") == -1


def test_texts_lose_trailing_blanks_and_have_a_length():
    description = catalogue("QLOCAL")["DESCR"]
    assert description.check("  two words  ") == "  two words"
    with pytest.raises(ValueRefused, match="65 characters"):
        description.check("x" * 65)


def test_names_of_other_objects_have_names_characters():
    with pytest.raises(ValueRefused, match="letters, digits"):
        catalogue("QLOCAL")["BOQNAME"].check("NO GOOD")


def test_lists_drop_blank_items_and_have_a_size():
    names = catalogue("NAMELIST")["NAMES"]
    assert names.check(("A", " ", "B")) == ("A", "B")
    with pytest.raises(ValueRefused, match="256"):
        names.check(tuple(f"N{i}" for i in range(257)))


def test_hexadecimal_ids_are_even_and_upper_case():
    correlation = catalogue("SUB")["DESTCORL"]
    assert correlation.check("00ab") == "00AB"
    with pytest.raises(ValueRefused):
        correlation.check("0ab")


def test_a_secret_is_not_in_the_text_of_its_refusal():
    with pytest.raises(ValueRefused) as caught:
        catalogue("CHANNEL", "SDR")["PASSWORD"].check("much too long a password")
    assert "much" not in caught.value.detail


def test_refusals_survive_copying():
    with pytest.raises(ValueRefused) as caught:
        catalogue("QLOCAL")["GET"].check("MAYBE")
    again = copy.copy(caught.value)
    assert (again.attribute, again.detail) == ("GET", caught.value.detail)


@pytest.mark.parametrize("channel_type", CHANNEL_TYPES)
def test_each_channel_type_has_only_its_own_attributes(channel_type):
    table = catalogue("CHANNEL", channel_type)
    assert ("XMITQ" in table) == (channel_type in ("SDR", "SVR"))
    assert ("SHARECNV" in table) == (channel_type in ("SVRCONN", "CLNTCONN"))
    assert ("CLUSTER" in table) == (channel_type in ("CLUSSDR", "CLUSRCVR"))
    assert ("PORT" in table) == (channel_type == "AMQP")
    assert ("MRRTY" in table) == (channel_type in ("RCVR", "RQSTR", "CLUSRCVR"))


def test_a_subtype_may_have_its_own_default():
    assert catalogue("CHANNEL", "SDR")["DISCINT"].default == 6000
    assert catalogue("CHANNEL", "SVRCONN")["DISCINT"].default == 0
    assert catalogue("AUTHINFO", "IDPWLDAP")["CHCKCLNT"].default == "REQUIRED"
    assert defaults("CHANNEL", "AMQP")["CHLTYPE"] == "AMQP"


def test_aliases_and_opposites_name_their_attribute():
    assert attribute_called("QALIAS", "TARGQ").name == "TARGET"
    assert attribute_called("QLOCAL", "NOTRIGGER").name == "TRIGGER"
    assert attribute_called("QLOCAL", "NOMAXDEPTH") is None


@pytest.mark.parametrize("misprint", ["NPMGDLV", "USEDQLQ"])
def test_misprints_of_old_manuals_are_not_attributes(misprint):
    assert attribute_called("TOPIC", misprint) is None


def test_names_are_checked_for_their_kind():
    assert check_name("QLOCAL", "A.B_C/D%E ") == "A.B_C/D%E"
    for kind, name in [
        ("QLOCAL", "A" * 49),
        ("CHANNEL", "C" * 21),
        ("QLOCAL", "A B"),
        ("QLOCAL", " "),
        ("TOPIC", "é"),
    ]:
        with pytest.raises(ValueRefused) as caught:
            check_name(kind, name)
        assert caught.value.reason == 4008
    assert check_name("SUB", "any text, even 'this'") == "any text, even 'this'"


def test_custom_holds_names_with_values():
    assert custom_values("CAPEXPRY(100) BACKOUT(MOVE)") == {"CAPEXPRY": "100", "BACKOUT": "MOVE"}
    assert custom_values("capexpry( 5 ),note('it''s')") == {"CAPEXPRY": "5", "NOTE": "it's"}
    assert custom_values("") == {}
    assert custom_values("just words (") == {}


def test_groups_of_authorities_mean_those_of_the_object():
    assert "PUT" in authorities_of("QUEUE", ("ALLMQI",))
    assert authorities_of("TOPIC", ("ALLMQI",)) == {"PUB", "SUB", "RESUME"}
    assert authorities_of("QMGR", ("NONE",)) == frozenset()
    assert authorities_of("QUEUE", ("ALL",)) >= {"CLR", "GET"}


@pytest.mark.parametrize("quotes", [127, 128])
def test_custom_with_quotes_that_never_end_is_read_at_once(quotes: int) -> None:
    assert custom_values("A(" + "'" * quotes) == {}
    assert custom_values("A(" * 60 + "'" * quotes + " B(2)") in ({}, {"B": "2"})


def test_custom_values_are_trimmed_and_unquoted() -> None:
    assert custom_values("A( x ) , b('it''s (so)')C()") == {"A": "x", "B": "it's (so)", "C": ""}
