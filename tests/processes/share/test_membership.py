"""Members that leave, units that they leave behind, and joins that fail half-way."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest

from penstock.model.errors import MQError
from penstock.share import facility as facilities
from penstock.share import group_administration
from penstock.share import pipe as pipes
from penstock.share import schema as schemas
from tests.patience import until
from tests.postgresql import restartable_server
from tests.shared_groups import Members, members


def stop(pair: Members, name: str) -> None:
    pair.here.pop(name).close()


def test_a_new_member_never_takes_over_the_numbers_of_one_that_left(pair: Members) -> None:
    """Before, it got them all, and its first large body met one with the same number in the table."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.mqsc("DEFINE CFSTRUCT(ROWS) RECOVER(YES) OFFLOAD(DB2)", check=True)
    one.mqsc("DEFINE QLOCAL(BIG) QSGDISP(SHARED) CFSTRUCT(ROWS) DEFPSIST(YES)", check=True)
    until(lambda: "BIG" in two.engine.queues)
    two.put("BIG", b"a" * 100_000)
    stop(pair, "QM2")
    group_administration.leave(pair.group, "QM2")
    assert [each["name"] for each in group_administration.status(pair.group)["members"]] == ["QM1"]
    three = pair.start("QM3")
    until(lambda: "BIG" in three.engine.queues)
    three.put("BIG", b"b" * 100_000)
    assert [one.get("BIG").body[:1] for _ in range(2)] == [b"a", b"b"]


def test_a_group_that_is_full_gives_a_number_of_a_member_that_left_and_counts_on(
    pair: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penstock.share import members

    monkeypatch.setattr(members, "MEMBERS_MAX", 2)
    life = pair.here["QM2"].host.sharing.facility.incarnation
    stop(pair, "QM2")
    with pytest.raises(MQError, match="has 2 members already"):
        pair.start("QM3")
    group_administration.leave(pair.group, "QM2")
    facility = pair.start("QM3").host.sharing.facility
    assert (facility.member, facility.incarnation) == (2, life + 1)


def test_a_member_that_restarts_waits_for_nobody_who_uses_the_tables(pair: Members) -> None:
    """Before, each start made the tables anew, and met a deadlock with a peer now and then."""
    schema = pair.group.schema
    with psycopg.connect(pair.url) as peer, psycopg.connect(pair.url, autocommit=True) as starting:
        peer.execute(f"lock table {schema}.member, {schema}.p in row exclusive mode")  # type: ignore[arg-type]
        starting.execute("set lock_timeout = '200ms'")
        schemas.install(starting, schema, pair.group.name)


def test_ends_of_units_that_nobody_needs_go_at_the_next_start(pair: Members) -> None:
    """A member with units whose private half it alone can end does not leave."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    two.mqsc("DEFINE QLOCAL(DONE) DEFPSIST(YES)", check=True)
    with two.unit_of_work():
        two.put("ORDERS", b"work", persistent=True)
        two.put("DONE", b"work", persistent=True)
        two.host.sharing._ended = _Forgetful()
    stop(pair, "QM2")
    units = "select count(*) from outcome where unit > 0"
    assert pair.rows(units) == [(1,)]
    with pytest.raises(MQError, match="start it once"):
        group_administration.leave(pair.group, "QM2")
    pair.start("QM2")
    assert pair.rows(units) == [(0,)]
    stop(pair, "QM2")
    group_administration.leave(pair.group, "QM2")
    assert one.get("ORDERS").body == b"work"


class _Forgetful(list[Any]):
    """Forgets which outcomes may go, as a member does that dies."""

    def append(self, _item: Any) -> None:
        return


class _LostAnswer:
    """The answer of a round comes, and the connection is lost before it is read."""

    def __init__(self, exchange: Any) -> None:
        self._exchange = exchange

    def run(self, calls: Any) -> Any:
        self._exchange.run(calls)
        raise psycopg.OperationalError("the answer is lost")


def test_an_answer_that_was_lost_is_told_although_the_next_join_fails(
    pair: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, the outcome was asked for once, and forgotten when the join failed after that."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    accidents: list[str] = []
    run, pipe = pipes.run_round, facilities.Pipe

    def run_round(round_: Any) -> Any:
        if round_.facility.name == "QM2" and round_.commits and not accidents:
            accidents.append("answer")
            round_.pipe.exchange = _LostAnswer(round_.pipe.exchange)
        return run(round_)

    def no_session(facility: Any, *arguments: Any) -> Any:
        if facility.name == "QM2" and accidents == ["answer"]:
            accidents.append("join")
            raise OSError("no session")
        return pipe(facility, *arguments)

    monkeypatch.setattr(pipes, "run_round", run_round)
    monkeypatch.setattr(facilities, "Pipe", no_session)
    putter = threading.Thread(target=lambda: two.put("ORDERS", b"work", persistent=True), daemon=True)
    putter.start()
    putter.join(60)
    assert not putter.is_alive()
    assert accidents == ["answer", "join"]
    assert one.get("ORDERS").body == b"work"
    assert one.get("ORDERS") is None


def test_members_that_restart_without_the_server_know_their_queues(tmp_path: Path) -> None:
    """Before, they knew those of the last checkpoint, and other queues were unknown names (2085)."""
    with restartable_server() as server, members(server.url, tmp_path, "QM1", "QM2") as group:
        one, two = group.here["QM1"], group.here["QM2"]
        one.mqsc("DEFINE CFSTRUCT(APPL1) RECOVER(YES) OFFLOAD(DB2)", check=True)
        one.mqsc("DEFINE QLOCAL(WORK) QSGDISP(SHARED) CFSTRUCT(APPL1)", check=True)
        one.mqsc("DEFINE QLOCAL(GONE) QSGDISP(SHARED) CFSTRUCT(APPL1)", check=True)
        until(lambda: "GONE" in two.engine.queues)
        one.mqsc("DELETE QLOCAL(GONE) QSGDISP(SHARED)", check=True)
        until(lambda: "GONE" not in two.engine.queues)
        for qm in (one, two):
            qm.host.abandon()
        server.stop_at_once()
        for name in ("QM1", "QM2"):
            qm = group.start(name)
            with pytest.raises(MQError, match="2345"):
                qm.put("WORK", b"early")
            with pytest.raises(MQError, match="2085"):
                qm.put("GONE", b"early")
            qm.mqsc("DEFINE QLOCAL(OWN)", check=True)
            qm.put("OWN", b"private")
        server.start()
        for qm in group.here.values():
            until(lambda qm=qm: qm.host.sharing.connected)  # type: ignore[misc]
        group.here["QM1"].put("WORK", b"late", persistent=True)
        assert group.here["QM2"].get("WORK", wait=60).body == b"late"
