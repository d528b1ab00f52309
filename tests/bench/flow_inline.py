"""Simple flows, queue to queue, inline in batches of 100, against an lxml loop on the same queues.

Pass puts the message as it came, and its floor, which has nothing to do but move bytes, sets no target;
filter looks at one field; set changes one; route chooses a queue by a field; JSON changes a field of a JSON
message (its floor uses the standard library). Filter and set also go up to 64 KB, without a target. Both
sides get 100 messages in a unit, put 100 and commit. All in one thread with the queue manager embedded, and
its processor time is measured; the last row is over the local socket, with the processor time of the client.
A round is made of short slices, both sides by turns: a neighbour that wakes up spoils a few of many ratios,
not one of five.
"""

from __future__ import annotations

import json
import threading
import time
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.running.queue_listener import QueueListener
from penstock.lab.analysis.results import Result, Row, Target, at_least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.lab.load.setting import Setting

BATCH = 100
SLICES = 7  # of a round
SIZES = (1, 4)
LARGE = (16, 64)  # KB of XML, for filter and set: how the ratio goes on
SIMPLE = at_least(3)
PERSISTENT = at_least(0.8)
GROWING = ("filter", "set")
FLOORS: dict[str, tuple[str, Target | None]] = {
    "pass": ("bytes moved", None),
    "JSON": ("json loop", SIMPLE),
}
ESQL = """
CREATE COMPUTE MODULE SetXml
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET OutputRoot.XMLNSC.Order.State = 'billed';
    RETURN TRUE;
  END;
END MODULE;
CREATE COMPUTE MODULE SetJson
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET OutputRoot.JSON.Data.Order.State = 'billed';
    RETURN TRUE;
  END;
END MODULE;
"""


class Case(NamedTuple):
    """A flow and the hand-written loop that does the same."""

    name: str
    domain: str
    node: Callable[[], Any] | None
    outputs: tuple[str, ...]
    by_hand: Callable[[bytes], tuple[str, bytes]]


def xml_body(kilobytes: int) -> bytes:
    line = "<Line><Item>%06d</Item><Price>12.50</Price><Text>something that was ordered</Text></Line>"
    head = "<Order><Total>2000</Total><State>new</State>"
    lines, size = [], len(head)
    while size < kilobytes * 1024 - 100:
        lines.append(line % len(lines))
        size += len(lines[-1])
    return f"{head}{''.join(lines)}</Order>".encode()


def json_body(kilobytes: int) -> bytes:
    lines: list[dict[str, Any]] = []
    order = {"Order": {"Total": 2000, "State": "new", "Lines": lines}}
    while len(json.dumps(order)) < kilobytes * 1024 - 80:
        lines.append({"Item": f"{len(lines):06}", "Price": 12.5, "Text": "something that was ordered"})
    return json.dumps(order).encode()


def pass_by_hand(body: bytes) -> tuple[str, bytes]:
    return "OUT", body


def choose_by_hand(body: bytes) -> tuple[str, bytes]:
    root = etree.fromstring(body)
    return ("OUT" if float(root.findtext("Total")) > 1000 else "OUT2"), body


def set_by_hand(body: bytes) -> tuple[str, bytes]:
    root = etree.fromstring(body)
    root.find("State").text = "billed"
    return "OUT", etree.tostring(root)


def set_json_by_hand(body: bytes) -> tuple[str, bytes]:
    order = json.loads(body)
    order["Order"]["State"] = "billed"
    return "OUT", json.dumps(order).encode()


def routing() -> Any:
    return nodes.Route([("$Root/XMLNSC/Order/Total > 1000", "large")])


CASES = (
    Case("pass", "XMLNSC", None, ("out",), pass_by_hand),
    Case("filter", "XMLNSC", lambda: nodes.Filter("Body.Order.Total > 1000"), ("true",), choose_by_hand),
    Case("set", "XMLNSC", lambda: nodes.Compute(module="SetXml"), ("out",), set_by_hand),
    Case("route", "XMLNSC", routing, ("large",), choose_by_hand),
    Case("JSON", "JSON", lambda: nodes.Compute(module="SetJson"), ("out",), set_json_by_hand),
)


