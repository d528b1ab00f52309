"""TimeoutControl and TimeoutNotification: requests on a queue, due at their times, once, over restarts."""

from __future__ import annotations

import threading
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.running.listener import listener_for
from penstock.flow.timers.record import QUEUE
from penstock.tree import Path
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path as FilePath

    from penstock.flow import Assembly, NodeContext

BEGIN = datetime(2026, 3, 1, 12, 0, 0).timestamp()  # noqa: DTZ001  (requests speak of local times)


class Clock:
    """Time that goes on when the test says so."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> float:
        return self.now


class Asking(Node):
    """Writes a timeout request."""

    def __init__(self, **fields: Any) -> None:
        super().__init__()
        self._fields = fields

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        trees = assembly.copied_local_environment()
        for name, value in {"Action": "SET", "Identifier": "one", **self._fields}.items():
            if value is not None:
                trees.set(Path("TimeoutRequest", name), value)
        at.send("out", assembly.sending(local_environment=trees))


class Seeing(Node):
    """Keeps the requests that come with messages."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: list[dict[str, Any]] = []

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        folder = assembly.local_environment.reference(Path("TimeoutRequest"))
        self._seen.append({field.name: field.value for field in folder or ()})
        at.send("out", assembly)


def controlling(**fields: Any) -> Flow:
    flow = Flow("controlling")
    start, asking = flow.add(nodes.MQInput("IN", domain="XMLNSC")), flow.add(Asking(**fields))
    control = flow.add(nodes.TimeoutControl("T"))
    start.out >> asking.in_
    asking.out >> control.in_
    control.out >> flow.add(nodes.MQOutput("OUT2")).in_
    control.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def notifying(seeing: Seeing | None = None, **properties: Any) -> Flow:
    flow = Flow("notifying")
    start = flow.add(nodes.TimeoutNotification("T", **{"mode": "controlled", **properties}))
    seeing = flow.add(seeing or Seeing())
    start.out >> seeing.in_
    seeing.out >> flow.add(nodes.MQOutput("OUT")).in_
    return flow


@pytest.fixture
def clock() -> Clock:
    """The clock of the flows."""
    return Clock()


@pytest.fixture
def ask(qm: Any, run: Callable[..., Any], clock: Clock) -> Callable[..., None]:
    """Send a message with a request through a TimeoutControl."""

    def send(body: bytes = b"<a/>", persistent: bool = True, **fields: Any) -> None:
        qm.put("IN", body, persistent=persistent, correl_id=b"c" * 24)
        run(controlling(**fields), sources={"clock": clock})

    return send


@pytest.fixture
def started(qm: Any, tmp_path: FilePath, clock: Clock) -> Callable[..., Any]:
    """Start a notifying flow and return what drives it."""

    def start(flow: Flow, **options: Any) -> Any:
        compiled = CompiledFlow(flow, Project(tmp_path))
        return listener_for(
            compiled, next(iter(compiled.inputs)), lambda: qm, sources={"clock": clock}, **options
        )

    return start


def after(clock: Clock, listener: Any, seconds: float) -> int:
    """Let time pass; return how many timeouts came."""
    clock.now = BEGIN + seconds
    return sum(iter(listener.step, 0))


def test_a_message_comes_at_its_time(qm: Any, ask: Any, started: Any, clock: Clock) -> None:
    seeing = Seeing()
    listener = started(notifying(seeing))
    ask(b"<later/>", StartTime="12:00:30")
    assert bodies(qm, "OUT2") == [b"<later/>"]
    assert after(clock, listener, 29) == 0
    assert after(clock, listener, 30) == 1
    assert after(clock, listener, 300) == 0
    got = qm.get("OUT")
    assert (got.body, got.correl_id, got.persistent) == (b"<later/>", b"c" * 24, True)
    assert seeing._seen == [
        {
            "Action": "SET",
            "Identifier": "one",
            "StartDate": "2026-03-01",
            "StartTime": "12:00:30",
            "Interval": 0,
            "Count": 1,
            "IgnoreMissed": True,
            "AllowOverwrite": True,
        }
    ]
    assert bodies(qm, QUEUE) == []


def test_without_a_start_it_comes_now(qm: Any, ask: Any, started: Any, clock: Clock) -> None:
    listener = started(notifying())
    ask(StartTime="NOW", StartDate="TODAY")
    assert after(clock, listener, 0) == 1


