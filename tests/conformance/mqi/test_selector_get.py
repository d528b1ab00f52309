"""SEMANTICS 7: a get with a selector takes the first message for which it is true."""

from __future__ import annotations

import pytest


def test_the_first_message_that_suits_is_got(qm, queue) -> None:
    for weight in (1, 5, 9):
        qm.put(queue, b"%d" % weight, properties={"weight": weight})

    assert qm.get(queue, selector="weight > 3").body == b"5"
    assert [m.body for m in qm.browse(queue)] == [b"1", b"9"]


def test_nothing_suits(qm, queue, fails) -> None:
    qm.put(queue, b"x", properties={"weight": 1})

    assert qm.get(queue, selector="weight > 3") is None
    with qm.open(queue) as handle, fails(2033):
        handle.get(selector="weight > 3")


@pytest.mark.parametrize(
    "text",
    [
        "colour = 'red' AND weight BETWEEN 2 AND 4",
        "colour LIKE 'r_d'",
        "colour IN ('red', 'green')",
        "NOT colour = 'blue'",
        "weight * 2 = 6",
        "note IS NULL",
        "usr.colour <> 'blue'",
    ],
)
def test_the_language_is_the_sql_subset(qm, queue, text) -> None:
    qm.put(queue, b"blue", properties={"colour": "blue", "weight": 9, "note": "x"})
    qm.put(queue, b"red", properties={"colour": "red", "weight": 3})

    assert qm.get(queue, selector=text).body == b"red"


def test_a_waiting_get_has_a_selector(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=120.0, selector="n = 2")
    waiting(qm)

    qm.put(queue, b"1", properties={"n": 1})
    qm.put(queue, b"2", properties={"n": 2})

    assert future.result(60).body == b"2"
