"""Persistence (section 1): given, or the default of the first object on the path."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("default", "given", "expected"),
    [
        ("NO", None, False),
        ("YES", None, True),
        ("NO", True, True),
        ("YES", False, False),
    ],
)
def test_persistence_is_resolved_at_put(qm, run, default, given, expected):
    run(f"DEFINE QLOCAL(Q) DEFPSIST({default})")
    qm.put("Q", b"a", persistent=given)
    assert bool(qm.get("Q").persistent) is expected


def test_a_changed_default_does_not_touch_what_is_there(qm, embed, queue, run):
    qm.put(queue, b"old")
    run("ALTER QLOCAL(Q) DEFPSIST(YES)")
    qm.put(queue, b"new")
    qm.close()
    again = embed()
    assert again.get(queue).body == b"new"
    assert again.get(queue) is None
