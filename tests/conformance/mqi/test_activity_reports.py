"""MQRO_ACTIVITY and trace-route messages: what a queue manager records of them, ACTIVREC and ROUTEREC."""

from __future__ import annotations

import time
from typing import Any

import pytest

from penstock.model import constants as mq
from penstock.model.embedded_pcf import unpack_embedded
from penstock.model.errors import MQError
from penstock.model.message import Descriptor, Message
from penstock.model.onward import Onward
from penstock.model.pcf_parameters import Group
from penstock.model.trace_route import TraceRoute, TraceRouteMessage, read_trace_route
from penstock.qmgr.channels import delivery

ASKED = mq.MQRO_ACTIVITY | mq.MQRO_DISCARD_MSG
ADMIN = Descriptor(format=mq.MQFMT_ADMIN)
COME_BY = {"channel": "A.B", "kind": "RCVR"}


def values(group: Group) -> dict[int, Any]:
    return {
        each.id: each.value.rstrip() if isinstance(each.value, str) else each.value  # type: ignore[union-attr]
        for each in group.parameters
        if not isinstance(each, Group)
    }


def operations(activity: Group) -> list[dict[int, Any]]:
    found = [each for each in activity.parameters if each.id == mq.MQGACF_OPERATION]
    return [values(each) for each in found if isinstance(each, Group)]


def report(qm: Any, queue: str) -> tuple[Message, Group]:
    """The next activity report, and its activity."""
    message = qm.get(queue)
    pcf = unpack_embedded(message.body, message.descriptor.encoding, message.descriptor.ccsid).pcf
    assert (pcf.type, pcf.version, pcf.command) == (mq.MQCFT_REPORT, 3, mq.MQCMD_ACTIVITY_MSG)
    (activity,) = pcf.parameters
    assert isinstance(activity, Group)
    return message, activity


@pytest.fixture
def back(run: Any) -> str:
    run("DEFINE QLOCAL(BACK) REPLACE\nCLEAR QLOCAL(BACK)")
    return "BACK"


@pytest.fixture
def arrive(qm: Any) -> Any:
    """Bring a message as a channel does."""

    def arrive(queue: str, body: bytes, described: Descriptor, qmgr: str = "QM1") -> None:
        message = Message(body, b"m" * 24, b"c" * 24, descriptor=described, put_time=time.time())
        with qm.gate:
            onward, now = Onward(queue, qmgr, described), time.time()
            how = delivery.Delivery(**COME_BY)
            places = delivery.Destinations(qm.engine, how)
            places.partner_name = "QM0"
            try:
                delivery.put(qm.engine, places, onward, message, None, now)
            except MQError as failure:
                delivery.give_up(qm.engine, onward, message, failure, None, now, how)

    return arrive


def traced(**wanted: Any) -> bytes:
    return TraceRouteMessage(TraceRoute(**wanted)).body(ADMIN)


def test_a_report_says_what_a_channel_did(qm: Any, queue: str, back: str, arrive: Any) -> None:
    arrive(queue, b"order", Descriptor(report=mq.MQRO_ACTIVITY, reply_to=back))
    assert qm.get(queue).body == b"order"
    message, activity = report(qm, back)
    described = message.descriptor
    assert (described.msg_type, described.feedback) == (mq.MQMT_REPORT, mq.MQFB_ACTIVITY)
    assert (described.format, message.correl_id) == (mq.MQFMT_EMBEDDED_PCF, b"m" * 24)
    received, put = operations(activity)
    assert received[mq.MQIACF_OPERATION_TYPE] == mq.MQOPER_RECEIVE
    assert received[mq.MQCACH_CHANNEL_NAME] == "A.B"
    assert received[mq.MQIACH_CHANNEL_TYPE] == mq.MQCHT_RECEIVER
    assert received[mq.MQCA_REMOTE_Q_MGR_NAME] == "QM0"
    assert put[mq.MQIACF_OPERATION_TYPE] == mq.MQOPER_PUT
    assert (put[mq.MQCA_Q_NAME], put[mq.MQCA_Q_MGR_NAME]) == (queue, "QM1")


