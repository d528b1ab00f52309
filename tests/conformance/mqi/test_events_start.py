"""Start events: the queue manager says that it is there."""

from __future__ import annotations

from penstock.model import constants as mq
from penstock.model.pcf import decode_pcf

EVENTS = "SYSTEM.ADMIN.QMGR.EVENT"


def test_a_start_is_told(qm, embed, run):
    run("ALTER QMGR STRSTPEV(ENABLED)")
    qm.get_many(EVENTS, 10)
    qm.close()
    again = embed()
    event = decode_pcf(again.get(EVENTS).body)
    assert (event.reason, event.get(mq.MQCA_Q_MGR_NAME).strip()) == (mq.MQRC_Q_MGR_ACTIVE, "QM1")


def test_switched_off_it_is_not(qm, embed, run):
    run("ALTER QMGR STRSTPEV(DISABLED)")
    qm.get_many(EVENTS, 10)
    qm.close()
    assert embed().get(EVENTS) is None


def test_a_stop_is_told_where_the_event_queue_keeps_it(qm, embed, run):
    run(f"ALTER QMGR STRSTPEV(ENABLED)\nALTER QLOCAL({EVENTS}) DEFPSIST(YES)")
    qm.get_many(EVENTS, 10)
    qm.close()
    again = embed()
    stopped, started = (decode_pcf(message.body) for message in again.get_many(EVENTS, 10))
    assert (stopped.reason, started.reason) == (mq.MQRC_Q_MGR_NOT_ACTIVE, mq.MQRC_Q_MGR_ACTIVE)
    assert stopped.get(mq.MQIACF_REASON_QUALIFIER) == mq.MQRQ_Q_MGR_QUIESCING
