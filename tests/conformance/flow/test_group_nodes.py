"""GroupScatter, GroupGather and GroupComplete: every terminal and property; a group ends once."""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.engines import why_not_spark
from penstock.flow.events.grouping import queue_of_group
from penstock.flow.running.listener import listener_for
from penstock.model.errors import MQError
from penstock.tree import Path

if TYPE_CHECKING:
    from pathlib import Path as FilePath

BEGIN = 1_000_000.0
CONTEXT = Path("Destination", "GroupScatter", "Context")
GROUP = Path("ComIbmGroupCompleteNode", "Group")


def quotes(
    seen: dict[str, list[Any]], timeout: float = 0.0, unknown: float = 0.0, environment: bool = False
) -> Flow:
    """Return a flow that asks two queues for a quote, takes the replies, and keeps what comes out."""

    def context(call: Any) -> None:
        tree = call.environment if environment else call.local_environment
        field = tree.create(CONTEXT)
        field.add_last_child("Order", 17)
        field.add_last_child("Price", Decimal("9.50"))
        field.add_last_child("Token", b"\x01\x02")

    def sees(terminal: str) -> nodes.PythonCompute:
        def keep(call: Any) -> None:
            seen[terminal].append((call.message.copy(), call.local_environment.copy()))

        return flow.add(nodes.PythonCompute(keep, name=terminal))

    flow = Flow("quotes")
    start = flow.add(nodes.MQInput("IN", domain="JSON"))
    begin = flow.add(nodes.PythonCompute(context, name="context"))
    scatter = flow.add(nodes.GroupScatter("QUOTES", timeout=timeout))
    start.out >> begin.in_
    begin.out >> scatter.in_
    for folder in ("Bumper", "Door"):
        ask = nodes.MQOutput(
            folder.upper(), new_msg_id=True, add_to_group=True, group_folder=folder, name=folder
        )
        scatter.out >> flow.add(ask).in_
    scatter.GroupCreated >> sees("created").in_
    replies = flow.add(nodes.MQInput("REPLIES", domain="JSON", name="replies"))
    replies.out >> flow.add(nodes.GroupGather("QUOTES", unknown_timeout=unknown)).in_
    complete = flow.add(nodes.GroupComplete("QUOTES"))
    for terminal in ("out", "timeout", "unknown"):
        complete.terminal(terminal) >> sees(terminal).in_
    return flow


class Bench:
    """The flow on a queue manager, its clock, and what came out of each terminal."""

    def __init__(self, qm: Any, folder: FilePath, **options: Any) -> None:
        self.qm, self.now = qm, BEGIN
        self.seen: dict[str, list[Any]] = {name: [] for name in ("created", "out", "timeout", "unknown")}
        self.compiled = CompiledFlow(quotes(self.seen, **options), Project(folder))
        self.complete: Any = None
        for queue in ("BUMPER", "DOOR", "REPLIES"):
            qm.mqsc(f"DEFINE QLOCAL({queue})")

    def run(self, after: float = 0.0) -> None:
        """Let the inputs take what waits, then the GroupComplete do what is ready."""
        self.now += after
        for label in ("MQInput", "replies"):
            self._listener(label).run(threading.Event(), until_empty=True)
        self.complete = self.complete or self._listener("GroupComplete")
        self.complete.step()

    def _listener(self, label: str) -> Any:
        return listener_for(self.compiled, label, lambda: self.qm, sources={"clock": lambda: self.now})

    def restart(self) -> None:
        """Forget what the GroupComplete knows, as its process does when it is killed."""
        self.complete.events.close()
        self.complete = None

    def begin(self) -> list[Any]:
        """Start a group; return its requests."""
        self.qm.put("IN", b'{"car": 1}')
        self.run()
        return [self.qm.get("BUMPER"), self.qm.get("DOOR")]

    def answer(self, request: Any, body: str) -> None:
        self.qm.put("REPLIES", body.encode(), correl_id=request.msg_id)

    def left(self) -> int:
        """Return how many events the queue of the group still holds."""
        told = self.qm.mqsc(f"DISPLAY QLOCAL({queue_of_group('QUOTES')}) CURDEPTH")
        return int(told[0].attributes["CURDEPTH"])

    def values(self, terminal: str) -> list[dict[str, Any]]:
        """Return the reply of each folder in every message of a terminal."""
        return [
            {
                each.name: each.get(Path("Reply", "Root", "JSON", "Data", "cost"))
                for each in message.reference(GROUP).reference(Path("Replies"))
            }
            for message, _ in self.seen[terminal]
        ]


@pytest.fixture
def bench(qm: Any, tmp_path: FilePath) -> Bench:
    """A group without a time limit."""
    return Bench(qm, tmp_path)


def test_all_replies_make_one_message(bench: Bench) -> None:
    bumper, door = bench.begin()
    bench.answer(door, '{"cost": 5}')
    bench.run()
    assert bench.seen["out"] == []
    bench.answer(bumper, '{"cost": 7}')
    bench.run()

    assert bench.values("out") == [{"Bumper": 7, "Door": 5}]
    assert bench.left() == 0


