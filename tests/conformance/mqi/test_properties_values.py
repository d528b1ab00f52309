"""Message properties (section 7): every type survives put, get and restart."""

from __future__ import annotations

import pytest

VALUES = {
    "text": "red",
    "empty": "",
    "umlaut": "grün",
    "yes": True,
    "no": False,
    "small": 7,
    "negative": -7,
    "large": 2**40,
    "ratio": 1.5,
    "raw": b"\x00\xff",
    "nothing": None,
}


def test_values_and_types_are_kept(qm, queue):
    qm.put(queue, b"a", properties=VALUES)
    found = dict(qm.get(queue).properties)
    assert found == VALUES
    assert {name: type(value) for name, value in found.items()} == {n: type(v) for n, v in VALUES.items()}


def test_they_survive_a_restart(qm, embed, queue):
    qm.put(queue, b"a", properties=VALUES, persistent=True)
    qm.close()
    found = dict(embed().get(queue).properties)
    assert found == VALUES
    assert [type(found[name]) for name in ("yes", "small", "ratio", "raw")] == [bool, int, float, bytes]


@pytest.mark.parametrize("value", [2**63, [1], {"a": 1}, object(), "\ud800"])
def test_what_is_no_property_value_is_2473(qm, queue, fails, value):
    with fails(2473):
        qm.put(queue, b"a", properties={"p": value})
    assert qm.get(queue) is None


def test_changing_the_dict_afterwards_changes_nothing(qm, queue):
    given = {"colour": "red"}
    qm.put(queue, b"a", properties=given)
    given["colour"] = "blue"
    assert qm.get(queue).properties["colour"] == "red"
