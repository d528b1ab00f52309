"""A program that reads a transmission queue sees MQXQH in front of the body, whatever way it comes by."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.model.headers import TransmissionHeader

pytestmark = pytest.mark.installed

DEFINITIONS = """
DEFINE QLOCAL(FAR) USAGE(XMITQ) DEFREADA(YES) REPLACE
DEFINE QREMOTE(R) RNAME(ORDERS) RQMNAME(FAR) REPLACE
"""


@pytest.fixture
def remote(qm: Any) -> Any:
    """The connection, with a remote queue R whose transmission queue FAR is empty."""
    assert not any(reply.failed for reply in qm.mqsc(DEFINITIONS))
    assert not any(reply.failed for reply in qm.mqsc("CLEAR QLOCAL(FAR)"))
    return qm


def original(message: Any) -> bytes:
    header = TransmissionHeader.unpack(message.body)
    assert (header.queue, header.qmgr, message.format) == ("ORDERS", "FAR", "MQXMIT")
    return bytes(message.body[428:])


@pytest.mark.parametrize("persistent", [True, False])
def test_every_verb_that_reads_shows_the_header(remote: Any, persistent: bool) -> None:
    bodies = [b"%d" % number for number in range(6)]
    for body in bodies:
        remote.put("R", body, persistent=persistent)

    assert [original(message) for message in remote.browse("FAR")] == bodies
    with remote.unit_of_work():  # first: what is read ahead afterwards is in no unit
        assert original(remote.get("FAR")) == b"0"
    assert [original(message) for message in remote.get_many("FAR", 2)] == bodies[1:3]
    assert [original(remote.get("FAR", wait=60.0)) for _ in range(3)] == bodies[3:]
    assert remote.get("FAR") is None