def measure(setting: Setting) -> Iterator[Result]:
    count = setting.size(1000, 500)
    with TemporaryDirectory() as folder, setting.queue_manager("IN", "OUT", "OUT2") as qm:
        project = project_in(folder)
        for case in CASES:
            for size in SIZES + (LARGE if case.name in GROWING else ()):
                body = json_body(size) if case.domain == "JSON" else xml_body(size)
                few = max(BATCH, count // size) if size in LARGE else count
                listener = listener_for(case, project, qm)
                assert equal(case, listener, qm, body), case.name
                ours, hand = partial(flowing, listener, qm), partial(by_hand, case, qm)
                runs = [partial(rate, each, qm, body, few, False, time.thread_time) for each in (ours, hand)]
                values = setting.interleave(*runs, times=SLICES)
                floor, target = FLOORS.get(case.name, ("lxml loop", None if size in LARGE else SIMPLE))
                yield Row(f"{case.name}, {size} KB", floor, "/s", *values, target=target)
        yield persistent_row(setting, project, qm, count)
    yield from over_a_socket(setting, count)


def persistent_row(setting: Setting, project: Project, qm: Any, count: int, where: str = "") -> Row:
    """Persistent: a flow that sets a field beside the flow that only passes, by the clock on the wall.

    Over a socket the queue manager writes while the flow works, and the work hides behind the disk. Embedded,
    one thread does both, and the ratio tells how much cheaper than the work the queue has become:
    docs/decisions/0011.
    """
    listeners = [listener_for(case, project, qm) for case in (CASES[2], CASES[0])]
    runs = [
        partial(rate, partial(flowing, each, qm), qm, xml_body(1), count, True, time.perf_counter)
        for each in listeners
    ]
    values = setting.interleave(*runs, times=SLICES)
    name = f"set, 1 KB, persistent{where and ', '}{where}"
    return Row(name, "pass, persistent", "/s", *values, target=PERSISTENT if where else None)


def over_a_socket(setting: Setting, count: int) -> Iterator[Row]:
    """Set beside the lxml loop, both clients on the local socket of one server process."""
    from tests.flow_station import Station

    with TemporaryDirectory() as folder:
        from pathlib import Path

        station = Station(Path(folder), log={})
        station.start()
        try:
            with station.connect() as qm:
                case, project = CASES[2], project_in(folder)
                listener = listener_for(case, project, qm)
                runs = [
                    partial(rate, each, qm, xml_body(1), count, False, time.process_time)
                    for each in (partial(flowing, listener, qm), partial(by_hand, case, qm))
                ]
                values = setting.interleave(*runs, times=SLICES)
                yield Row("set, 1 KB, local socket", "lxml loop", "/s", *values, target=SIMPLE)
                yield persistent_row(setting, project, qm, 4 * count, "local socket")
        finally:
            station.stop()


def project_in(folder: str) -> Project:
    from pathlib import Path

    place = Path(folder) / "bench-project"
    (place / "esql").mkdir(parents=True, exist_ok=True)
    (place / "esql" / "bench.esql").write_text(ESQL)
    return Project(place)


def listener_for(case: Case, project: Project, qm: Any) -> QueueListener:
    flow = Flow(case.name)
    start = flow.add(nodes.MQInput("IN", domain=case.domain))
    out = flow.add(nodes.MQOutput("OUT"))
    if case.node is None:
        start.out >> out.in_
    else:
        middle = flow.add(case.node())
        start.out >> middle.in_
        for terminal in case.outputs:
            middle.terminal(terminal) >> out.in_
    return QueueListener(CompiledFlow(flow, project), "MQInput", qm, batch=BATCH)


def flowing(listener: QueueListener, qm: Any) -> None:
    listener.run(threading.Event(), until_empty=True)


def by_hand(case: Case, qm: Any) -> None:
    """The loop that a person would write."""
    work = case.by_hand
    while True:
        with qm.unit_of_work():
            found = qm.get_many("IN", BATCH)
            if not found:
                return
            outputs: dict[str, list[bytes]] = {}
            for message in found:
                queue, body = work(message.body)
                outputs.setdefault(queue, []).append(body)
            for queue, bodies in outputs.items():
                qm.put_many(queue, bodies, persistent=found[0].persistent)


def rate(
    run: Callable[[], None], qm: Any, body: bytes, count: int, persistent: bool, clock: Callable[[], float]
) -> float:
    """Return messages a second of what takes them from IN to OUT."""
    for _ in range(count // BATCH):
        qm.put_many("IN", [body] * BATCH, persistent=persistent)
    began = clock()
    run()
    took = clock() - began
    moved = sum(len(qm.get_many("OUT", 1000)) for _ in range(count // 1000 + 1))
    assert moved == count, (moved, count)
    return count / took


def equal(case: Case, listener: QueueListener, qm: Any, body: bytes) -> bool:
    """Say whether flow and hand-written loop give the same document."""
    qm.put("IN", body)
    flowing(listener, qm)
    ours = qm.get("OUT").body
    _, theirs = case.by_hand(body)
    if case.domain == "JSON":
        return bool(json.loads(ours) == json.loads(theirs))
    return bool(etree.tostring(etree.fromstring(ours)) == etree.tostring(etree.fromstring(theirs)))
