"""Rules 1 to 3 of a structure, and the capacity that they give."""

from __future__ import annotations

from penstock.qmgr.sharing.offload_rules import (
    OffloadRule,
    cost_bytes,
    entries_max,
    is_offloaded,
    percent_full,
)

SIZE_BYTES = 512 << 20
AT_ONCE = (OffloadRule(0, 0), OffloadRule(0, 0), OffloadRule(0, 0))


def test_each_rule_begins_at_its_threshold_for_bodies_over_its_size() -> None:
    table = {
        (32 << 10, 70): False,
        ((32 << 10) + 1, 69.9): False,
        ((32 << 10) + 1, 70): True,
        (4 << 10, 89.9): False,
        ((4 << 10) + 1, 80): True,
        (200, 89.9): False,
        (200, 90): True,
    }
    assert {key: is_offloaded(*key) for key in table} == table


def test_bodies_over_63_kb_are_offloaded_always_and_tiny_ones_never() -> None:
    assert is_offloaded((63 << 10) + 1, 0)
    assert not is_offloaded(63 << 10, 0)
    assert not is_offloaded(121, 100, AT_ONCE)
    assert is_offloaded(122, 0, AT_ONCE)


def test_tiered_offload_holds_as_many_messages_of_16_kb_as_the_published_figure() -> None:
    used = count = 0
    while percent_full(used, SIZE_BYTES) < 100:
        offloaded = is_offloaded(16 << 10, percent_full(used, SIZE_BYTES))
        used += cost_bytes(16 << 10, offloaded)
        count += 1
    whole_only = SIZE_BYTES // cost_bytes(16 << 10, False)
    assert count >= 158_166  # published: 17,101 whole and 141,065 offloaded
    assert count / whole_only > 4
    assert entries_max(SIZE_BYTES) == 699_050
