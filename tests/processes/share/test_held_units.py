"""Prepared units of shared queues: the group holds them, any member ends them, nothing is lost meanwhile."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from penstock.model.errors import MQError
from penstock.share import pipe as pipes
from tests.patience import until
from tests.postgresql import restartable_server
from tests.shared_groups import Members, members


def prepared(qm: Any, xid: str = "X1") -> None:
    """Prepare a unit that has got `in` and put `out`."""
    qm.put("ORDERS", b"in", persistent=True)
    qm.begin()
    assert qm.get("ORDERS").body == b"in"
    qm.put("ORDERS", b"out", persistent=True)
    qm.prepare(xid)


def bodies(qm: Any) -> list[bytes]:
    found = []
    while (message := qm.get("ORDERS")) is not None:
        found.append(message.body)
    return found


def test_another_member_commits_what_one_has_prepared(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    prepared(one)
    assert two.get("ORDERS") is None
    (unit,) = two.prepared()
    assert (unit["xid"], unit["member"], unit["puts"], unit["gets"]) == ("X1", "QM1", 1, 1)
    assert unit["queues"] == ["ORDERS"]
    two.commit_prepared("X1")
    assert bodies(two) == [b"out"]
    assert (one.prepared(), two.prepared()) == ([], [])
    with pytest.raises(MQError, match="8021"):
        one.commit_prepared("X1")


def test_a_backout_elsewhere_gives_back_and_counts(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    prepared(one)
    two.backout_prepared("X1")
    found = one.get("ORDERS", wait=60)
    assert (found.body, found.backout_count) == (b"in", 1)
    assert bodies(two) == []


def test_a_prepared_unit_outlives_its_member(pair: Members) -> None:
    """Its peers free what else it held, and not this."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    prepared(one)
    one.host.abandon()
    del pair.here["QM1"]
    pair.until_recovered("QM1")
    assert two.get("ORDERS") is None
    two.commit_prepared("X1")
    assert bodies(two) == [b"out"]


def test_a_prepared_unit_outlives_a_crash_of_the_server(tmp_path: Any) -> None:
    with restartable_server() as server, members(server.url, tmp_path, "QM1", "QM2") as group:
        group.share("ORDERS")
        one, two = group.here["QM1"], group.here["QM2"]
        prepared(one)
        lives = [qm.host.sharing.facility.incarnation for qm in (one, two)]
        server.stop_at_once()
        server.start()
        for qm, life in zip((one, two), lives, strict=True):
            until(lambda qm=qm, life=life: qm.host.sharing.facility.incarnation > life)  # type: ignore[misc]
            until(lambda qm=qm: qm.host.sharing.connected)  # type: ignore[misc]
        assert one.get("ORDERS") is None
        two.commit_prepared("X1")
        assert bodies(one) == [b"out"]


def test_a_getter_that_waits_elsewhere_gets_what_a_commit_shows(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    with one.unit_of_work():
        one.put("ORDERS", b"late", persistent=True)
        one.prepare("X1")
    assert two.get("ORDERS") is None
    one.commit_prepared("X1")
    assert two.get("ORDERS", wait=60).body == b"late"


def test_an_id_is_used_once_and_mixed_units_are_refused_by_name(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    prepared(one)
    two.begin()
    two.put("ORDERS", b"second", persistent=True)
    with pytest.raises(MQError, match="8022"):
        two.prepare("X1")
    two.mqsc("DEFINE QLOCAL(OWN)", check=True)
    two.begin()
    two.put("ORDERS", b"mixed", persistent=True)
    two.put("OWN", b"mixed", persistent=True)
    with pytest.raises(MQError, match="not of both"):
        two.prepare("X2")
    two.backout()
    one.backout_prepared("X1")
    assert bodies(two) == [b"in"]
    assert two.get("OWN") is None


def test_private_prepared_units_are_as_they_were(pair: Members) -> None:
    one = pair.here["QM1"]
    one.mqsc("DEFINE QLOCAL(OWN)", check=True)
    one.begin()
    one.put("OWN", b"x", persistent=True)
    one.prepare("X1")
    assert [unit["xid"] for unit in one.prepared()] == ["X1"]
    with pytest.raises(MQError, match="8021"):
        pair.here["QM2"].commit_prepared("X1")
    one.commit_prepared("X1")
    assert one.get("OWN").body == b"x"


def test_what_a_prepared_unit_holds_keeps_its_queue(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    prepared(one)
    commands = two.host.sharing.commands
    with pytest.raises(MQError, match="2042"):
        commands.clear("ORDERS")
    one.commit_prepared("X1")
    commands.clear("ORDERS")
    assert bodies(one) == []


class _LostAnswer:
    def __init__(self, exchange: Any) -> None:
        self._exchange = exchange

    def run(self, calls: Any) -> Any:
        self._exchange.run(calls)
        raise psycopg.OperationalError("the answer is lost")


@pytest.mark.parametrize("kind", ["holds", "settles"])
def test_a_coordinator_whose_answer_is_lost_finds_out_at_any_member(
    pair: Members, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A unit whose prepare has no answer is listed and backed out; one whose commit has none is unknown."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    run = pipes.run_round
    lost: list[str] = []

    def run_round(round_: Any) -> Any:
        if getattr(round_, kind) and not lost:
            lost.append(kind)
            round_.pipe.exchange = _LostAnswer(round_.pipe.exchange)
        return run(round_)

    monkeypatch.setattr(pipes, "run_round", run_round)
    if kind == "holds":
        with pytest.raises(MQError, match="2345"):
            prepared(two)
        assert [unit["xid"] for unit in one.prepared()] == ["X1"]
        one.backout_prepared("X1")
        expected = [b"in"]
    else:
        prepared(two)
        with pytest.raises(MQError, match="2345"):
            two.commit_prepared("X1")
        with pytest.raises(MQError, match="8021"):
            one.commit_prepared("X1")
        expected = [b"out"]
    assert lost == [kind]
    until(lambda: two.host.sharing.connected)
    assert bodies(one) == expected
    assert pair.rows("select count(*) from claim") == [(0,)]
