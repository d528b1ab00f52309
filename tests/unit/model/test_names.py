"""What may be a name, and which names a generic one means."""

import doctest

import pytest

from penstock.model import names
from penstock.model.errors import MQError
from penstock.model.names import (
    check_channel_name,
    check_dynamic_name,
    check_generic_name,
    check_object_name,
    check_profile_name,
    check_qmgr_name,
    check_user_id,
    generic_matches,
    is_generic,
    is_object_name,
    is_profile_generic,
    profile_matches,
    profile_specificity,
)


@pytest.mark.parametrize("name", ["A", "ORDERS.IN", "orders/in%1", "_x", "9", "A" * 48])
def test_good_name_is_returned(name):
    assert check_object_name(name) == name


def test_trailing_blanks_are_padding():
    assert check_object_name("ORDERS   ") == "ORDERS"


@pytest.mark.parametrize("name", ["", "   ", "A B", "A-B", "ORD*", "Ä", "Q\u0661", "A\n", "A\0", "A" * 49])
def test_bad_name_raises_the_reason_of_the_caller(name):
    with pytest.raises(MQError) as caught:
        check_object_name(name)
    assert caught.value.reason == 2085
    with pytest.raises(MQError) as caught:
        check_object_name(name, reason=4008)
    assert caught.value.reason == 4008
    assert not is_object_name(name)


def test_error_says_what_is_wrong_with_the_name():
    with pytest.raises(MQError, match="49 characters; 48 are allowed"):
        check_object_name("A" * 49)
    with pytest.raises(MQError, match="holds '-'"):
        check_object_name("A-B")
    with pytest.raises(MQError, match="missing"):
        check_object_name("")


def test_channel_names_are_shorter():
    assert check_channel_name("C" * 20) == "C" * 20
    with pytest.raises(MQError) as caught:
        check_channel_name("C" * 21)
    assert caught.value.reason == 4044


def test_qmgr_name_fails_as_a_connect_does():
    with pytest.raises(MQError) as caught:
        check_qmgr_name("QM 1")
    assert caught.value.reason == 2058


@pytest.mark.parametrize("name", ["*", "REPLY.*", "A" * 33 + "*", "REPLY.FIXED"])
def test_dynamic_name_may_end_in_a_star(name):
    assert check_dynamic_name(name) == name


@pytest.mark.parametrize("name", ["", "A" * 34 + "*", "A*B", "A**", "A B*"])
def test_bad_dynamic_name_is_2011(name):
    with pytest.raises(MQError) as caught:
        check_dynamic_name(name)
    assert caught.value.reason == 2011


def test_user_id_has_one_to_twelve_characters():
    assert check_user_id("alice ") == "alice"
    for bad in ("", "a" * 13, "a b", "a\tb"):
        with pytest.raises(MQError):
            check_user_id(bad)


@pytest.mark.parametrize(
    ("pattern", "name", "match"),
    [
        ("ORD*", "ORDERS", True),
        ("ORD*", "ORD", True),
        ("ORD*", "OR", False),
        ("*", "ANY.THING", True),
        ("ORD", "ORDERS", False),
        ("ORD", "ORD", True),
        ("ord*", "ORDERS", False),
    ],
)
def test_generic_name_of_mqsc(pattern, name, match):
    assert generic_matches(pattern, name) is match


def test_generic_name_is_checked_before_its_star():
    assert check_generic_name("*") == "*"
    assert check_generic_name("SYSTEM.*") == "SYSTEM.*"
    assert is_generic("A*")
    assert not is_generic("A")
    for bad in ("", "A*B", "A**", "A B*"):
        with pytest.raises(MQError):
            check_generic_name(bad)


@pytest.mark.parametrize(
    ("profile", "name", "match"),
    [
        ("ORD.IN", "ORD.IN", True),
        ("ORD.IN", "ORDXIN", False),
        ("ORD.?N", "ORD.IN", True),
        ("ORD?IN", "ORD.IN", False),
        ("AB.?D", "AB.D", False),
        ("ORD.*", "ORD.IN", True),
        ("ORD.*", "ORD.IN.NEW", False),
        ("ORD.*", "ORD", False),
        ("O*.IN", "ORD.IN", True),
        ("O*", "ORD.IN", False),
        ("ORD.**", "ORD.IN.NEW", True),
        ("ORD.**", "ORD", True),
        ("ORD.**", "ORDERS", False),
        ("**.IN", "ORD.EU.IN", True),
        ("**.IN", "IN", True),
        ("**.IN", "XIN", False),
        ("ORD.**.NEW", "ORD.NEW", True),
        ("ORD.**.NEW", "ORD.A.B.NEW", True),
        ("ORD.**.NEW", "ORD.A.B", False),
        ("**", "ANY.THING.AT.ALL", True),
        ("*", "ANY", True),
        ("*", "ANY.THING", False),
    ],
)
def test_authority_profile(profile, name, match):
    assert profile_matches(profile, name) is match


def test_profile_name_is_checked():
    assert check_profile_name("ORD.**.NEW?") == "ORD.**.NEW?"
    assert is_profile_generic("A.*")
    assert not is_profile_generic("A.B")
    for bad in ("", "A***", "A B*", "*" * 9, "?" * 49):
        with pytest.raises(MQError) as caught:
            check_profile_name(bad)
        assert caught.value.reason == 3170


def test_more_specific_profile_sorts_last():
    mixed = ["A.*", "**", "A.B", "A.**", "A.?", "*"]

    assert sorted(mixed, key=profile_specificity) == ["**", "*", "A.**", "A.*", "A.?", "A.B"]


def test_examples_in_the_docstrings_hold():
    assert doctest.testmod(names).failed == 0
