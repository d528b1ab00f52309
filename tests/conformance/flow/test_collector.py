"""Collector: messages of several terminals become one, by number, time and correlation; nothing is lost."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.engines import why_not_spark
from penstock.flow.events.event import queue_at
from penstock.flow.running.listener import listener_for
from penstock.tree import Path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path as FilePath

    from penstock.flow import Assembly, NodeContext

BEGIN = 1_000_000.0
PAIR = [("orders", 1, 0, "$Body/o/id"), ("bills", 1, 0, "$Body/b/id")]


class Keep(Node):
    """Keeps what it sees as texts: terminal and value of each message of a collection."""

    def __init__(self, fails: int = 0) -> None:
        super().__init__()
        self._seen: list[list[tuple[str, str]]] = []
        self._fails = fails
        self._names: list[Any] = []

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        folder = assembly.message.reference(Path("Collection"))
        assert folder is not None
        found = [
            (each.name, str(root.get(Path("v"))))
            for each in folder
            if not each.is_attribute
            for root in each.reference(Path("XMLNSC")) or ()
        ]
        if self._fails:
            self._fails -= 1
            raise ValueError("not now")
        self._seen.append(found)
        self._names.append(folder.get(Path("@CollectionName")))
        at.send("out", assembly)


class Bench:
    """A flow with a Collector behind two inputs, its clock, and what came out."""

    def __init__(self, qm: Any, folder: FilePath, handlers: Any, fails: int = 0, **properties: Any) -> None:
        self.qm, self.now = qm, BEGIN
        self.flow = Flow("collect")
        self.out, self.expired = Keep(fails), Keep()
        collector = self.flow.add(nodes.Collector(handlers, **properties))
        for queue, terminal in (("IN", "orders"), ("OUT2", "bills"), ("OUT3", "control")):
            if terminal in collector.inputs:
                start = self.flow.add(nodes.MQInput(queue, domain="XMLNSC", name=terminal))
                start.out >> collector.terminal(terminal)
        collector.out >> self.flow.add(self.out).in_
        collector.expire >> self.flow.add(self.expired).in_
        self.compiled = CompiledFlow(self.flow, Project(folder))
        self.listener: Any = None

    def begin(self) -> None:
        """Start the listener of the Collector, as after a restart."""
        self.listener = listener_for(
            self.compiled, "Collector", lambda: self.qm, sources={"clock": lambda: self.now}
        )

    def run(self, after: float = 0.0) -> None:
        """Let the inputs take what waits, then the Collector do what is ready."""
        for label in self.compiled.inputs:
            each = listener_for(self.compiled, label, lambda: self.qm, sources={"clock": lambda: self.now})
            each.run(threading.Event(), until_empty=True)
        if self.listener is None:
            self.begin()
        self.now += after
        while self.listener.step():
            pass

    def order(self, identity: int, value: str) -> None:
        self.qm.put("IN", f"<o><id>{identity}</id><v>{value}</v></o>", persistent=True)

    def bill(self, identity: int, value: str) -> None:
        self.qm.put("OUT2", f"<b><id>{identity}</id><v>{value}</v></b>", persistent=True)


@pytest.fixture
def bench(qm: Any, tmp_path: FilePath) -> Callable[..., Bench]:
    return lambda handlers=PAIR, **options: Bench(qm, tmp_path, handlers, **options)


def test_messages_with_the_same_value_form_a_collection(bench: Callable[..., Bench]) -> None:
    flow = bench(collection="pairs")
    flow.order(1, "a")
    flow.order(2, "b")
    flow.bill(2, "c")
    flow.run()
    assert flow.out._seen == [[("orders", "b"), ("bills", "c")]]
    assert flow.out._names == ["pairs"]
    flow.bill(1, "d")
    flow.run()
    assert flow.out._seen[1] == [("orders", "a"), ("bills", "d")]


def test_more_than_the_quantity_begins_the_next_collection(bench: Callable[..., Bench]) -> None:
    flow = bench([("orders", 2, 0, "$Body/o/id")])
    for value in "abcd":
        flow.order(1, value)
    flow.run()
    assert [[value for _, value in each] for each in flow.out._seen] == [["a", "b"], ["c", "d"]]


def test_a_terminal_with_a_timeout_takes_what_comes_in_time(bench: Callable[..., Bench]) -> None:
    flow = bench([("orders", 0, 30)])
    flow.order(1, "a")
    flow.order(2, "b")
    flow.run(after=29)
    assert flow.out._seen == []
    flow.run(after=1)
    assert flow.out._seen == [[("orders", "a"), ("orders", "b")]]


def test_an_incomplete_collection_expires(bench: Callable[..., Bench]) -> None:
    flow = bench(expiry=60.0)
    flow.order(1, "a")
    flow.run(after=61)
    flow.bill(1, "late")
    flow.run()
    assert (flow.expired._seen, flow.out._seen) == ([[("orders", "a")]], [])


@pytest.mark.parametrize(
    ("coordination", "left"), [("allCompleteCollections", 0), ("firstCompleteCollection", 1)]
)
def test_complete_collections_wait_for_control(
    bench: Callable[..., Bench], qm: Any, coordination: str, left: int
) -> None:
    flow = bench([("orders", 1)], coordination=coordination)
    flow.order(1, "a")
    flow.order(2, "b")
    flow.run()
    assert flow.out._seen == []
    qm.put("OUT3", b"<go/>")
    flow.run()
    assert len(flow.out._seen) == 2 - left
    queue = queue_at("collect", "Collector")
    assert len(qm.get_many(queue, 100)) == left


def test_a_pattern_takes_the_part_at_its_asterisk(bench: Callable[..., Bench]) -> None:
    flow = bench([("orders", 1, 0, "$Body/o/id"), ("bills", 1, 0, "$Body/b/v", "*.xml")])
    flow.order(17, "a")
    flow.bill(9, "17.xml")
    flow.run()
    assert len(flow.out._seen) == 1


def test_events_survive_a_restart_and_leave_with_the_commit(bench: Callable[..., Bench], qm: Any) -> None:
    flow = bench()
    flow.order(1, "a")
    flow.run()
    flow.listener.events.close()
    flow.begin()  # another process
    flow.bill(1, "b")
    flow.run()
    assert flow.out._seen == [[("orders", "a"), ("bills", "b")]]
    assert qm.get(queue_at("collect", "Collector")) is None


def test_a_failure_behind_it_keeps_the_collection_and_it_is_tried_again(bench: Callable[..., Bench]) -> None:
    flow = bench(fails=1)
    flow.order(1, "a")
    flow.bill(1, "b")
    flow.run()
    assert flow.out._seen == []
    flow.run(after=6)
    assert len(flow.out._seen) == 1


def test_only_one_listener_works_at_a_time(bench: Callable[..., Bench], qm: Any) -> None:
    flow = bench()
    flow.order(1, "a")
    flow.bill(1, "b")
    flow.begin()
    other = listener_for(flow.compiled, "Collector", lambda: qm)
    assert flow.listener.step() == 0  # it leads from now on
    flow.run()
    assert other.step() == 0
    assert len(flow.out._seen) == 1


def test_a_message_that_is_backed_out_is_in_no_collection(bench: Callable[..., Bench], qm: Any) -> None:
    flow = bench()
    throw = flow.flow.add(nodes.Throw("no"))
    flow.flow.node("orders").out >> throw.in_
    flow.compiled = CompiledFlow(flow.flow, flow.compiled.project)
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    flow.order(1, "a")
    flow.bill(1, "b")
    flow.run()
    assert flow.out._seen == []
    assert len(qm.get_many("BACKOUT", 10)) == 1


def test_spark_leaves_it_to_the_inline_engine(bench: Callable[..., Bench]) -> None:
    assert "it keeps time and state" in str(why_not_spark(bench().compiled)[0])


@pytest.mark.parametrize(
    ("handlers", "properties", "text"),
    [
        ([], {}, "1 to 100 input terminals"),
        ([("a", 1), ("a", 1)], {}, "not unique"),
        ([("a", 0)], {}, "needs a quantity or a timeout"),
        ([("a", -1)], {"expiry": 5.0}, "cannot be negative"),
        ([("a", 1, 0, "$Nothing/x")], {}, "there is no variable $Nothing"),
        ([("a", 1)], {"coordination": "later"}, "coordination 'later' is not one of"),
        ([("a", 1, 0, "", "*.*")], {}, "more than one asterisk"),
    ],
)
def test_what_cannot_be_is_refused(handlers: Any, properties: dict[str, Any], text: str) -> None:
    assert text in " ".join(nodes.Collector(handlers, **properties).check())
