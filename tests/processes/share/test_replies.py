"""Replies and reports name the member where a request was put; a shared reply queue is there everywhere."""

from __future__ import annotations

import pytest

from penstock import Report
from penstock.model.errors import MQError
from tests.patience import until
from tests.shared_groups import Members


def test_a_reply_to_a_shared_queue_of_another_member_is_put_here(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    pair.share("REPLIES")
    one.put("ORDERS", b"request", reply_to="REPLIES", report=Report.COA | Report.COD)
    assert one.get("REPLIES", wait=60).feedback == 259  # arrived, said by the member that put
    until(lambda: "QM1" in two.host.sharing.sharing.names)
    request = two.get("ORDERS")
    assert (request.reply_to, request.reply_to_qmgr) == ("REPLIES", "QM1")
    assert one.get("REPLIES", wait=60).feedback == 260  # delivered, said by the member that got
    two.put("REPLIES", b"reply", qmgr="QM1")
    assert one.get("REPLIES", wait=60).body == b"reply"
    one.put("REPLIES", b"at the group", qmgr=pair.group.name)
    assert two.get("REPLIES", wait=60).body == b"at the group"


def test_a_private_queue_of_another_member_is_not_meant(pair: Members) -> None:
    two = pair.here["QM2"]
    until(lambda: "QM1" in two.host.sharing.sharing.names)
    for qm in pair.here.values():
        qm.mqsc("DEFINE QLOCAL(OWN)", check=True)
    for name in ("OWN", "NOWHERE"):
        with pytest.raises(MQError, match="2087"):
            two.put(name, b"x", qmgr="QM1")
    with pytest.raises(MQError, match="2087"):
        two.put("ORDERS", b"x", qmgr="QM9")
