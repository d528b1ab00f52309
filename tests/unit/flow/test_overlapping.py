"""Backlogs at a queue manager in another process: batches overlap; order, counts and backouts are as ever."""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.running import overlapping
from penstock.flow.running.queue_listener import QueueListener
from penstock.model.errors import MQError
from tests.flow_station import Station
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.client.pipelining import Overlap

    AtCommit = Callable[[int, Callable[[], Any]], None]

pytestmark = pytest.mark.installed  # real processes over sockets

FAILING = """
CREATE COMPUTE MODULE Failing
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    IF CAST(InputRoot.BLOB.BLOB AS CHARACTER CCSID 1208) LIKE '%7' THEN
      THROW USER EXCEPTION VALUES('seven');
    END IF;
    RETURN TRUE;
  END;
END MODULE;
"""
COUNT = 1000
NUMBERS = [b"%d" % n for n in range(COUNT)]


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    made = Station(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def qm(station: Station) -> Iterator[Any]:
    with station.connect() as connection:
        yield connection


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many messages each overlapping commit put, on a machine however slow."""
    from penstock.client.pipelining import Overlap  # compiled only

    monkeypatch.setattr(overlapping, "QUICK_SECONDS", 60.0)
    found: list[int] = []
    plainly = Overlap.commit

    def noted(self: Overlap, outputs: list[Any]) -> None:
        found.append(len(outputs))
        plainly(self, outputs)

    monkeypatch.setattr(Overlap, "commit", noted)
    return found


@pytest.fixture
def at_commit(monkeypatch: pytest.MonkeyPatch, commits: list[int]) -> AtCommit:
    """Have something happen just before a commit is sent, by its number."""
    from penstock.client.pipelining import Overlap

    def arranged(number: int, happens: Callable[[], Any]) -> None:
        noting = Overlap.commit

        def watched(self: Overlap, outputs: list[Any]) -> None:
            if len(commits) == number - 1:
                happens()
            noting(self, outputs)

        monkeypatch.setattr(Overlap, "commit", watched)

    return arranged


def listener(station: Station, qm: Any, middle: Any = None, queue: str = "OUT") -> QueueListener:
    flow = Flow("test")
    start, out = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQOutput(queue))
    if middle is None:
        start.out >> out.in_
    else:
        flow.add(middle)
        start.out >> middle.in_
        middle.out >> out.in_
    return QueueListener(CompiledFlow(flow, Project(station.project)), "MQInput", qm)


def run(found: QueueListener) -> None:
    found.run(threading.Event(), until_empty=True)


def got(qm: Any, queue: str = "OUT") -> list[bytes]:
    messages: list[Any] = []
    while more := qm.get_many(queue, 1000):
        messages += more
    return [each.body for each in messages]


@pytest.mark.parametrize("persistent", [True, False])
def test_a_backlog_runs_in_order(station: Station, qm: Any, commits: list[int], persistent: bool) -> None:
    qm.put_many("IN", NUMBERS, persistent=persistent)
    found = listener(station, qm)
    run(found)
    assert got(qm) == NUMBERS
    assert (found.tally.messages, found.tally.outputs) == (COUNT, COUNT)
    assert commits == [100] * 9  # the first was got as usual


def test_failing_messages_do_not_disturb_the_others(station: Station, qm: Any, commits: list[int]) -> None:
    station.write("esql/failing.esql", FAILING)
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(2) BOQNAME(OUT2)")
    qm.put_many("IN", NUMBERS)
    found = listener(station, qm, nodes.Compute(module="Failing"))
    run(found)
    assert got(qm) == [each for each in NUMBERS if not each.endswith(b"7")]
    assert got(qm, "OUT2") == [each for each in NUMBERS if each.endswith(b"7")]
    assert (found.tally.messages, found.tally.given_up) == (COUNT, 100)
    assert commits == [100] * 9


def test_a_queue_that_gets_full_loses_and_doubles_nothing(
    station: Station, qm: Any, commits: list[int]
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(2) BOQNAME(OUT2)\nALTER QLOCAL(OUT) MAXDEPTH(250)")
    qm.put_many("IN", NUMBERS[:500], persistent=True)
    run(listener(station, qm))
    assert got(qm) == NUMBERS[:250]
    assert got(qm, "OUT2") == NUMBERS[250:500]
    assert got(qm, "IN") == []


def test_a_queue_that_takes_nothing_any_more_leaves_the_rest_to_the_backout_queue(
    station: Station, qm: Any, commits: list[int], at_commit: AtCommit
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(2) BOQNAME(OUT2)")
    qm.put_many("IN", NUMBERS[:600], persistent=True)
    with station.connect() as other:
        at_commit(3, lambda: other.mqsc("ALTER QLOCAL(OUT) PUT(DISABLED)"))
        run(listener(station, qm))
    assert commits[:3] == [100] * 3
    assert got(qm) == NUMBERS[:300]
    assert got(qm, "OUT2") == NUMBERS[300:600]


def test_publications_are_put_in_their_unit(station: Station, qm: Any, commits: list[int]) -> None:
    flow = Flow("test")
    start, out = flow.add(nodes.MQInput("IN")), flow.add(nodes.Publication("news"))
    start.out >> out.in_
    with qm.subscribe("news") as subscription:
        qm.put_many("IN", NUMBERS[:300])
        found = QueueListener(CompiledFlow(flow, Project(station.project)), "MQInput", qm)
        run(found)
        assert [subscription.get().body for _ in range(300)] == NUMBERS[:300]
    assert commits == [0, 0]
    assert found.tally.outputs == 300


def test_an_interrupt_leaves_nothing_open(
    station: Station, qm: Any, commits: list[int], at_commit: AtCommit
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    qm.put_many("IN", NUMBERS[:600], persistent=True)
    at_commit(3, interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(listener(station, qm))
    assert got(qm) == NUMBERS[:300]
    assert got(qm, "IN") == NUMBERS[300:600]


def test_a_queue_manager_that_dies_ends_the_run(
    station: Station, qm: Any, commits: list[int], at_commit: AtCommit
) -> None:
    qm.put_many("IN", NUMBERS[:600], persistent=True)
    at_commit(3, lambda: station.stop(kill=True))
    with pytest.raises(MQError) as raised:
        run(listener(station, qm))
    assert raised.value.reason == 2009
    station.start()
    with station.connect() as again:
        assert got(again) == NUMBERS[:300]
        assert got(again, "IN") == NUMBERS[300:600]


def test_a_batch_that_turns_slow_is_the_last_with_one_ahead(
    station: Station, qm: Any, commits: list[int], at_commit: AtCommit, monkeypatch: pytest.MonkeyPatch
) -> None:
    qm.put_many("IN", NUMBERS, persistent=True)
    at_commit(2, lambda: monkeypatch.setattr(overlapping, "QUICK_SECONDS", 0.0))
    run(listener(station, qm))
    assert got(qm) == NUMBERS
    assert 3 <= len(commits) <= 4


def test_an_orderly_stop_backs_nothing_out(station: Station, qm: Any) -> None:
    numbers = [b"%d" % n for n in range(99_000)]
    for first in range(0, len(numbers), 1000):
        qm.put_many("IN", numbers[first : first + 1000])
    flow = station.begin("flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--quiet")
    with qm.open("OUT") as out:
        until(lambda: out.inquire("CURDEPTH")["CURDEPTH"] > 500)
    flow.send_signal(signal.SIGTERM)
    flow.communicate(timeout=60)
    left = []
    while more := qm.get_many("IN", 1000):
        left += more
    assert {each.backout_count for each in left} == {0}
    assert got(qm) + [each.body for each in left] == numbers


def nobody_gets(qm: Any) -> bool:
    """Say whether all that programs have got is committed or back."""
    (status,) = qm.mqsc("DISPLAY QSTATUS(IN) IPPROCS UNCOM")
    return (status.attributes["IPPROCS"], status.attributes["UNCOM"]) == (0, "NO")


def test_a_killed_flow_and_a_killed_queue_manager_lose_and_double_nothing(station: Station) -> None:
    numbers = [b"%d" % n for n in range(60_000)]
    with station.connect() as qm:
        for first in range(0, len(numbers), 1000):
            qm.put_many("IN", numbers[first : first + 1000], persistent=True)
    words = ("flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--quiet")
    for kill in range(5):
        flow = station.begin(*words)
        with station.connect() as qm, qm.open("OUT") as out:
            before = out.inquire("CURDEPTH")["CURDEPTH"]
            until(lambda out=out, before=before: out.inquire("CURDEPTH")["CURDEPTH"] > before)
            time.sleep(0.01 * kill)
            assert out.inquire("CURDEPTH")["CURDEPTH"] < len(numbers), (
                "too few messages to be killed among them"
            )
        if kill == 3:
            station.stop(kill=True)
            station.start()
        flow.kill()
        flow.communicate()
        with station.connect() as qm:  # the next one would get what comes after that which goes back
            until(lambda qm=qm: nobody_gets(qm))
    station.run(*words, "--until-empty")
    with station.connect() as qm:
        assert got(qm) == numbers
        assert got(qm, "IN") == []


def test_a_slow_flow_gets_nothing_ahead(
    station: Station, qm: Any, commits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlapping, "QUICK_SECONDS", 0.0)
    qm.put_many("IN", NUMBERS[:300])
    run(listener(station, qm))
    assert got(qm) == NUMBERS[:300]
    assert commits == []
