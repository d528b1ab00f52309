"""SEMANTICS 3: a get by id leaves the order of the others alone."""

from __future__ import annotations


def test_what_stays_is_got_in_its_old_order(qm, queue) -> None:
    for number in range(10):
        qm.put(queue, b"%d" % number, correl_id=b"%d" % number)
    for number in (4, 0, 9):
        qm.get(queue, correl_id=b"%d" % number)

    assert [qm.get(queue).body for _ in range(7)] == [b"1", b"2", b"3", b"5", b"6", b"7", b"8"]


def test_ids_are_found_whatever_was_got_in_between(qm, queue) -> None:
    ids = [b"%024d" % number for number in range(300)]
    for key in ids:
        qm.put(queue, key, correl_id=key)

    for key in ids[::3]:
        assert qm.get(queue, correl_id=key).body == key
    for key in ids[1::3]:
        assert qm.get(queue, correl_id=key).body == key

    assert [m.body for m in qm.browse(queue)] == ids[2::3]