def test_interval_and_count(qm: Any, ask: Any, started: Any, clock: Clock) -> None:
    listener = started(notifying())
    ask(Interval=10, Count=3)
    times = (0, 5, 10, 19, 20, 30, 40)
    assert [after(clock, listener, seconds) for seconds in times] == [1, 0, 1, 0, 1, 0, 0]
    assert bodies(qm, "OUT") == [b"<a/>"] * 3


def test_count_minus_one_never_ends(ask: Any, started: Any, clock: Clock) -> None:
    listener = started(notifying())
    ask(Interval=10, Count=-1)
    assert [after(clock, listener, 10 * n) for n in range(20)] == [1] * 20


def test_another_day(ask: Any, started: Any, clock: Clock) -> None:
    listener = started(notifying())
    ask(StartDate="2026-03-02", StartTime="08:00:00")
    assert after(clock, listener, 20 * 3600 - 1) == 0
    assert after(clock, listener, 20 * 3600) == 1


def test_identifiers_are_apart_and_a_new_request_replaces_the_old(
    qm: Any, ask: Any, started: Any, clock: Clock
) -> None:
    listener = started(notifying())
    ask(b"<old/>", StartTime="12:00:10")
    ask(b"<other/>", Identifier="two", StartTime="12:00:10")
    assert after(clock, listener, 1) == 0
    ask(b"<new/>", StartTime="12:00:20")
    assert after(clock, listener, 10) == 1
    assert after(clock, listener, 20) == 1
    assert bodies(qm, "OUT") == [b"<other/>", b"<new/>"]


def test_overwriting_can_be_refused(qm: Any, ask: Any, started: Any, clock: Clock) -> None:
    listener = started(notifying())
    ask(b"<old/>", StartTime="12:00:10")
    ask(b"<new/>", StartTime="12:00:20", AllowOverwrite=False)
    assert bodies(qm, "FAILED") == [b"<new/>"]
    assert after(clock, listener, 30) == 1
    assert bodies(qm, "OUT") == [b"<old/>"]


def test_cancel(qm: Any, ask: Any, started: Any, clock: Clock) -> None:
    listener = started(notifying())
    ask(b"<old/>", StartTime="12:00:10")
    ask(b"<cancel/>", Action="CANCEL")
    assert after(clock, listener, 30) == 0
    assert bodies(qm, QUEUE) == []
    ask(b"<again/>", Action="CANCEL")
    assert bodies(qm, "FAILED") == [b"<again/>"]


@pytest.mark.parametrize(
    ("fields", "comes"),
    [
        ({"IgnoreMissed": True}, [0, 0]),
        ({"IgnoreMissed": False}, [1, 0]),
        ({"IgnoreMissed": True, "Interval": 60, "Count": 3}, [0, 1]),
        ({"IgnoreMissed": False, "Interval": 60, "Count": 3}, [2, 1]),
    ],
)
def test_what_was_missed_while_nothing_ran(
    ask: Any, started: Any, clock: Clock, fields: dict[str, Any], comes: list[int]
) -> None:
    ask(StartTime="12:00:10", **fields)
    clock.now = BEGIN + 100
    listener = started(notifying())
    assert [after(clock, listener, 100), after(clock, listener, 130)] == comes


def test_requests_survive_a_restart(qm: Any, ask: Any, clock: Clock, tmp_path: FilePath) -> None:
    ask(b"<kept/>", StartTime="12:00:30", persistent=True)
    ask(b"<gone/>", Identifier="two", StartTime="12:00:30", persistent=False)
    qm.close()
    with penstock.embed("QM1", home=tmp_path / "home") as again:
        compiled = CompiledFlow(notifying(), Project(tmp_path))
        listener = listener_for(
            compiled, next(iter(compiled.inputs)), lambda: again, sources={"clock": clock}
        )
        assert after(clock, listener, 60) == 1
        assert bodies(again, "OUT") == [b"<kept/>"]


def test_several_instances_send_each_timeout_once(qm: Any, ask: Any, started: Any, clock: Clock) -> None:
    listeners = [started(notifying()) for _ in range(3)]
    ask(Interval=10, Count=5)
    came = [sum(after(clock, each, 10 * n) for each in listeners) for n in range(7)]
    assert came == [1, 1, 1, 1, 1, 0, 0]


