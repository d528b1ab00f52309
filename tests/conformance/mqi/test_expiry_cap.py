"""SEMANTICS 1: CAPEXPRY (in CUSTOM) caps the expiry of each put, the lowest on the path wins."""

from __future__ import annotations

import time


def test_a_message_without_expiry_gets_the_cap(qm, run) -> None:
    run("DEFINE QLOCAL(C) CUSTOM('CAPEXPRY(30000)')")
    qm.put("C", b"x")

    assert 2500.0 < qm.get("C").expiry <= 3000.0


def test_a_shorter_expiry_stays(qm, run) -> None:
    run("DEFINE QLOCAL(C) CUSTOM('CAPEXPRY(30000)')")
    qm.put("C", b"x", expiry=1000.0)

    assert qm.get("C").expiry <= 1000.0


def test_a_longer_expiry_is_capped(qm, run) -> None:
    run("DEFINE QLOCAL(C) CUSTOM('CAPEXPRY(30000)')")
    qm.put("C", b"x", expiry=9000.0)

    assert qm.get("C").expiry <= 3000.0


def test_the_lowest_on_the_path_wins(qm, run) -> None:
    run("DEFINE QLOCAL(C) CUSTOM('CAPEXPRY(30000)')")
    run("DEFINE QALIAS(A) TARGET(C) CUSTOM('CAPEXPRY(10000)')")
    qm.put("A", b"x")

    assert qm.get("C").expiry <= 1000.0


def test_messages_that_are_there_are_untouched(qm, run) -> None:
    run("DEFINE QLOCAL(C)")
    qm.put("C", b"x")
    run("ALTER QLOCAL(C) CUSTOM('CAPEXPRY(1)')")

    assert qm.get("C").expiry is None


def test_a_capped_message_expires(qm, run) -> None:
    run("DEFINE QLOCAL(C) CUSTOM('CAPEXPRY(1)')")
    qm.put("C", b"x", persistent=True)
    time.sleep(0.11)

    assert qm.get("C") is None