def test_a_traced_message_is_delivered_only_if_it_asks_for_that(
    qm: Any, queue: str, back: str, arrive: Any
) -> None:
    described = ADMIN.replace(report=ASKED, reply_to=back)
    arrive(queue, traced(), described)
    assert qm.get(queue) is None
    last = operations(report(qm, back)[1])[-1]
    assert last[mq.MQIACF_OPERATION_TYPE] == mq.MQOPER_DISCARD
    assert last[mq.MQIACF_FEEDBACK] == mq.MQFB_NOT_DELIVERED
    arrive(queue, traced(deliver=mq.MQROUTE_DELIVER_YES), described)
    got = read_trace_route(qm.get(queue).body, ADMIN)
    assert got is not None
    assert got.route.recorded == 1


@pytest.mark.parametrize("deliver", [mq.MQROUTE_DELIVER_YES, mq.MQROUTE_DELIVER_NO])
def test_a_reply_has_what_was_collected(qm: Any, queue: str, back: str, arrive: Any, deliver: int) -> None:
    body = traced(accumulate=mq.MQROUTE_ACCUMULATE_AND_REPLY, deliver=deliver)
    arrive(queue, body, ADMIN.replace(reply_to=back, msg_type=mq.MQMT_REQUEST))
    message = qm.get(back)
    assert (message.descriptor.msg_type, message.descriptor.feedback) == (mq.MQMT_REPLY, 0)
    assert message.correl_id == b"m" * 24
    found = read_trace_route(message.body, ADMIN)
    assert found is not None
    (activity,) = found.others
    assert isinstance(activity, Group)
    assert len(operations(activity)) == 2
    assert qm.get(back) is None  # no report was asked for
    got = qm.get(queue)
    assert (got is not None) == (deliver == mq.MQROUTE_DELIVER_YES)
    assert got is None or got.body == message.body


def test_a_put_by_a_program_is_stopped_at_its_queue(qm: Any, queue: str, back: str) -> None:
    qm.put(queue, traced(), format="MQADMIN", report=ASKED, reply_to=back)
    assert qm.get(queue) is None
    (only,) = operations(report(qm, back)[1])
    assert (only[mq.MQIACF_OPERATION_TYPE], only[mq.MQCA_Q_NAME]) == (mq.MQOPER_DISCARD, queue)


def test_a_put_in_a_unit_reports_when_the_unit_commits(qm: Any, queue: str, back: str) -> None:
    with qm.unit_of_work() as unit:
        qm.put(queue, traced(), format="MQADMIN", report=ASKED, reply_to=back)
        unit.backout()
    assert qm.get(back) is None
    with qm.unit_of_work():
        qm.put(queue, traced(), format="MQADMIN", report=ASKED, reply_to=back)
        assert depth(qm, back) == 1
    assert report(qm, back)


def depth(qm: Any, queue: str) -> int:
    return int(qm.engine.queues[queue].depth)


def test_a_message_is_discarded_after_as_many_activities_as_it_allows(
    qm: Any, queue: str, back: str, arrive: Any
) -> None:
    body = traced(recorded=4, activities_max=4, deliver=mq.MQROUTE_DELIVER_YES)
    arrive(queue, body, ADMIN.replace(report=ASKED, reply_to=back))
    assert qm.get(queue) is None
    assert operations(report(qm, back)[1])[-1][mq.MQIACF_FEEDBACK] == mq.MQFB_MAX_ACTIVITIES


