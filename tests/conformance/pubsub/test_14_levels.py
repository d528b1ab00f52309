"""SUBLEVEL and the level of a publication (section 8): the highest level that is not above it gets it."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(("level", "who"), [(9, 5), (5, 5), (4, 3), (3, 3), (2, 1), (1, 1), (0, 0)])
def test_only_the_highest_level_reached(qm, bodies, level, who):
    subs = {number: qm.subscribe("a/#", level=number) for number in (0, 1, 3, 5)}
    qm.publish("a/b", b"m", level=level)
    assert {number for number, sub in subs.items() if bodies(sub)} == {who}


def test_all_of_one_level(qm, bodies):
    with qm.subscribe("a", level=2) as one, qm.subscribe("#", level=2) as two, qm.subscribe("a") as low:
        qm.publish("a", b"m")
        assert [len(bodies(sub)) for sub in (one, two, low)] == [1, 1, 0]


def test_an_interceptor_sends_on_with_a_lower_level(qm, bodies):
    with qm.subscribe("a", level=3) as interceptor, qm.subscribe("a") as sub:
        qm.publish("a", b"m")
        seen = interceptor.get()
        qm.publish("a", seen.body + b"!", level=2)
        message = sub.get()
        assert (message.body, message.properties["MQPubLevel"]) == (b"m!", 2)
        assert interceptor.get() is None


def test_levels_out_of_range(qm, fails):
    with fails(2512):
        qm.subscribe("a", level=10)
    with fails(2046):
        qm.publish("a", b"m", level=10)
