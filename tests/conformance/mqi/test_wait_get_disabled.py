"""SEMANTICS 3: GET(DISABLED) wakes waiters with 2016."""

from __future__ import annotations

from penstock import Get, Open


def test_the_one_shot_getter_gets_2016(qm, queue, run, spawn, waiting, fails) -> None:
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    run("ALTER QLOCAL(Q) GET(DISABLED)")

    with fails(2016):
        future.result(60)


def test_a_handle_gets_2016(qm, queue, run, spawn, waiting, fails) -> None:
    with qm.open(queue) as handle:
        future = spawn(handle.get, wait=120.0)
        waiting(qm)
        run("ALTER QLOCAL(Q) GET(DISABLED)")
        with fails(2016):
            future.result(60)


def test_a_browser_that_waits_gets_2016(qm, queue, spawn, waiting, fails) -> None:
    with qm.open(queue, Open.BROWSE | Open.SET) as handle:
        future = spawn(handle.get, options=Get.BROWSE_NEXT, wait=120.0)
        waiting(qm)
        handle.set(GET="DISABLED")
        with fails(2016):
            future.result(60)


def test_a_getter_through_an_alias_gets_2016_when_the_alias_is_disabled(
    qm, queue, run, spawn, waiting, fails
) -> None:
    run("DEFINE QALIAS(A) TARGET(Q)")
    future = spawn(qm.get, "A", wait=120.0)
    waiting(qm)

    run("ALTER QALIAS(A) GET(DISABLED)")

    with fails(2016):
        future.result(60)