def test_automatic(qm: Any, started: Any, clock: Clock) -> None:
    seeing = Seeing()
    listener = started(notifying(seeing, mode="automatic", interval=5.0))
    assert [after(clock, listener, seconds) for seconds in (0, 4.9, 5, 9.9, 10)] == [0, 0, 1, 0, 1]
    assert after(clock, listener, 100) == 1  # and not nineteen
    assert bodies(qm, "OUT") == [b""] * 3
    assert {(each["Interval"], each["Count"]) for each in seeing._seen} == {(5, -1)}


def test_automatic_with_several_instances_and_another_interval_later(started: Any, clock: Clock) -> None:
    listeners = [started(notifying(mode="automatic", interval=5.0)) for _ in range(3)]
    assert [sum(after(clock, each, 5 * n) for each in listeners) for n in range(4)] == [0, 1, 1, 1]
    other = started(notifying(mode="automatic", interval=60.0))
    assert [after(clock, other, seconds) for seconds in (30, 60, 75)] == [0, 0, 1]


class Moody(Node):
    """Fails as often as it was told."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self._failures = failures

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        if self._failures:
            self._failures -= 1
            raise ValueError("not now")
        at.send("out", assembly)


def moody(failures: int) -> Flow:
    flow = notifying()
    flow.wires.clear()
    node = flow.add(Moody(failures))
    flow.nodes[0].out >> flow.node("MQOutput").in_
    flow.node("MQOutput").out >> node.in_
    return flow


def test_a_timeout_that_fails_is_backed_out_and_comes_again(
    qm: Any, ask: Any, started: Any, clock: Clock
) -> None:
    listener = started(moody(failures=1))
    ask()
    assert after(clock, listener, 0) == 0
    assert bodies(qm, "OUT") == []
    assert after(clock, listener, 6) == 1
    assert bodies(qm, "OUT") == [b"<a/>"]
    assert (listener.tally.failed, listener.tally.messages) == (1, 1)


def test_catch_handles_a_failure(qm: Any, ask: Any, started: Any, clock: Clock) -> None:
    flow = moody(failures=1)
    flow.nodes[0].catch >> flow.add(nodes.MQOutput("CAUGHT")).in_
    listener = started(flow)
    ask()
    assert after(clock, listener, 0) == 1
    assert bodies(qm, "CAUGHT") == [b"<a/>"]


def test_a_thread_runs_it(qm: Any, tmp_path: FilePath) -> None:
    compiled = CompiledFlow(notifying(mode="automatic", interval=0.05), Project(tmp_path))
    listener = listener_for(compiled, next(iter(compiled.inputs)), lambda: qm)
    stop = threading.Event()
    thread = threading.Thread(target=listener.run, args=(stop,))
    thread.start()
    assert qm.get("OUT", wait=60.0) is not None
    assert qm.get("OUT", wait=60.0) is not None
    stop.set()
    thread.join(60.0)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    "fields",
    [
        {"Action": None},
        {"Action": "POSTPONE"},
        {"Identifier": None},
        {"StartDate": "tomorrow"},
        {"StartTime": "25:00:00"},
        {"Count": 0},
        {"Count": 2},
        {"Count": "many"},
        {"Interval": -1},
        {"IgnoreMissed": "perhaps"},
    ],
)
def test_a_request_that_cannot_be_goes_to_failure(qm: Any, ask: Any, fields: dict[str, Any]) -> None:
    ask(**fields)
    assert bodies(qm, "FAILED") == [b"<a/>"]
    assert bodies(qm, QUEUE) == []


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        (nodes.TimeoutNotification(""), "needs an identifier"),
        (nodes.TimeoutNotification("T", mode="sometimes"), "mode 'sometimes' is not one of"),
        (nodes.TimeoutNotification("T", interval=0), "interval is a number of seconds above 0"),
        (nodes.TimeoutControl(""), "needs the identifier"),
        (nodes.TimeoutControl("T", persistence="x"), "persistence 'x' is not one of"),
        (nodes.TimeoutControl("T", request="x"), "request: 'x' is no location"),
    ],
)
def test_properties_are_checked_when_the_flow_is_built(node: Node, problem: str) -> None:
    flow = Flow("checked")
    flow.add(node)
    with pytest.raises(Exception, match=problem):
        CompiledFlow(flow)
