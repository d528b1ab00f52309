"""Message ids: MQ's form, unique within a run and over restarts."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.model.ids import IdSource


def test_id_has_the_form_of_mq():
    made = IdSource("QM1", 1_700_000_000_000_000).next()

    assert type(made) is bytes
    assert len(made) == 24
    assert made[:16] == b"AMQ QM1         "


def test_long_name_is_cut_and_odd_characters_are_replaced():
    assert IdSource("PRODUCTION.QUEUE.MANAGER", 1).next()[:16] == b"AMQ PRODUCTION.Q"
    assert IdSource("ÄQM", 1).next()[:16] == b"AMQ ?QM         "


def test_ids_are_unique_and_ascend():
    source = IdSource("QM1", 5)

    ids = [source.next() for _ in range(100_000)]

    assert len(set(ids)) == len(ids)
    assert ids == sorted(ids)


def test_restart_a_microsecond_later_repeats_nothing():
    before, after = IdSource("QM1", 7), IdSource("QM1", 8)

    first = {before.next() for _ in range(4096)}
    second = {after.next() for _ in range(4096)}

    assert not first & second


@given(st.integers(min_value=0, max_value=2**70))
def test_any_seed_gives_valid_ids(seed):
    source = IdSource("QM1", seed)

    ids = {source.next() for _ in range(600)}

    assert len(ids) == 600
    assert {len(made) for made in ids} == {24}


def test_first_ids_of_a_start_are_as_documented():
    source = IdSource("QM1", 1)

    assert source.next()[16:] == bytes.fromhex("0000000000001000")
    assert source.next()[16:] == bytes.fromhex("0000000000001001")
