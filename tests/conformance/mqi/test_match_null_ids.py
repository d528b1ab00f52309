"""SEMANTICS 3: an id of zeros matches anything; ids are 24 bytes."""

from __future__ import annotations

import pytest


def test_zeros_match_anything(qm, queue) -> None:
    qm.put(queue, b"a", correl_id=b"set")

    assert qm.get(queue, correl_id=bytes(24), msg_id=bytes(24)).body == b"a"


def test_zeros_match_anything_for_handles(qm, queue) -> None:
    qm.put(queue, b"a", correl_id=b"set")

    with qm.open(queue) as handle:
        assert handle.get(correl_id=bytes(24), msg_id=bytes(24), group_id=bytes(24)).body == b"a"


def test_short_ids_are_padded_with_zeros(qm, queue) -> None:
    qm.put(queue, b"a", correl_id=b"short" + bytes(19))

    assert qm.get(queue, correl_id=b"short").correl_id == b"short" + bytes(19)


@pytest.mark.parametrize(("field", "reason"), [("msg_id", 2206), ("correl_id", 2207), ("group_id", 2258)])
def test_an_id_that_is_too_long_is_refused(qm, queue, fails, field, reason) -> None:
    with qm.open(queue) as handle, fails(reason):
        handle.get(**{field: b"x" * 25})


@pytest.mark.parametrize(("field", "reason"), [("msg_id", 2206), ("correl_id", 2207)])
def test_the_one_shot_get_refuses_it_too(qm, queue, fails, field, reason) -> None:
    with fails(reason):
        qm.get(queue, **{field: b"x" * 25})
