"""What may be a name, and which names a generic one means."""

import doctest

import pytest

from penstock.model import names
from penstock.model.errors import MQError
from penstock.model.names import (
    check_object_name,
    check_qmgr_name,
    check_user_id,
    generic_matches,
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


def test_qmgr_name_fails_as_a_connect_does():
    with pytest.raises(MQError) as caught:
        check_qmgr_name("QM 1")
    assert caught.value.reason == 2058


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


def test_more_specific_profile_sorts_last():
    mixed = ["A.*", "**", "A.B", "A.**", "A.?", "*"]

    assert sorted(mixed, key=profile_specificity) == ["**", "*", "A.**", "A.*", "A.?", "A.B"]


def test_examples_in_the_docstrings_hold():
    assert doctest.testmod(names).failed == 0


def test_a_profile_with_wildcards_is_generic():
    assert is_profile_generic("A.*")
    assert not is_profile_generic("A.B")
