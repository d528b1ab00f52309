"""Verbs of every day on shared queues: subscriptions, events, reports, flows, aliases; as on private ones."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from penstock import Report
from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.running.listener import listener_for
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.pcf import decode_pcf
from tests.patience import until
from tests.shared_groups import Members


def test_a_subscription_delivers_to_a_shared_queue(pair: Members) -> None:
    """A publication in a unit comes with its commit; the subscription is there after a restart."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.mqsc("DEFINE SUB(PRICES) TOPICSTR('prices/#') DEST(ORDERS)", check=True)
    one.publish("prices/tea", b"1", persistent=True)
    assert two.get("ORDERS", wait=60).body == b"1"
    with one.unit_of_work() as unit:
        one.publish("prices/tea", b"2")
        assert two.get("ORDERS") is None
        unit.backout()
    with one.unit_of_work():
        one.publish("prices/tea", b"3")
    assert two.get("ORDERS", wait=60).body == b"3"
    one.close()
    one = pair.start("QM1")
    one.publish("prices/tea", b"4")
    assert two.get("ORDERS", wait=60).body == b"4"


def test_depth_events_come_where_the_messages_are_put_and_got(pair: Members) -> None:
    marks = {"MAXDEPTH": 10, "QDEPTHHI": 80, "QDEPTHLO": 20}
    events = dict.fromkeys(("QDPHIEV", "QDPLOEV", "QDPMAXEV"), "ENABLED")
    pair.share("SMALL", **marks, **events)
    one = pair.here["QM1"]
    one.mqsc("ALTER QMGR PERFMEV(ENABLED)", check=True)
    for _ in range(10):
        one.put("SMALL", b"a")
    with pytest.raises(MQError, match="2053"):
        one.put("SMALL", b"a")
    for _ in range(9):
        one.get("SMALL")
    found = [decode_pcf(event.body).reason for event in one.get_many("SYSTEM.ADMIN.PERFM.EVENT", 10)]
    assert found == [mq.MQRC_Q_DEPTH_HIGH, mq.MQRC_Q_FULL, mq.MQRC_Q_DEPTH_LOW]


def test_each_report_comes_once(pair: Members) -> None:
    """Of an expired message, too, whichever member discards it."""
    pair.share("REPLIES")
    one, two = pair.here["QM1"], pair.here["QM2"]
    wanted = {"reply_to": "REPLIES", "msg_type": mq.MQMT_REQUEST}
    one.put("ORDERS", b"short", expiry=0.1, report=Report.EXPIRATION_WITH_FULL_DATA, **wanted)
    one.put("ORDERS", b"got", priority=9, report=Report.COA | Report.COD, **wanted)
    assert two.get("ORDERS").body == b"got"
    found = [two.get("REPLIES", wait=60) for _ in range(3)]
    assert {each.feedback for each in found} == {mq.MQFB_COA, mq.MQFB_COD, mq.MQFB_EXPIRATION}
    assert [each.body for each in found if each.feedback == mq.MQFB_EXPIRATION] == [b"short"]
    until(lambda: pair.rows("select count(*) from n") == [(0,)])


def test_an_alias_a_remote_definition_and_a_list_lead_to_shared_queues(pair: Members) -> None:
    pair.share("OTHERS")
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.mqsc("DEFINE QALIAS(AL) TARGET(ORDERS)", check=True)
    one.mqsc("DEFINE QREMOTE(RE) RNAME(OTHERS) RQMNAME(QM2)", check=True)
    until(lambda: "QM2" in one.host.sharing.sharing.names)
    one.put_list(["AL", "RE"], b"both")
    assert two.get("ORDERS").body == b"both"
    assert two.get("OTHERS").body == b"both"
    two.put("ORDERS", b"back")
    assert one.get("AL").body == b"back"


def test_a_flow_serves_a_shared_queue_at_each_member(pair: Members, tmp_path: Path) -> None:
    """Inline, in batches; two listeners of two members share the work, and each message is there once."""
    pair.share("RESULTS")
    one, two = pair.here["QM1"], pair.here["QM2"]
    flow = Flow("straight")
    flow.add(nodes.MQInput("ORDERS")).out >> flow.add(nodes.MQOutput("RESULTS")).in_
    compiled = CompiledFlow(flow, Project(tmp_path))
    with one.unit_of_work():
        for number in range(60):
            one.put("ORDERS", b"%d" % number, persistent=True)
    runs = [
        listener_for(compiled, next(iter(compiled.inputs)), lambda qm=qm: qm, batch=7) for qm in (one, two)
    ]
    ended = threading.Event()
    workers = [threading.Thread(target=run.run, args=(ended,), kwargs={"until_empty": True}) for run in runs]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert sorted(int(each.body) for each in two.get_many("RESULTS", 100)) == list(range(60))
    assert one.get("ORDERS") is None


def test_a_message_that_expired_in_a_unit_is_gone_after_its_backout(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"short", expiry=0.6, persistent=True)
    one.begin()
    if one.get("ORDERS") is None:
        pytest.skip("this machine took half a second for a put")
    end = time.time() + 0.6
    until(lambda: time.time() > end)
    one.backout()
    assert two.get("ORDERS") is None
    until(lambda: pair.rows("select count(*) from p") == [(0,)])
