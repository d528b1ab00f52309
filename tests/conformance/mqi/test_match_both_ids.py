"""SEMANTICS 3: message id and correlation id must both fit."""

from __future__ import annotations


def test_both_must_match(qm, queue) -> None:
    qm.put(queue, b"only message id", msg_id=b"m", correl_id=b"x")
    qm.put(queue, b"only correlation id", msg_id=b"y", correl_id=b"c")
    qm.put(queue, b"both", msg_id=b"m", correl_id=b"c")

    assert qm.get(queue, msg_id=b"m", correl_id=b"c").body == b"both"
    assert qm.get(queue, msg_id=b"m", correl_id=b"c") is None


def test_ids_and_selector_must_all_match(qm, queue) -> None:
    for size in (1, 2, 3):
        qm.put(queue, b"%d" % size, correl_id=b"c", properties={"size": size})

    assert qm.get(queue, correl_id=b"c", selector="size > 1").body == b"2"
