"""SEMANTICS 3, 13: GET(DISABLED) is 2016 for get and browse, on the queue or its alias."""

from __future__ import annotations

from penstock import Get, Open


def test_get_and_browse_are_refused(qm, queue, run, fails) -> None:
    qm.put(queue, b"stays")
    run("ALTER QLOCAL(Q) GET(DISABLED)")

    with fails(2016):
        qm.get(queue)
    with qm.open(queue) as handle:
        with fails(2016):
            handle.get()
        with fails(2016):
            handle.get(options=Get.BROWSE_FIRST)


def test_an_open_handle_goes_on_when_it_is_enabled_again(qm, queue, run, fails) -> None:
    qm.put(queue, b"stays")
    with qm.open(queue) as handle:
        run("ALTER QLOCAL(Q) GET(DISABLED)")
        with fails(2016):
            handle.get()
        run("ALTER QLOCAL(Q) GET(ENABLED)")
        assert handle.get().body == b"stays"


def test_an_alias_can_be_disabled_alone(qm, queue, run, fails) -> None:
    run("DEFINE QALIAS(A) TARGET(Q)")
    qm.put(queue, b"stays")
    with qm.open("A", Open.INPUT_SHARED) as handle:
        run("ALTER QALIAS(A) GET(DISABLED)")
        with fails(2016):
            handle.get()
    with fails(2016):
        qm.get("A")
    assert qm.get(queue).body == b"stays"


def test_a_unit_of_earlier_gets_can_still_commit(qm, queue, run) -> None:
    qm.put(queue, b"x")
    qm.begin()
    qm.get(queue)
    run("ALTER QLOCAL(Q) GET(DISABLED)")
    qm.commit()
    run("ALTER QLOCAL(Q) GET(ENABLED)")

    assert qm.get(queue) is None


def test_put_works_meanwhile(qm, queue, run) -> None:
    run("ALTER QLOCAL(Q) GET(DISABLED)")
    qm.put(queue, b"x")
    run("ALTER QLOCAL(Q) GET(ENABLED)")

    assert qm.get(queue).body == b"x"
