"""Sequence and Resequence: numbers once each in the unit of work; messages in order, over restarts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.events.event import queue_at
from penstock.flow.running.listener import listener_for
from penstock.tree import Path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path as FilePath

    from penstock.flow import Assembly, NodeContext

BEGIN = 1_000_000.0


class See(Node):
    """Keeps the body and LocalEnvironment.Sequence."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: list[tuple[str, Any]] = []

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        value = assembly.message.get(Path("XMLNSC", "m", "v"))
        self._seen.append((str(value), assembly.local_environment.get(Path("Sequence", "Number"))))
        at.send("out", assembly)


def numbering(see: See, **properties: Any) -> Flow:
    flow = Flow("number")
    start, node = flow.add(nodes.MQInput("IN", domain="XMLNSC")), flow.add(nodes.Sequence(**properties))
    start.out >> node.in_
    node.out >> flow.add(see).in_
    see.out >> flow.add(nodes.MQOutput("OUT")).in_
    return flow


def test_each_group_has_its_numbers_and_begins_again_after_the_end(qm: Any, run: Callable[..., Any]) -> None:
    see = See()
    for value in ("a", "b", "a", "a", "b"):
        qm.put("IN", f"<m><v>{value}</v></m>")
    run(numbering(see, correlation="$Body/m/v", start_of="05", end_of="06"))
    assert see._seen == [("a", 5), ("b", 5), ("a", 6), ("a", 5), ("b", 6)]


def test_numbers_go_on_after_a_restart_and_a_failure_uses_none(qm: Any, run: Callable[..., Any]) -> None:
    see = See()
    flow = numbering(see)
    qm.put("IN", b"<m><v>1</v></m>")
    run(flow)
    qm.mqsc("ALTER QLOCAL(OUT) PUT(DISABLED)")
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    qm.put("IN", b"<m><v>2</v></m>")
    run(flow)
    qm.mqsc("ALTER QLOCAL(OUT) PUT(ENABLED)")
    qm.put("IN", b"<m><v>3</v></m>")
    run(flow)
    assert [number for value, number in see._seen if value != "2"] == [1, 2]


def test_a_number_is_given_once_by_several_instances(qm: Any, tmp_path: FilePath) -> None:
    see = See()
    compiled = CompiledFlow(numbering(see), Project(tmp_path))
    for value in range(20):
        qm.put("IN", f"<m><v>{value}</v></m>")
    listeners = [listener_for(compiled, "MQInput", lambda: qm) for _ in range(2)]
    threads = [
        threading.Thread(target=each.run, args=(threading.Event(), True), daemon=True) for each in listeners
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(qm.get_many("OUT", 100)) == 20
    assert sorted(number for _, number in see._seen)[-1] >= 20
    state = qm.get(queue_at("number", "Sequence"))
    assert b'"": 21' in state.body


def test_the_number_goes_where_it_is_wanted(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"<m><v>1</v></m>")
    run(numbering(See(), store="$OutputRoot/XMLNSC/m/n"))
    assert qm.get("OUT").body == b"<m><v>1</v><n>1</n></m>"


class Bench:
    """A flow with a Resequence, its clock, and what came out."""

    def __init__(self, qm: Any, folder: FilePath, **properties: Any) -> None:
        self.qm, self.now = qm, BEGIN
        flow = Flow("order")
        self.out, self.expired, self.missing = See(), See(), See()
        start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
        node = flow.add(nodes.Resequence("$Body/m/n", **properties))
        start.out >> node.in_
        node.out >> flow.add(self.out).in_
        node.expire >> flow.add(self.expired).in_
        node.missing_ >> flow.add(self.missing).in_
        node.failure >> flow.add(nodes.MQOutput("FAILED")).in_
        self.compiled = CompiledFlow(flow, Project(folder))
        self.listener: Any = None

    def send(self, *numbers: Any, after: float = 0.0) -> None:
        for number in numbers:
            self.qm.put("IN", f"<m><v>{number}</v><n>{number}</n></m>", persistent=True)
        sources = {"clock": lambda: self.now}
        start = listener_for(self.compiled, "MQInput", lambda: self.qm, sources=sources)
        start.run(threading.Event(), until_empty=True)
        if self.listener is None:
            self.listener = listener_for(self.compiled, "Resequence", lambda: self.qm, sources=sources)
        self.now += after
        while self.listener.step():
            pass

    def restart(self) -> None:
        self.listener.events.close()
        self.listener = None

    @property
    def values(self) -> list[str]:
        return [value for value, _ in self.out._seen]


@pytest.fixture
def bench(qm: Any, tmp_path: FilePath) -> Callable[..., Bench]:
    return lambda **properties: Bench(qm, tmp_path, **properties)


def test_messages_go_on_in_order(bench: Callable[..., Bench]) -> None:
    flow = bench()
    flow.send(3, 1)
    assert flow.values == ["1"]
    flow.send(4, 2)
    assert flow.values == ["1", "2", "3", "4"]


def test_the_place_in_a_sequence_survives_a_restart(bench: Callable[..., Bench], qm: Any) -> None:
    flow = bench(end_of="4")
    flow.send(1, 2, 4)
    flow.restart()
    flow.send(3)
    assert flow.values == ["1", "2", "3", "4"]
    assert qm.get(queue_at("order", "Resequence")) is None  # the sequence has ended, and left nothing


def test_after_its_end_a_sequence_begins_again(bench: Callable[..., Bench]) -> None:
    flow = bench(end_of="2")
    flow.send(2, 1, 1, 2)
    assert flow.values == ["1", "1", "2", "2"] or flow.values == ["1", "2", "1", "2"]


def test_a_missing_number_is_told_in_time(bench: Callable[..., Bench]) -> None:
    flow = bench(timeout=30.0)
    flow.send(1, 4, 5)
    flow.send(after=31)
    assert [value for value, _ in flow.expired._seen] == ["4", "5"]
    assert len(flow.missing._seen) == 1
    flow.send(1)  # a new sequence of the group
    assert flow.values == ["1", "1"]


def test_what_is_no_number_goes_to_failure(bench: Callable[..., Bench], qm: Any) -> None:
    flow = bench()
    flow.send("x")
    assert len(qm.get_many("FAILED", 10)) == 1


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (nodes.Sequence(start_of="5", end_of="4"), "has no number"),
        (nodes.Sequence(correlation="$Body/["), "correlation"),
        (nodes.Sequence(store="Somewhere.x"), "store: "),
        (nodes.Resequence(""), "needs the path of the number"),
        (nodes.Resequence(start_of=""), "start_of is a number"),
        (nodes.Resequence(timeout=-1), "timeout is a number of seconds"),
    ],
    ids=["empty", "path", "store", "no number", "no start", "timeout"],
)
def test_what_cannot_be_is_refused(node: Node, text: str) -> None:
    assert text in " ".join(node.check())
