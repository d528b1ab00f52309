"""SEMANTICS 7: properties are returned beside the data."""

from __future__ import annotations

import pytest

from penstock import Get

VALUES = {
    "flag": True,
    "count": 7,
    "ratio": 0.5,
    "name": "J\u00fcrgen",
    "raw": b"\x00\x01",
    "nothing": None,
    "app.level": "deep",
}


@pytest.mark.parametrize("options", [Get.NONE, Get.PROPERTIES_IN_HANDLE])
def test_they_come_with_their_types(qm, queue, options) -> None:
    qm.put(queue, b"body", properties=VALUES)

    with qm.open(queue) as handle:
        message = handle.get(options=options)

    assert (message.body, message.properties) == (b"body", VALUES)


def test_the_one_shot_get_returns_them(qm, queue) -> None:
    qm.put(queue, b"body", properties=VALUES)

    assert qm.get(queue).properties == VALUES


def test_a_browse_returns_them(qm, queue) -> None:
    qm.put(queue, b"body", properties=VALUES)

    assert next(qm.browse(queue)).properties == VALUES


def test_no_properties_is_none_or_empty(qm, queue) -> None:
    qm.put(queue, b"body")

    assert not qm.get(queue).properties


def test_what_the_putter_changes_later_does_not_matter(qm, queue) -> None:
    mine = {"n": 1}
    qm.put(queue, b"body", properties=mine)
    mine["n"] = 2

    assert qm.get(queue).properties == {"n": 1}


def test_they_survive_a_restart(embed) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    qm.put("Q", b"body", properties=VALUES, persistent=True)
    qm.host.abandon()

    assert embed().get("Q").properties == VALUES
