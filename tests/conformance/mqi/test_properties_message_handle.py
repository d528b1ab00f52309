"""SEMANTICS 7: a message handle's properties go with a put and come back from a get."""

from __future__ import annotations

import penstock


def test_a_put_takes_the_properties_of_a_handle(qm, queue) -> None:
    handle = penstock.MessageHandle()
    handle.set("colour", "red")
    handle.set("size", 5)

    qm.put(queue, b"x", properties=handle)

    got = penstock.MessageHandle(qm.get(queue).properties)
    assert (got.inquire("colour").value, got.inquire("usr.size").value) == ("red", 5)


def test_what_is_set_after_the_put_changes_nothing(qm, queue) -> None:
    handle = penstock.MessageHandle({"colour": "red"})
    with qm.open(queue) as opened:
        opened.put(b"x", properties=handle)
    handle.set("colour", "green")

    assert qm.get(queue).properties == {"colour": "red"}


def test_a_closed_handle_is_refused_and_nothing_is_put(qm, queue, fails) -> None:
    handle = penstock.MessageHandle({"colour": "red"})
    handle.close()

    with fails(2460):
        qm.put(queue, b"x", properties=handle)
    assert qm.get(queue) is None
