"""Names of message properties (section 7): 2442 for bad ones, 2513 for long ones."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "1a",
        "a.",
        ".a",
        "a..b",
        "a-b",
        "NULL",
        "true",
        "Not",
        "AND",
        "between",
        "escape",
        "JMSFoo",
        "JMSPriority",
        "usr.JMSFoo",
        "Body.x",
        "Root.y",
    ],
)
def test_bad_names_are_refused(qm, queue, fails, name):
    with fails(2442):
        qm.put(queue, b"a", properties={name: 1})


@pytest.mark.parametrize(
    "name", ["a", "_a", "$a", "a1", "größe", "a.b.c", "usr.colour", "nullable", "mcd.Type"]
)
def test_good_names_are_taken(qm, queue, name):
    qm.put(queue, b"a", properties={name: "x"})
    assert list(qm.get(queue).properties.values()) == ["x"]


@pytest.mark.parametrize("name", ["", "a" * 4096])
def test_names_have_1_to_4095_characters(qm, queue, fails, name):
    with fails(2513):
        qm.put(queue, b"a", properties={name: 1})


def test_names_are_case_sensitive(qm, queue):
    qm.put(queue, b"a", properties={"colour": "red", "Colour": "blue"})
    assert dict(qm.get(queue).properties) == {"colour": "red", "Colour": "blue"}


def test_folder_usr_is_the_default(qm, queue):
    qm.put(queue, b"a", properties={"usr.colour": "red"})
    assert dict(qm.get(queue).properties) == {"colour": "red"}


def test_jms_synonyms_that_may_be_set_are(qm, queue):
    qm.put(queue, b"a", properties={"JMSType": "order"})
    assert dict(qm.get(queue).properties) == {"mcd.Type": "order"}
