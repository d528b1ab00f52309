"""MQReply: type, ids by report options, persistence, the reply queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import Flow, nodes
from penstock.model import constants as mq
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

BATCHES = pytest.mark.parametrize("batch", [1, 100])
MESSAGE, CORRELATION = b"m" * 24, b"c" * 24


def answered(**properties: Any) -> Flow:
    flow = Flow("answered")
    start, reply = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQReply(**properties))
    start.out >> reply.in_
    reply.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    reply.out >> flow.add(nodes.MQOutput("OUT2")).in_
    return flow


@BATCHES
@pytest.mark.parametrize(
    ("report", "message", "correlation"),
    [
        (mq.MQRO_NONE, None, MESSAGE),
        (mq.MQRO_PASS_CORREL_ID, None, CORRELATION),
        (mq.MQRO_PASS_MSG_ID, MESSAGE, MESSAGE),
        (mq.MQRO_PASS_MSG_ID | mq.MQRO_PASS_CORREL_ID, MESSAGE, CORRELATION),
    ],
)
def test_ids_follow_the_report_options(
    qm: Any, run: Callable[..., Any], batch: int, report: int, message: bytes | None, correlation: bytes
) -> None:
    ids = {"msg_id": MESSAGE, "correl_id": CORRELATION}
    qm.put("IN", b"x", **ids, msg_type=mq.MQMT_REQUEST, reply_to="OUT", report=report)
    run(answered(), batch=batch)
    got = qm.get("OUT")
    assert (got.body, got.msg_type, got.correl_id) == (b"x", mq.MQMT_REPLY, correlation)
    assert got.msg_id == message if message is not None else got.msg_id not in (MESSAGE, bytes(24))
    assert got.descriptor.report == 0


@BATCHES
def test_the_message_goes_on_as_it_was(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"x", msg_type=mq.MQMT_REQUEST, reply_to="OUT", msg_id=MESSAGE)
    run(answered(), batch=batch)
    got = qm.get("OUT2")
    assert (got.msg_id, got.msg_type) == (MESSAGE, mq.MQMT_REQUEST)


@BATCHES
def test_no_reply_queue_fails(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"x")
    run(answered(), batch=batch)
    assert bodies(qm, "FAILED") == [b"x"]


@BATCHES
def test_an_unknown_reply_queue_fails(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"x", reply_to="NOWHERE")
    run(answered(), batch=batch)
    assert bodies(qm, "FAILED") == [b"x"]


@BATCHES
@pytest.mark.parametrize(("persistence", "goes"), [("automatic", True), ("no", False), ("yes", True)])
def test_persistence(qm: Any, run: Callable[..., Any], batch: int, persistence: str, goes: bool) -> None:
    qm.put("IN", b"x", reply_to="OUT", persistent=True)
    run(answered(persistence=persistence), batch=batch)
    assert qm.get("OUT").persistent is goes


def test_a_request_gets_its_reply(qm: Any, run: Callable[..., Any]) -> None:
    receipt = qm.put("IN", b"x", reply_to="OUT", msg_type=mq.MQMT_REQUEST)
    run(answered())
    assert qm.get("OUT", correl_id=receipt.msg_id).body == b"x"
