"""SEMANTICS 3: a get by correlation id."""

from __future__ import annotations


def test_the_oldest_of_that_id_is_got(qm, queue) -> None:
    for number in range(6):
        qm.put(queue, b"%d" % number, correl_id=b"even" if number % 2 == 0 else b"odd")

    assert [qm.get(queue, correl_id=b"odd").body for _ in range(3)] == [b"1", b"3", b"5"]


def test_a_message_that_a_unit_holds_is_passed_over(qm, queue, spawn) -> None:
    qm.put(queue, b"1", correl_id=b"k")
    qm.put(queue, b"2", correl_id=b"k")
    qm.begin()
    qm.get(queue, correl_id=b"k")

    other = spawn(qm.get, queue, correl_id=b"k").result(60)
    qm.backout()

    assert other.body == b"2"
    assert qm.get(queue, correl_id=b"k").body == b"1"


def test_a_handle_gets_by_correlation_id(qm, queue) -> None:
    qm.put(queue, b"a", correl_id=b"a")
    qm.put(queue, b"b", correl_id=b"b")

    with qm.open(queue) as handle:
        assert handle.get(correl_id=b"b").body == b"b"
