"""SEMANTICS 13: who waits on a queue that is deleted gets 2052."""

from __future__ import annotations

from penstock import Get, Open


def test_delete_ends_the_wait_of_a_one_shot_getter(qm, queue, run, spawn, waiting, fails) -> None:
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    run("DELETE QLOCAL(Q)")

    with fails(2052):
        future.result(60)


def test_the_end_of_a_temporary_queue_ends_the_wait_of_others(qm, spawn, waiting, fails) -> None:
    creator = qm.open("SYSTEM.DEFAULT.MODEL.QUEUE", Open.INPUT_SHARED, dynamic_name="TEMP.*")
    other = qm.open(creator.name, Open.BROWSE)
    future = spawn(other.get, options=Get.BROWSE_NEXT, wait=120.0)
    waiting(qm, creator.name)

    creator.close()

    with fails(2052):
        future.result(60)


def test_a_handle_on_a_deleted_queue_gets_2052(qm, fails) -> None:
    creator = qm.open("SYSTEM.DEFAULT.MODEL.QUEUE", Open.INPUT_SHARED, dynamic_name="TEMP.*")
    other = qm.open(creator.name, Open.BROWSE)
    creator.close()

    with fails(2052):
        other.get(options=Get.BROWSE_FIRST)
