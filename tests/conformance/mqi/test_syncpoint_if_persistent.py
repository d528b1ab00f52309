"""SEMANTICS 3: SYNCPOINT_IF_PERSISTENT puts only persistent messages into the unit."""

from __future__ import annotations

from penstock import Get


def test_a_persistent_message_returns_on_backout(qm, queue) -> None:
    qm.put(queue, b"p", persistent=True)

    with qm.open(queue) as handle:
        handle.get(options=Get.SYNCPOINT_IF_PERSISTENT)
        qm.backout()

    assert qm.get(queue).body == b"p"


def test_another_message_is_gone_at_once(qm, queue) -> None:
    qm.put(queue, b"n", persistent=False)

    with qm.open(queue) as handle:
        handle.get(options=Get.SYNCPOINT_IF_PERSISTENT)
        qm.backout()

    assert qm.get(queue) is None


def test_no_unit_is_left_open_by_a_message_outside_it(qm, queue) -> None:
    qm.put(queue, b"n", persistent=False)
    with qm.open(queue) as handle:
        handle.get(options=Get.SYNCPOINT_IF_PERSISTENT)

    with qm.unit_of_work():
        qm.put(queue, b"next")
    assert qm.get(queue).body == b"next"


def test_it_can_get_what_the_unit_put_itself(qm, queue) -> None:
    with qm.open(queue) as handle:
        qm.begin()
        handle.put(b"mine", persistent=False)
        message = handle.get(options=Get.SYNCPOINT_IF_PERSISTENT)
        qm.commit()

    assert message.body == b"mine"
    assert qm.get(queue) is None
