"""Units that touch shared and local queues, and what the loss of the facility means for them."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from penstock.model.errors import MQError
from tests.patience import until
from tests.shared_groups import Members


@pytest.fixture
def mixed(pair: Members) -> Members:
    """A pair with a local queue DONE at each member."""
    for qm in pair.here.values():
        qm.mqsc("DEFINE QLOCAL(DONE) DEFPSIST(YES)")
    return pair


def cut(pair: Members, name: str) -> None:
    """End every session of a member at the server."""
    with psycopg.connect(pair.url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = %s",
            (f"penstock {pair.group.name} {name}",),
        )


def depth(qm: Any, queue: str) -> int:
    return int(qm.host.engine.queues[queue].depth)


def test_a_mixed_unit_commits_or_backs_out_as_one(mixed: Members) -> None:
    one, two = mixed.here["QM1"], mixed.here["QM2"]
    one.put("ORDERS", b"work", persistent=True)
    with two.unit_of_work() as unit:
        two.put("DONE", two.get("ORDERS").body, persistent=True)
        unit.backout()
    assert two.get("DONE") is None
    with two.unit_of_work():
        two.put("DONE", two.get("ORDERS").body, persistent=True)
    assert two.get("DONE").body == b"work"
    assert one.get("ORDERS") is None
    until(lambda: mixed.rows("select count(*) from outcome where unit > 0") == [(0,)])


def test_a_mixed_unit_whose_end_the_journal_lacks_is_ended_at_restart(mixed: Members) -> None:
    """The facility has committed and the member dies before its journal knows."""
    one, two = mixed.here["QM1"], mixed.here["QM2"]
    one.put("ORDERS", b"work", persistent=True)
    with two.unit_of_work():
        two.put("DONE", two.get("ORDERS").body, persistent=True)
    two.host.abandon()
    del mixed.here["QM2"]
    mixed.until_recovered("QM2")
    again = mixed.start("QM2")
    assert again.get("DONE").body == b"work"
    assert again.get("ORDERS") is None


def test_the_loss_of_the_facility_backs_out_units_that_hold_messages(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"work", persistent=True)
    two.begin()
    assert two.get("ORDERS").body == b"work"
    before = two.host.sharing.facility.incarnation
    cut(pair, "QM2")
    until(lambda: two.host.sharing.facility.incarnation > before and two.host.sharing.connected)
    with pytest.raises(MQError, match="2003"):
        two.commit()
    assert one.get("ORDERS").body == b"work"


def test_a_unit_that_has_only_put_survives_the_loss_of_the_facility(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    before = two.host.sharing.facility.incarnation
    two.begin()
    two.put("ORDERS", b"kept", persistent=True)
    cut(pair, "QM2")
    until(lambda: two.host.sharing.facility.incarnation > before and two.host.sharing.connected)
    two.commit()
    assert one.get("ORDERS").body == b"kept"


def test_private_queues_go_on_while_the_facility_is_away(mixed: Members) -> None:
    one = mixed.here["QM1"]
    sharing = one.host.sharing.sharing
    sharing.connected = False
    with pytest.raises(MQError, match="2345"):
        one.put("ORDERS", b"no")
    with pytest.raises(MQError, match="2345"):
        one.get("ORDERS")
    one.put("DONE", b"yes", persistent=True)
    assert one.get("DONE").body == b"yes"
    sharing.connected = True
    one.put("ORDERS", b"again")
    assert one.get("ORDERS").body == b"again"


def test_a_member_that_restarts_is_a_new_incarnation_without_claims(pair: Members) -> None:
    two = pair.here["QM2"]
    two.put("ORDERS", b"work", persistent=True)
    two.begin()
    assert two.get("ORDERS") is not None
    first = two.host.sharing.facility.incarnation
    two.host.abandon()
    again = pair.start("QM2")
    assert again.host.sharing.facility.incarnation == first + 1
    assert pair.rows("select count(*) from claim") == [(0,)]
    assert again.get("ORDERS").body == b"work"


def test_a_queue_manager_starts_without_its_facility_and_joins_when_it_is_there(
    pair: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penstock.share.facility import Facility

    join = Facility._join
    there: list[bool] = []

    def refused(self: Facility) -> None:
        if not there:
            raise psycopg.OperationalError("connection refused")
        join(self)

    monkeypatch.setattr(Facility, "_join", refused)
    group = Members(pair.url, pair.home)
    group.group = pair.group
    three = pair.here["QM3"] = group.start("QM3")
    assert not three.host.sharing.connected
    three.mqsc("DEFINE QLOCAL(PRIVATE)")
    three.put("PRIVATE", b"goes on")
    assert three.get("PRIVATE").body == b"goes on"
    there.append(True)
    until(lambda: three.host.sharing.connected)
    three.host.sharing.define("ORDERS")
    pair.here["QM1"].put("ORDERS", b"for all")
    assert three.get("ORDERS").body == b"for all"
