"""Repository records: any order, loss and repetition of messages gives the same table."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.qmgr.clusters import record
from penstock.qmgr.clusters.record import DAY, ClusterClock, Key, Record, merged
from penstock.qmgr.clusters.repository import Repository
from penstock.qmgr.clusters.state import ClusterState, entry_of

KEY = Key("INVENTORY", "Q", "STOCK", "PARIS_1")
BODIES = st.one_of(st.none(), st.dictionaries(st.sampled_from("ab"), st.integers(0, 2), max_size=2))
RECORDS = st.builds(Record, st.integers(1, 4), BODIES, st.floats(0, 100), st.booleans())
KEYS = st.builds(
    Key, st.sampled_from("AB"), st.sampled_from("MQT"), st.sampled_from("xy"), st.sampled_from("pq")
)


@given(RECORDS, RECORDS)
def test_merging_is_commutative(one: Record, other: Record) -> None:
    assert merged(KEY, one, other) == merged(KEY, other, one)


@given(RECORDS, RECORDS, RECORDS)
def test_merging_is_associative(one: Record, two: Record, three: Record) -> None:
    left = merged(KEY, merged(KEY, one, two), three)

    assert left == merged(KEY, one, merged(KEY, two, three))


@given(RECORDS)
def test_merging_is_idempotent(one: Record) -> None:
    assert merged(KEY, one, one) == one


def test_hearsay_makes_no_record_younger() -> None:
    old, young = Record(3, {"a": 1}, 10.0), Record(3, {"a": 1}, 20.0)
    assert merged(KEY, old, young) == merged(KEY, young, old) == old


@given(st.lists(st.tuples(KEYS, RECORDS), max_size=12), st.randoms(use_true_random=False))
def test_tables_and_digests_are_equal_whatever_the_order(
    news: list[tuple[Key, Record]], chance: random.Random
) -> None:
    first, second = Repository(), Repository()
    again = [*news, *chance.sample(news, len(news) // 2)]
    chance.shuffle(again)

    for key, value in news:
        first.merge(key, value)
    for key, value in again:
        second.merge(key, value)

    assert first.records == second.records
    for cluster in "AB":
        mine, theirs = first.digests(cluster), second.digests(cluster)
        assert {owner: each[1:] for owner, each in mine.items()} == {o: e[1:] for o, e in theirs.items()}


@given(st.lists(st.tuples(KEYS, RECORDS), max_size=10))
def test_a_digest_is_that_of_the_records(news: list[tuple[Key, Record]]) -> None:
    table = Repository()
    for key, value in news:
        table.merge(key, value)

    for cluster, owner in {(key.cluster, key.owner) for key in table.records}:
        keys = table.owned(owner, cluster)
        assert table.digest(cluster, owner)[1:] == [len(keys), table.sum_of(keys)]
    for key in list(table.records):
        table.drop(key)
    assert not table.digests("A")
    assert not table.names("Q")


@given(st.lists(st.tuples(KEYS, RECORDS), max_size=10), st.integers(0, 10))
def test_a_restored_state_with_older_entries_again_is_the_same(
    news: list[tuple[Key, Record]], again: int
) -> None:
    state = ClusterState()
    for key, value in news:
        state.apply(entry_of(key, value))
    state.apply(["W", "Q", "STOCK", 7.0])
    state.apply(["I", "A", "Q", "STOCK", "PARIS_1", 3.0])
    state.apply(["V", 9])

    restored = ClusterState()
    restored.restore(state.snapshot())
    for key, value in news[:again]:
        restored.apply(entry_of(key, value))

    assert restored.repository.records == state.repository.records
    assert (restored.wanted, restored.interested, restored.counter) == (state.wanted, state.interested, 9)


@given(KEYS, RECORDS, st.floats(0, 1000))
def test_a_record_travels_with_its_age(key: Key, value: Record, elsewhere: float) -> None:
    there, arrived = record.unpack(record.pack(key, value, 100.0), elsewhere)

    assert there == key
    assert arrived._replace(born=0) == value._replace(born=0)
    assert elsewhere - arrived.born == pytest.approx(100.0 - value.born)


@pytest.mark.parametrize(
    "nonsense",
    [
        None,
        [],
        ["A"] * 8,
        ["A", "Q", "x", "p", 0, {}, 0, False],
        ["A", "Q", "x", "p", 1, {1: 2}, 0, False],
        ["A", "Z", "x", "p", 1, {}, 0, False],
        ["A", "Q", "x", "p", 1, {}, float("nan"), False],
        ["A", "Q", "x" * 49, "p", 1, {}, 0, False],
        ["A", "Q", "x", "p", 1 << 63, {}, 0, False],
    ],
)
def test_nonsense_of_another_queue_manager_is_refused(nonsense: Any) -> None:
    with pytest.raises(ValueError, match="record"):
        record.unpack(nonsense, 0.0)


def test_a_jump_of_the_clock_counts_as_one_day_at_most() -> None:
    clock = ClusterClock()
    clock.advance(1000.0)

    assert clock.advance(1010.0) == 10.0
    assert clock.advance(1010.0 + 91 * DAY) == 10.0 + DAY
    assert clock.advance(50.0) == 10.0 + DAY
    assert clock.advance(60.0) == 20.0 + DAY
