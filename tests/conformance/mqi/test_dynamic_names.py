"""Names of dynamic queues (section 14): patterns, 2011 and 2100."""

from __future__ import annotations

import pytest

MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"


def test_a_pattern_gets_a_unique_suffix(qm):
    with qm.open(MODEL, dynamic_name="REPLY.*") as handle:
        assert handle.name.startswith("REPLY.")
        assert len(handle.name) > len("REPLY.")


def test_a_full_name_is_taken_as_it_is(qm):
    with qm.open(MODEL, dynamic_name="MY.REPLIES") as handle:
        assert handle.name == "MY.REPLIES"


def test_a_name_that_exists_is_2100(qm, queue, fails):
    with fails(2100):
        qm.open(MODEL, dynamic_name=queue)


def test_33_characters_may_stand_before_the_asterisk(qm, fails):
    names = set()
    for _ in range(20):
        with qm.open(MODEL, dynamic_name="A" * 33 + "*") as handle:
            names.add(handle.name)
    assert len(names) == 20
    assert {len(name) for name in names} <= set(range(34, 49))
    with fails(2011):
        qm.open(MODEL, dynamic_name="A" * 34 + "*")


@pytest.mark.parametrize("pattern", ["", "BAD NAME*", "A*B", "Ü", "A" * 49])
def test_bad_patterns_are_refused(qm, fails, pattern):
    with fails(2011):
        qm.open(MODEL, dynamic_name=pattern)


def test_put_to_a_model_queue_makes_no_queue(qm, fails):
    before = len(qm.engine.queues)
    with fails(2085):
        qm.put(MODEL, b"a", priority=1)
    assert len(qm.engine.queues) == before
