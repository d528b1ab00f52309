"""An uncommitted put: seen by its own unit alone, counted in CURDEPTH and MAXDEPTH (SEMANTICS §4)."""

from __future__ import annotations

from typing import Any


def test_uncommitted_put_is_invisible_to_get_and_browse(qm: Any, queue: str, spawn: Any) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"mine", persistent=True)

        assert spawn(qm.get, queue).result(60) is None
        assert spawn(lambda: list(qm.browse(queue))).result(60) == []
        assert list(qm.browse(queue)) == []

    assert [m.body for m in qm.browse(queue)] == [b"mine"]


def test_unit_gets_its_own_put_and_it_never_appears(qm: Any, queue: str) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"mine", persistent=True)
        assert qm.get(queue).body == b"mine"
        assert qm.get(queue) is None

    assert list(qm.browse(queue)) == []
    assert qm.engine.queues[queue].depth == 0


def test_what_others_put_comes_before_the_own_put(qm: Any, queue: str, spawn: Any) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"own")
        spawn(qm.put, queue, b"theirs").result(60)

        assert [qm.get(queue).body, qm.get(queue).body] == [b"theirs", b"own"]


def test_uncommitted_put_counts_in_the_depth(qm: Any, queue: str, run: Any, fails: Any) -> None:
    run(f"ALTER QLOCAL({queue}) MAXDEPTH(1)")
    qm.begin()
    qm.put(queue, b"one")

    with fails(2053):
        qm.put(queue, b"two")
    assert qm.mqsc(f"DISPLAY QLOCAL({queue}) CURDEPTH")[0].attributes["CURDEPTH"] in (1, "1")

    qm.backout()
    assert qm.engine.queues[queue].depth == 0
