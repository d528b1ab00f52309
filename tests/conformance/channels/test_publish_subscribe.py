"""A hierarchy of two real queue managers: proxies and publications travel by message channels."""

from __future__ import annotations

from typing import Any

import pytest

from tests.channel_pairs import Pair, run
from tests.patience import until

pytestmark = pytest.mark.installed


def test_a_publication_at_the_child_reaches_a_subscriber_at_the_parent_and_back(pair: Pair) -> None:
    ends = ((pair.qma, "QMA", "QMB"), (pair.qmb, "QMB", "QMA"))
    for qm, own, other in ends:
        run(
            qm,
            f"DEFINE CHANNEL({other}.{own}.PS) CHLTYPE(RCVR)\n"
            f"DEFINE QLOCAL({other}) USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) REPLACE"
            f" INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA({own}.{other}.PS)\n"
            f"DEFINE CHANNEL({own}.{other}.PS) CHLTYPE(SDR) XMITQ({other}) CONNAME('{pair.address(other)}')",
        )
    run(pair.qmb, "ALTER QMGR PARENT(QMA)")
    at_parent = pair.qma.subscribe("news/#")
    at_child = pair.qmb.subscribe("news/#")
    try:
        for qm in (pair.qma, pair.qmb):
            until(lambda qm=qm: _proxies(qm))
        pair.qmb.publish("news/a", b"from the child", persistent=True)
        pair.qma.publish("news/b", b"from the parent", persistent=True)
        for subscription in (at_parent, at_child):
            found = {subscription.get(wait=60.0).body for _ in range(2)}
            assert found == {b"from the child", b"from the parent"}
            assert subscription.get(wait=0.0) is None
    finally:
        at_parent.close()
        at_child.close()
        run(pair.qmb, "ALTER QMGR PARENT(' ')")
        until(lambda: not _relations(pair.qma) and not _relations(pair.qmb))


def _proxies(qm: Any) -> bool:
    return any(int(row["SUBCOUNT"]) for row in _relations(qm))


def _relations(qm: Any) -> list[dict[str, Any]]:
    rows = [dict(each.attributes) for each in qm.mqsc("DISPLAY PUBSUB TYPE(ALL)") if each.attributes]
    return [row for row in rows if row["TYPE"] != "LOCAL"]
