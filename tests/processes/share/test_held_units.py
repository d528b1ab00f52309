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


def prepared_in_both(qm: Any, xid: str = "X1") -> None:
    """Prepare a unit that has got a message from a shared and from a private queue, and put to both kinds."""
    qm.mqsc("DEFINE QLOCAL(OWN) DEFPSIST(YES)")
    qm.mqsc("DEFINE QLOCAL(DONE) DEFPSIST(YES)")
    qm.put("ORDERS", b"in", persistent=True)
    qm.put("OWN", b"own")
    qm.begin()
    assert qm.get("ORDERS").body == b"in"
    assert qm.get("OWN").body == b"own"
    qm.put("ORDERS", b"out", persistent=True)
    qm.put("DONE", b"out")
    qm.prepare(xid)


def halves(one: Any, two: Any) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Return what is on ORDERS, on OWN and on DONE of the first."""
    found = []
    for queue in ("OWN", "DONE"):
        found.append([])
        while (message := one.get(queue)) is not None:
            found[-1].append(message.body)
    return bodies(two), found[0], found[1]


COMMITTED, BACKED_OUT = ([b"out"], [], [b"out"]), ([b"in"], [b"own"], [])


@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_prepared_unit_of_two_halves_ends_as_one(pair: Members, commits: bool, elsewhere: bool) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    prepared_in_both(one)
    (unit,) = one.prepared()
    assert (unit["xid"], unit["puts"], unit["gets"]) == ("X1", 2, 2)
    assert unit["queues"] == ["DONE", "ORDERS", "OWN"]
    one.begin()
    one.put("ORDERS", b"again")
    with pytest.raises(MQError, match="8022"):
        one.prepare("X1")
    ender = two if elsewhere else one
    (ender.commit_prepared if commits else ender.backout_prepared)("X1")
    until(lambda: one.prepared() == [])
    assert halves(one, two) == (COMMITTED if commits else BACKED_OUT)
    until(lambda: pair.rows("select count(*) from outcome where unit > 0") == [(0,)])


@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize("when", ["while it is dead", "after its restart"])
def test_the_private_half_of_a_dead_member_ends_as_the_shared_one(
    pair: Members, commits: bool, when: str
) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    prepared_in_both(one)
    one.host.abandon()
    end = two.commit_prepared if commits else two.backout_prepared
    if when == "while it is dead":
        end("X1")
        one = pair.start("QM1")
    else:
        one = pair.start("QM1")
        (unit,) = one.prepared()
        assert (unit["xid"], unit["puts"], unit["gets"]) == ("X1", 2, 2)
        assert one.get("OWN") is None
        end("X1")
        until(lambda: one.prepared() == [])
    assert halves(one, two) == (COMMITTED if commits else BACKED_OUT)


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


def test_an_id_is_used_once(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    prepared(one)
    two.begin()
    two.put("ORDERS", b"second", persistent=True)
    with pytest.raises(MQError, match="8022"):
        two.prepare("X1")
    one.backout_prepared("X1")
    assert bodies(two) == [b"in"]


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
    def __init__(self, exchange: Any, sends: bool = True) -> None:
        self._exchange, self._sends = exchange, sends

    def run(self, calls: Any) -> Any:
        if self._sends:
            self._exchange.run(calls)
        raise psycopg.OperationalError("the answer is lost")


def losing(monkeypatch: pytest.MonkeyPatch, kind: str) -> list[str]:
    """Lose the answer to the first round of a kind, or a prepare on its way; return what is lost by then."""
    run = pipes.run_round
    lost: list[str] = []

    def run_round(round_: Any) -> Any:
        if getattr(round_, "holds" if kind == "not sent" else kind) and not lost:
            lost.append(kind)
            round_.pipe.exchange = _LostAnswer(round_.pipe.exchange, kind != "not sent")
        return run(round_)

    monkeypatch.setattr(pipes, "run_round", run_round)
    return lost


@pytest.mark.parametrize("kind", ["holds", "settles"])
def test_a_coordinator_whose_answer_is_lost_finds_out_at_any_member(
    pair: Members, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A unit whose prepare has no answer is listed and backed out; one whose commit has none is unknown."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    lost = losing(monkeypatch, kind)
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


@pytest.mark.parametrize("kind", ["not sent", "holds", "settles"])
def test_both_halves_of_a_unit_agree_when_an_answer_is_lost(
    pair: Members, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """What the group does not hold is backed out; what it holds any member commits, in both halves."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    lost = losing(monkeypatch, kind)
    life = one.host.sharing.facility.incarnation
    if kind == "settles":
        prepared_in_both(one)
        with pytest.raises(MQError, match="2345"):
            one.commit_prepared("X1")
    else:
        with pytest.raises(MQError, match="2345"):
            prepared_in_both(one)
    until(lambda: one.host.sharing.facility.incarnation > life)
    until(lambda: one.host.sharing.connected)
    if kind == "holds":
        assert [unit["xid"] for unit in two.prepared()] == ["X1"]
        assert [(unit["xid"], unit["gets"]) for unit in one.prepared()] == [("X1", 2)]
        two.commit_prepared("X1")
    until(lambda: one.prepared() == [])
    assert lost == [kind]
    assert halves(one, two) == (BACKED_OUT if kind == "not sent" else COMMITTED)
    assert pair.rows("select count(*) from claim") == [(0,)]
