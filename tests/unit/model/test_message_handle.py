"""The message handle: setting, inquiring with a cursor, deleting, copying, use after deletion."""

import pytest

from penstock.model.constants import (
    MQCOPY_ALL,
    MQCOPY_DEFAULT,
    MQCOPY_FORWARD,
    MQCOPY_NONE,
    MQCOPY_REPLY,
    MQCOPY_REPORT,
    MQTYPE_INT8,
)
from penstock.model.errors import MQError
from penstock.model.message_handle import MessageHandle
from penstock.model.properties import Int8


def refused(reason, call, *arguments, **options):
    with pytest.raises(MQError) as caught:
        call(*arguments, **options)
    assert caught.value.reason == reason


def test_set_and_inquire():
    handle = MessageHandle()
    handle.set("size", Int8(5))
    found = handle.inquire("usr.size")
    assert (found.name, found.value, found.type, found.copy) == ("size", 5, MQTYPE_INT8, MQCOPY_DEFAULT)
    assert "size" in handle
    assert len(handle) == 1


def test_setting_again_keeps_the_place():
    handle = MessageHandle({"a": 1, "b": 2})
    handle.set("a", 3)
    assert handle.properties() == {"a": 3, "b": 2}
    assert list(handle.properties()) == ["a", "b"]


def test_bad_names_values_and_copy_options_are_refused():
    handle = MessageHandle()
    refused(2442, handle.set, "JMSFoo", 1)
    refused(2513, handle.set, "", 1)
    refused(2473, handle.set, "a", [1])
    refused(2482, handle.set, "a", 1, copy=1024)
    assert len(handle) == 0


def test_a_handle_without_validation_takes_any_name():
    handle = MessageHandle(validate=False)
    handle.set("JMS_IBM_Format", "MQSTR")
    assert handle.inquire("JMS_IBM_Format").value == "MQSTR"


def test_missing_property_raises_2471():
    handle = MessageHandle({"a": 1})
    refused(2471, handle.inquire, "b")
    refused(2471, handle.delete, "b")
    refused(2471, handle.first, "x%")


def test_cursor_goes_through_what_matches_in_order_of_setting():
    handle = MessageHandle({"a1": 1, "b": 2, "a2": 3, "f.a3": 4})
    assert handle.first("a%").name == "a1"
    assert handle.next("a%").name == "a2"
    refused(2471, handle.next, "a%")
    assert [each.name for each in handle.matching("usr.%")] == ["a1", "b", "a2"]
    assert [each.name for each in handle.matching("%")] == ["a1", "b", "a2", "f.a3"]
    assert handle.first("f.%").value == 4


def test_deleting_under_the_cursor_goes_on_with_the_next():
    handle = MessageHandle({"a": 1, "b": 2, "c": 3})
    handle.first()
    handle.next()
    handle.delete("b")
    assert handle.next().name == "c"
    handle.first()
    handle.delete("a")
    assert handle.next().name == "c"


def test_copy_options_decide_what_goes_along():
    handle = MessageHandle({"default": 1})
    handle.set("all", 2, copy=MQCOPY_ALL)
    handle.set("none", 3, copy=MQCOPY_NONE)
    handle.set("reply", 4, copy=MQCOPY_REPLY)
    assert handle.copied(MQCOPY_FORWARD) == {"default": 1, "all": 2}
    assert handle.copied(MQCOPY_REPLY) == {"all": 2, "reply": 4}
    assert handle.copied(MQCOPY_REPORT) == {"default": 1, "all": 2}


def test_replace_holds_what_a_get_brought():
    handle = MessageHandle({"old": 1})
    handle.replace({"new": 2})
    assert handle.properties() == {"new": 2}


def test_use_after_close_raises_2460():
    handle = MessageHandle({"a": 1})
    handle.close()
    for call, arguments in (
        (handle.set, ("a", 1)),
        (handle.inquire, ("a",)),
        (handle.delete, ("a",)),
        (handle.first, ()),
        (handle.properties, ()),
        (handle.close, ()),
        (handle.__enter__, ()),
    ):
        refused(2460, call, *arguments)


def test_a_handle_in_use_by_a_call_raises_2499():
    handle = MessageHandle()
    with handle:
        refused(2499, handle.close)
        refused(2499, handle.__enter__)
    handle.close()