@pytest.mark.parametrize(
    ("wanted", "feedback"), [({"deliver": 0x10000}, mq.MQFB_UNSUPPORTED_DELIVERY), ({"detail": 2}, 0)]
)
def test_unknown_wishes_and_low_detail(
    qm: Any, queue: str, back: str, arrive: Any, wanted: dict[str, int], feedback: int
) -> None:
    arrive(
        queue,
        traced(**{"deliver": mq.MQROUTE_DELIVER_YES, **wanted}),
        ADMIN.replace(report=ASKED, reply_to=back),
    )
    got = qm.get(queue)
    if feedback:
        assert got is None
        assert operations(report(qm, back)[1])[-1][mq.MQIACF_FEEDBACK] == feedback
    else:  # only programs record at this level
        counted = read_trace_route(got.body, ADMIN)
        assert counted is not None
        assert (counted.route.recorded, counted.route.unrecorded) == (0, 1)
        assert qm.get(back) is None


def test_what_cannot_be_put_is_reported_with_the_reason(qm: Any, back: str, arrive: Any, run: Any) -> None:
    run("DEFINE QLOCAL(DEAD) REPLACE\nALTER QMGR DEADQ(DEAD)")
    arrive("NOWHERE", traced(), ADMIN.replace(report=ASKED, reply_to=back))
    (only,) = operations(report(qm, back)[1])
    assert only[mq.MQIACF_OPERATION_TYPE] == mq.MQOPER_DISCARD
    assert only[mq.MQIACF_FEEDBACK] == mq.MQRC_UNKNOWN_OBJECT_NAME
    assert qm.get("DEAD") is None
    arrive("NOWHERE", b"x", Descriptor(report=mq.MQRO_ACTIVITY, reply_to=back))
    (only,) = operations(report(qm, back)[1])
    assert (only[mq.MQIACF_OPERATION_TYPE], only[mq.MQCA_Q_NAME]) == (mq.MQOPER_PUT, "DEAD")
    assert qm.get("DEAD") is not None


def test_activrec_says_where_reports_go(qm: Any, queue: str, back: str, arrive: Any, run: Any) -> None:
    described = Descriptor(report=mq.MQRO_ACTIVITY, reply_to=back)
    run("ALTER QMGR ACTIVREC(QUEUE)")
    try:
        arrive(queue, b"1", described)
        assert qm.get(back) is None
        assert report(qm, "SYSTEM.ADMIN.ACTIVITY.QUEUE")
        run("ALTER QMGR ACTIVREC(DISABLED)")
        arrive(queue, b"2", described)
        assert qm.get(back) is None
        assert qm.get("SYSTEM.ADMIN.ACTIVITY.QUEUE") is None
        assert [qm.get(queue).body for _ in range(2)] == [b"1", b"2"]
    finally:
        run("ALTER QMGR ACTIVREC(MSG)")


def test_routerec_says_where_replies_go(qm: Any, queue: str, back: str, arrive: Any, run: Any) -> None:
    body, described = traced(accumulate=mq.MQROUTE_ACCUMULATE_AND_REPLY), ADMIN.replace(reply_to=back)
    run("ALTER QMGR ROUTEREC(QUEUE)")
    try:
        arrive(queue, body, described)
        assert qm.get(back) is None
        assert qm.get("SYSTEM.ADMIN.TRACE.ROUTE.QUEUE") is not None
        run("ALTER QMGR ROUTEREC(DISABLED)")
        arrive(queue, body, described)
        assert qm.get(back) is None
        assert qm.get("SYSTEM.ADMIN.TRACE.ROUTE.QUEUE") is None
        assert qm.get(queue) is None  # it is still not delivered
    finally:
        run("ALTER QMGR ROUTEREC(MSG)")


def test_pcf_that_is_no_trace_route_message_goes_its_way(qm: Any, queue: str, arrive: Any) -> None:
    arrive(queue, b"\0" * 50, ADMIN)
    qm.put(queue, b"\1" * 50, format="MQADMIN")
    assert [qm.get(queue).body for _ in range(2)] == [b"\0" * 50, b"\1" * 50]
