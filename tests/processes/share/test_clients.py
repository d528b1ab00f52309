"""Programs over sockets use shared queues as embedded ones do."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import penstock
from penstock import Get, Open
from penstock.host.folders.folder import folder_of
from penstock.model.errors import MQError
from tests.patience import until
from tests.shared_groups import Members

pytestmark = pytest.mark.skipif(
    os.environ.get("PENSTOCK_UNCOMPILED", "0") != "0", reason="the frames know the compiled message"
)
CHANNEL = """
DEFINE CHANNEL(APP) CHLTYPE(SVRCONN)
SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(MAP) MCAUSER('app')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ,DSP)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI,DSP)
DEFINE QLOCAL(DONE) DEFPSIST(YES)
"""


@pytest.fixture
def client(pair: Members) -> Iterator[Any]:
    """A client of QM2, which another thread serves."""
    from tests.journeys import serving

    failed = [reply.text for reply in pair.here["QM2"].mqsc(CHANNEL) if reply.failed]
    assert not failed, failed
    with serving(folder_of("QM2", pair.home)) as port:
        with penstock.connect(f"mq://127.0.0.1:{port}/QM2?channel=APP") as qm:
            yield qm


def test_a_client_puts_gets_and_ends_units(pair: Members, client: Any) -> None:
    one = pair.here["QM1"]
    client.put("ORDERS", b"1", persistent=True)
    client.put_many("ORDERS", [b"2", b"3"], persistent=True)
    assert one.get("ORDERS").body == b"1"
    with client.unit_of_work() as unit:
        assert client.get("ORDERS").body == b"2"
        assert one.get("ORDERS").body == b"3"
        unit.backout()
    again = client.get("ORDERS")
    assert (again.body, again.backout_count) == (b"2", 1)
    assert client.get("ORDERS") is None
    with client.unit_of_work():
        client.put("ORDERS", b"shared", persistent=True)
        client.put("DONE", b"local", persistent=True)
    assert one.get("ORDERS").body == b"shared"
    assert client.get("DONE").body == b"local"
    client.put_many("ORDERS", [b"4", b"5"])
    found = client.get_many("ORDERS", 9)  # as many as are at hand, at least one
    found += client.get_many("ORDERS", 9)
    assert [each.body for each in found] == [b"4", b"5"]


def test_a_client_that_waits_is_woken_by_another_member(pair: Members, client: Any) -> None:
    got: list[Any] = []
    getter = threading.Thread(target=lambda: got.append(client.get("ORDERS", wait=60)))
    getter.start()
    until(lambda: pair.here["QM2"].host.engine.queues["ORDERS"].waiting is not None)
    pair.here["QM1"].put("ORDERS", b"at last")
    getter.join(60)
    assert got[0].body == b"at last"


def test_a_client_browses_and_is_refused_what_another_member_has_exclusively(
    pair: Members, client: Any
) -> None:
    one = pair.here["QM1"]
    one.put("ORDERS", b"shown", persistent=True)
    with client.open("ORDERS", options=Open.BROWSE) as handle:
        assert handle.get(options=Get.BROWSE_FIRST).body == b"shown"
        with pytest.raises(MQError, match="2033"):
            handle.get(options=Get.BROWSE_NEXT)
    with one.open("ORDERS", options=Open.INPUT_EXCLUSIVE), pytest.raises(MQError, match="2042"):
        client.open("ORDERS", options=Open.INPUT_SHARED)
    assert client.get("ORDERS", selector="JMSPriority >= 0").body == b"shown"