def test_the_context_comes_back_with_its_types(bench: Bench) -> None:
    for request in bench.begin():
        bench.answer(request, '{"cost": 1}')
    bench.run()

    context = bench.seen["out"][0][0].reference(GROUP).reference(Path("Context"))
    assert [(each.name, each.value) for each in context] == [
        ("Order", 17),
        ("Price", Decimal("9.50")),
        ("Token", b"\x01\x02"),
    ]


def test_the_context_may_be_in_environment(qm: Any, tmp_path: FilePath) -> None:
    bench = Bench(qm, tmp_path, environment=True)
    for request in bench.begin():
        bench.answer(request, '{"cost": 1}')
    bench.run()

    assert bench.seen["out"][0][0].reference(GROUP).get(Path("Context", "Order")) == 17


def test_group_created_names_the_requests(bench: Bench) -> None:
    requests = bench.begin()

    [(_, local)] = bench.seen["created"]
    written = local.reference(Path("WrittenDestination", "GroupScatter"))
    told = [[field.value for field in each] for each in written.each(Path("Requests"))]
    assert told == [[requests[0].msg_id, "Bumper"], [requests[1].msg_id, "Door"]]


def test_a_group_whose_time_is_over_has_the_replies_so_far(qm: Any, tmp_path: FilePath) -> None:
    bench = Bench(qm, tmp_path, timeout=30.0)
    bumper, door = bench.begin()
    bench.answer(door, '{"cost": 5}')
    bench.run(after=29.0)
    assert bench.seen["timeout"] == []
    bench.run(after=2.0)
    bench.answer(bumper, '{"cost": 7}')
    bench.run()

    assert bench.values("timeout") == [{"Door": 5}]
    assert bench.seen["out"] == []
    assert [message.get(Path("JSON", "Data", "cost")) for message, _ in bench.seen["unknown"]] == [7]


def test_a_reply_waits_for_its_group(qm: Any, tmp_path: FilePath) -> None:
    bench = Bench(qm, tmp_path, unknown=5.0)
    qm.put("REPLIES", b'{"cost": 1}', correl_id=b"nobody".ljust(24))
    bench.run()
    assert bench.seen["unknown"] == []
    bench.run(after=5.5)

    assert len(bench.seen["unknown"]) == 1


def test_a_group_survives_the_end_of_its_process(bench: Bench) -> None:
    bumper, door = bench.begin()
    bench.answer(door, '{"cost": 5}')
    bench.run()
    bench.restart()
    bench.answer(bumper, '{"cost": 7}')
    bench.run()
    bench.restart()
    bench.run()

    assert bench.values("out") == [{"Bumper": 7, "Door": 5}]


def test_a_second_reply_to_one_request_is_unknown(bench: Bench) -> None:
    bumper, door = bench.begin()
    bench.answer(bumper, '{"cost": 1}')
    bench.answer(bumper, '{"cost": 2}')
    bench.answer(door, '{"cost": 3}')
    bench.run()

    assert bench.values("out") == [{"Bumper": 1, "Door": 3}]
    assert [message.get(Path("JSON", "Data", "cost")) for message, _ in bench.seen["unknown"]] == [2]


def test_a_reply_that_cannot_be_parsed_is_there_as_a_blob(bench: Bench) -> None:
    bumper, door = bench.begin()
    bench.answer(bumper, "{bad")
    bench.answer(door, '{"cost": 3}')
    bench.run()

    replies = bench.seen["out"][0][0].reference(GROUP).reference(Path("Replies"))
    assert replies.get(Path("Bumper", "Reply", "Root", "BLOB", "BLOB")) == b"{bad"
    assert replies.get(Path("Door", "Reply", "Root", "JSON", "Data", "cost")) == 3


def test_a_request_outside_a_group_fails(qm: Any, tmp_path: FilePath) -> None:
    flow = Flow("alone")
    start = flow.add(nodes.MQInput("IN"))
    problems: list[str] = []
    handled = flow.add(nodes.PythonCompute(lambda call: problems.append(str(call.exception_list))))
    start.out >> flow.add(nodes.MQOutput("OUT", add_to_group=True, group_folder="A")).in_
    start.catch >> handled.in_
    qm.put("IN", b"x")
    listener_for(CompiledFlow(flow, Project(tmp_path)), "MQInput", lambda: qm).run(
        threading.Event(), until_empty=True
    )

    assert len(problems) == 1
    assert "no GroupScatter before this node" in problems[0]
    assert qm.get("OUT") is None


def test_what_is_missing_is_said_when_the_flow_is_built(tmp_path: FilePath) -> None:
    flow = Flow("wrong")
    start = flow.add(nodes.MQInput("IN"))
    scatter = flow.add(nodes.GroupScatter("", timeout=-1))
    start.out >> scatter.in_
    scatter.out >> flow.add(nodes.MQOutput("OUT", add_to_group=True)).in_
    flow.add(nodes.GroupComplete(""))

    with pytest.raises(MQError) as raised:
        CompiledFlow(flow, Project(tmp_path))
    for text in ("needs a group name", "negative", "needs group_folder"):
        assert text in str(raised.value)


def test_groups_need_the_inline_engine(tmp_path: FilePath) -> None:
    compiled = CompiledFlow(
        quotes({name: [] for name in ("created", "out", "timeout", "unknown")}), Project(tmp_path)
    )

    assert "GroupComplete" in [each.node for each in why_not_spark(compiled)]
