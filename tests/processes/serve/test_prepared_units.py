"""Who may decide a prepared unit over the wire: who prepared it, and who may change the queue manager."""

from __future__ import annotations

import pytest

import penstock
from tests.served import SCRIPT, Served

pytestmark = pytest.mark.installed

OTHERS = """
DEFINE CHANNEL(OTHER.SVRCONN) CHLTYPE(SVRCONN) REPLACE
SET CHLAUTH(OTHER.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(MAP) MCAUSER('other') ACTION(REPLACE)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('other') AUTHADD(CONNECT,INQ,DSP)
"""


@pytest.fixture
def own(tmp_path):
    running = Served(tmp_path, script=SCRIPT + OTHERS)
    running.start()
    yield running
    running.stop()


def prepare(own: Served, xid: str) -> None:
    with own.connect() as qm:
        qm.begin()
        qm.put("APP.Q", xid.encode(), persistent=True)
        qm.prepare(xid)


@pytest.mark.parametrize("decide", ["commit_prepared", "backout_prepared"])
def test_another_user_who_knows_the_id_may_not_decide(own: Served, decide: str) -> None:
    prepare(own, "x-1")

    with penstock.connect(own.address("OTHER.SVRCONN")) as qm, pytest.raises(penstock.NotAuthorized):
        getattr(qm, decide)("x-1")
    with own.local() as qm:
        assert [(each["xid"], each["user"]) for each in qm.prepared()] == [("x-1", "app")]


def test_the_user_who_prepared_may_decide_also_after_a_crash(own: Served) -> None:
    prepare(own, "x-1")
    own.kill()
    own.start()

    with own.connect() as qm:
        qm.commit_prepared("x-1")
        message = qm.get("APP.Q")
    assert message is not None
    assert message.body == b"x-1"


def test_the_user_who_prepared_is_known_after_a_checkpoint(own: Served) -> None:
    prepare(own, "x-1")
    own.stop()
    own.start()

    with penstock.connect(own.address("OTHER.SVRCONN")) as qm, pytest.raises(penstock.NotAuthorized):
        qm.backout_prepared("x-1")
    with own.connect() as qm:
        qm.backout_prepared("x-1")
        assert qm.get("APP.Q") is None


def test_an_administrator_may_decide(own: Served) -> None:
    prepare(own, "x-1")

    with own.local() as qm:
        qm.commit_prepared("x-1")
        assert qm.prepared() == []
