"""Errors: class by number, text, completion code, pickling."""

import doctest
import pickle

import pytest

from penstock.model import errors
from penstock.model.errors import MQError, class_of, error


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (2033, "NoMessage"),
        (2085, "ObjectUnknown"),
        (2086, "ObjectUnknown"),
        (2087, "ObjectUnknown"),
        (2082, "ObjectUnknown"),
        (2042, "ObjectInUse"),
        (2035, "NotAuthorized"),
        (2053, "QueueFull"),
        (2003, "BackedOut"),
        (2045, "OptionsError"),
        (2046, "OptionsError"),
        *((number, "NotOpen") for number in range(2036, 2041)),
        (2016, "Inhibited"),
        (2051, "Inhibited"),
        (2009, "ConnectionBroken"),
        (2058, "NotAvailable"),
        (2059, "NotAvailable"),
        (2030, "MessageTooBig"),
        (2459, "SelectorError"),
        (2471, "PropertyError"),
        (2024, "UnitOfWorkError"),
        (3228, "CommandError"),
        (4001, "ObjectExists"),
        (8001, "StoreError"),
        (8002, "StoreError"),
        (2195, "MQError"),
    ],
)
def test_class_is_chosen_by_number(number, kind):
    assert type(error(number)).__name__ == kind


def test_error_carries_number_name_meaning_action_and_fields():
    failure = error(2085, "queue ORDERS is not defined", object="ORDERS")

    assert (failure.reason, failure.comp, failure.name) == (2085, 2, "MQRC_UNKNOWN_OBJECT_NAME")
    assert failure.fields == {"object": "ORDERS"}
    assert failure.meaning
    assert failure.action
    assert str(failure) == "2085 MQRC_UNKNOWN_OBJECT_NAME: queue ORDERS is not defined"


def test_error_without_detail_says_what_it_means():
    assert str(error(2033)).startswith("2033 MQRC_NO_MSG_AVAILABLE: No message")


@pytest.mark.parametrize(
    "number", [2002, 2049, 2079, 2080, 2104, *range(2110, 2122), 2124, 2209, 2241, 2242, 2550]
)
def test_warning_has_completion_code_one(number):
    assert error(number).comp == 1


@pytest.mark.parametrize("number", [2003, 2033, 2035, 2053, 2085, 2123, 2197, 2198, 2199, 3008, 8001])
def test_failure_has_completion_code_two(number):
    assert error(number).comp == 2


def test_caller_can_say_that_a_usual_warning_failed():
    failure = error(2241, "group G1 is not complete", comp=2, group="G1")

    assert failure.comp == 2
    assert failure.fields == {"group": "G1"}


@pytest.mark.parametrize("number", [2033, 2053, 2195, 2241, 8001])
def test_error_survives_pickling(number):
    failure = error(number, "detail", comp=2, object="Q1", limit=5)

    copy = pickle.loads(pickle.dumps(failure))  # noqa: S301

    assert type(copy) is type(failure)
    assert str(copy) == str(failure)
    assert (copy.reason, copy.comp, copy.detail, copy.fields) == (
        number,
        2,
        "detail",
        {"object": "Q1", "limit": 5},
    )


def test_every_class_is_an_mqerror_and_a_subclass_catches_its_own():
    assert issubclass(errors.BackedOut, errors.UnitOfWorkError)
    assert issubclass(errors.NotAvailable, errors.MQConnectionError)
    with pytest.raises(errors.QueueFull):
        raise error(2053, "ORDERS")
    assert all(issubclass(class_of(number), MQError) for number in range(2000, 9000))


def test_no_number_belongs_to_two_classes_by_accident():
    special = {2003}
    command_or_object = range(3000, 5000)
    seen: dict[int, type[MQError]] = {}
    for kind, numbers in errors._GROUPS:
        for number in numbers:
            if number in command_or_object or number in special:
                continue
            assert number not in seen, (number, kind, seen.get(number))
            seen[number] = kind


def test_number_outside_the_catalogue_still_makes_an_error():
    failure = error(2999, "from another release")

    assert failure.reason == 2999
    assert str(failure) == "2999 MQRC_2999: from another release"


def test_examples_in_the_docstrings_hold():
    assert doctest.testmod(errors).failed == 0
