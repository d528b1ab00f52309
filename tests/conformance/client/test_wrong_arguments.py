"""Clause 5: an argument of the wrong kind is an MQError with one code, whichever way it is given.

The connection goes on afterwards, nothing was put, and no unit of work was left open.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq

pytestmark = pytest.mark.installed

CASES: list[tuple[int, str, tuple[Any, ...], dict[str, Any]]] = [
    (2090, "get", ("Q",), {"wait": "x"}),
    (2090, "get", ("Q",), {"wait": [1]}),
    (2090, "get", ("Q",), {"wait": float("nan")}),
    (2090, "get", ("Q",), {"wait": 10**400}),
    (2090, "get_many", ("Q", 5), {"wait": "x"}),
    (2090, "request", ("Q", b"x", "Q2"), {"wait": "x"}),
    (2085, "put", (7, b"x"), {}),
    (2085, "put", (["Q"], b"x"), {}),
    (2085, "put", ("\ud800", b"x"), {}),
    (2085, "put", ("Q" * 300, b"x"), {}),
    (2085, "get", ({},), {}),
    (2085, "get_many", (b"Q", 1), {}),
    (2085, "put_many", (None, [b"x"]), {}),
    (2085, "request", (None, b"x", "Q2"), {"wait": 0.01}),
    (2046, "get_many", ("Q", "five"), {}),
    (2046, "get_many", ("Q", 1.5), {}),
    (2004, "put", ("Q", 5), {}),
    (2004, "put_many", ("Q", 5), {}),
    (2004, "put_many", ("Q", "abc"), {}),
    (2004, "put_many", ("Q", [5]), {}),
    (2047, "put", ("Q", b"x"), {"persistent": "yes"}),
    (2047, "put_many", ("Q", [b"x"]), {"persistent": "yes"}),
    (2046, "put", ("Q", b"x"), {"options": "x"}),
    (2097, "put", ("Q", b"x"), {"context_from": "Q"}),
    (2473, "put", ("Q", b"x"), {"properties": 5}),
    (2026, "put", ("Q", b"x"), {"correl_id": "text"}),
    (2206, "get", ("Q",), {"msg_id": 5}),
    (2459, "get", ("Q",), {"selector": 5}),
    (2046, "open", ("Q", "x"), {}),
    (2085, "open", (5,), {}),
    (2459, "open", ("Q",), {"selector": 5}),
    (2046, "open", ("Q",), {"qmgr": 5}),
    (2046, "publish", ("t", b"x"), {"options": "x"}),
    (2046, "publish", ("t", b"x"), {"level": "x"}),
    (2046, "subscribe", ("t",), {"options": "x"}),
    (2046, "subscribe", ("t",), {"expiry": "x"}),
    (2050, "subscribe", ("t",), {"priority": 42}),
    (2046, "subscribe", ("t",), {"name": 5}),
    (2440, "subscribe", ("t",), {"durable": "\ud800"}),
    (2046, "mqsc", (5,), {}),
    (2046, "commit_prepared", (["x"],), {}),
    (2046, "explain_access", (["x"],), {}),
    (2046, "explain_route", (7,), {}),
    (2046, "trace", ("CHANNEL", 7), {}),
    (2046, "backup", (5,), {}),
    (2046, "backup", (b"folder",), {}),
    (2047, "put", ("Q", b"x"), {"persistent": 2}),
    (2047, "put_many", ("Q", [b"x"]), {"persistent": 2}),
    (2046, "put_messages", (5,), {}),
    (2046, "put_messages", ([("Q", "no message", "", 0)],), {}),
    (2046, "put_messages", ([("Q", penstock.Message(b"x"))],), {}),
]


@pytest.mark.parametrize(("reason", "verb", "given", "named"), CASES)
def test_a_wrong_argument_has_its_code(
    qm: Any, reason: int, verb: str, given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    if named.get("durable") and not isinstance(qm, penstock.QueueManager):
        reason = 2046  # it cannot even be sent
    with pytest.raises(penstock.MQError) as caught:
        getattr(qm, verb)(*given, **named)
    assert caught.value.reason == reason, caught.value
    qm.put("Q2", b"goes on")
    assert qm.get("Q2").body == b"goes on"
    assert qm.get("Q") is None
    with qm.unit_of_work():
        pass


@pytest.mark.parametrize(
    ("reason", "named"),
    [
        (2090, {"wait": "x"}),
        (2046, {"options": "x"}),
        (2046, {"seq_number": 10**30}),
        (2046, {"max_length": "x"}),
        (2331, {"token": 5}),
        (2459, {"selector": 5}),
    ],
)
def test_a_handle_refuses_alike(qm: Any, reason: int, named: dict[str, Any]) -> None:
    with qm.open("Q") as handle:
        with pytest.raises(penstock.MQError) as caught:
            handle.get(**named)
        assert caught.value.reason == reason, caught.value
        handle.put(b"goes on")
        assert handle.get().body == b"goes on"


def test_attributes_to_inquire_and_set_have_names(qm: Any, fails: Callable[[int], Any]) -> None:
    with qm.open("Q", mq.MQOO_INQUIRE | mq.MQOO_SET) as handle:
        with fails(2067):
            handle.inquire(1.5)
        with fails(2067):
            handle.set(5)
        assert handle.inquire("GET") == {"GET": "ENABLED"}


def test_an_argument_that_is_none_is_pythons_own_error(qm: Any) -> None:
    with pytest.raises(TypeError, match="colour"):
        qm.put("Q", b"x", colour="red")


@pytest.mark.parametrize("given", [0, 1])
def test_numbers_that_equal_truth_values_do_for_persistent(qm: Any, given: int) -> None:
    qm.put("Q", b"x", persistent=given)
    qm.put_many("Q", [b"x"], persistent=given)
    assert qm.request("Q", b"x", "Q2", wait=0.01, persistent=given) is None
    assert [each.persistent for each in qm.get_many("Q", 5)] == [bool(given)] * 3


class Names(enum.StrEnum):
    """Queues as programs like to name them."""

    ORDERS = "Q"


def test_a_member_of_an_enumeration_is_a_name(qm: Any) -> None:
    qm.put(Names.ORDERS, b"one")
    qm.put_many(Names.ORDERS, [b"two"])
    assert qm.get(Names.ORDERS).body == b"one"
    assert [message.body for message in qm.get_many(Names.ORDERS, 5)] == [b"two"]
