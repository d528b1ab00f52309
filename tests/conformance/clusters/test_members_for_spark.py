"""Which members of a cluster a job on Spark reads: those that have its queue, and those that are away."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.model.errors import MQError
from tests.cluster_group import Group

members_module = pytest.importorskip(
    "penstock.spark.cluster_members", reason="the extra spark is not installed"
)
CHANNEL = """
DEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) REPLACE
SET CHLAUTH(APP.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(MAP) MCAUSER('app') ACTION(REPLACE)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ,DSP)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI,DSP)
"""


def test_members_with_the_queue_are_read_and_others_are_left_out(tmp_path: Path) -> None:
    group = Group(tmp_path / "group", ("LONDON", "PARIS", "ROME"))
    try:
        group.form("STOCK")
        for name in group.names:
            group.run(name, CHANNEL)
        group.run("LONDON", "DEFINE QLOCAL(IN)")
        group.run("PARIS", "DEFINE QLOCAL(IN)")
        address = "mq://127.0.0.1:{}/{}?channel=APP.SVRCONN"
        london = address.format(group.ports["LONDON"], "LONDON")
        told: list[str] = []

        found = members_module.members(london, "STOCK", ["IN"], {}, told.append)
        assert found == [address.format(group.ports["PARIS"], "PARIS")]
        assert told == ["ROME has no queue IN: it is left out."]

        group.kill("PARIS")
        assert members_module.members(london, "STOCK", ["IN"], {}, told.append) == found
        with pytest.raises(MQError, match="knows no member of cluster OTHER"):
            members_module.members(london, "OTHER", ["IN"], {}, told.append)
    finally:
        for name in ("LONDON", "ROME"):
            group.halt(name)
