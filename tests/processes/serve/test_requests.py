"""Requests and their replies, in one call."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

import penstock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.served import Served

pytestmark = pytest.mark.installed


@pytest.fixture(params=["embedded", "tcp"])
def qm(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[penstock.QueueManager]:
    if request.param == "tcp":
        served: Served = request.getfixturevalue("served")
        with served.connect() as client:
            yield client  # type: ignore[misc]
        return
    with penstock.embed("QM1", create=True, home=tmp_path) as qm:
        qm.mqsc("DEFINE QLOCAL(APP.Q)\nDEFINE QLOCAL(APP.REPLIES)")
        yield qm


def answer(qm: penstock.QueueManager, count: int) -> threading.Thread:
    def work() -> None:
        for _ in range(count):
            message = qm.get("APP.Q", wait=60.0)
            if message is not None:
                seen.append(message)
                qm.put(message.reply_to, (message.body or b"").upper(), correl_id=message.msg_id)

    seen: list[penstock.Message] = []
    thread = threading.Thread(target=work)
    thread.seen = seen  # type: ignore[attr-defined]
    thread.start()
    return thread


def test_a_request_gets_its_reply(qm: penstock.QueueManager) -> None:
    server = answer(qm, 3)
    replies = [qm.request("APP.Q", body, "APP.REPLIES", wait=60.0) for body in (b"a", b"b", "text")]
    server.join()
    assert [reply.body for reply in replies if reply is not None] == [b"A", b"B", b"TEXT"]
    seen = server.seen  # type: ignore[attr-defined]
    assert [each.msg_type for each in seen] == [1, 1, 1]
    assert seen[2].format == "MQSTR"


def test_a_request_without_a_reply_is_none(qm: penstock.QueueManager) -> None:
    assert qm.request("APP.Q", b"nobody", "APP.REPLIES", wait=0.1) is None
    assert qm.get("APP.Q") is not None


def test_a_request_that_cannot_be_put_fails_at_once_and_once(qm: penstock.QueueManager) -> None:
    with pytest.raises(penstock.ObjectUnknown):
        qm.request("APP.NOT.THERE", b"", "APP.REPLIES", wait=60.0)
    with pytest.raises(penstock.ObjectUnknown):
        qm.request("APP.Q", b"", "APP.NOT.THERE", wait=60.0)
    while qm.get("APP.Q") is not None:
        pass
    qm.put("APP.Q", b"still working")
    assert qm.get("APP.Q") is not None


def test_fields_of_the_descriptor_travel_with_plain_puts(qm: penstock.QueueManager) -> None:
    for _ in range(3):
        qm.put("APP.Q", b"x", reply_to="APP.REPLIES", format="MYFORMAT", msg_type=1, correl_id=b"c" * 24)
    for _ in range(3):
        message = qm.get("APP.Q")
        assert message is not None
        assert (message.reply_to, message.format, message.msg_type) == ("APP.REPLIES", "MYFORMAT", 1)


def test_wrong_fields_are_refused_and_the_connection_goes_on(qm: penstock.QueueManager) -> None:
    for fields in ({"msg_type": 1}, {"format": "TOO LONG A NAME"}, {"report": 1 << 31}):
        with pytest.raises(penstock.MQError):
            qm.put("APP.Q", b"", **fields)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        qm.put("APP.Q", b"", colour="red")  # type: ignore[call-arg]
    assert qm.get("APP.Q") is None


def test_reports_asked_for_by_plain_puts_are_made(qm: penstock.QueueManager) -> None:
    for _ in range(2):
        qm.put("APP.Q", b"x", reply_to="APP.REPLIES", report=int(penstock.Report.COA))
        assert qm.get("APP.REPLIES", wait=60.0) is not None
        assert qm.get("APP.Q") is not None
