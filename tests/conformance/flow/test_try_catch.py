"""TryCatch and Throw: where failures end, what the catch terminal gets, what ExceptionList says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Node, nodes
from penstock.tree import Path
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow import Assembly, NodeContext


class Changing(Node):
    """Sends another message, with marks in LocalEnvironment and Environment."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message, trees = assembly.message.copy(), assembly.copied_local_environment()
        message.set(Path("BLOB", "BLOB"), b"changed")
        trees.reference().add_last_child("Mark", 1)
        assembly.environment.reference().add_last_child("Mark", 1)
        at.send("out", assembly.sending(message, trees))


class Looking(Node):
    """Keeps what it sees."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: list[Any] = []

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        user = assembly.exception_list.reference()
        while user.to_last_child() and user.name.endswith("Exception"):
            kind = user.name
            found = {field.name: field.value for field in user if field.has_value}
            inserts = [field.get(Path("Text")) for field in user if field.name == "Insert"]
        self._seen.append(
            (
                kind,
                found["Number"],
                inserts,
                [field.name for field in assembly.local_environment],
                [field.name for field in assembly.environment],
            )
        )
        at.send("out", assembly)


def tried(catch: bool = True) -> tuple[Flow, Looking]:
    flow = Flow("tried")
    start, guard = flow.add(nodes.MQInput("IN")), flow.add(nodes.TryCatch())
    changing, before = flow.add(Changing()), flow.add(nodes.MQOutput("OUT2"))
    throw, looking = flow.add(nodes.Throw("no such customer", number=3005)), flow.add(Looking())
    out = flow.add(nodes.MQOutput("OUT"))
    start.out >> guard.in_
    guard.try_ >> changing.in_
    changing.out >> before.in_
    before.out >> throw.in_
    if catch:
        guard.catch >> looking.in_
    looking.out >> out.in_
    return flow, looking


@pytest.mark.parametrize("batch", [1, 100])
def test_catch_gets_what_came_to_the_node(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"order", persistent=True)
    flow, looking = tried()
    tally = run(flow, batch=batch).tally
    assert bodies(qm, "OUT") == [b"order"]
    assert looking._seen == [("UserException", 3005, ["no such customer"], [], ["Mark"])]
    assert (tally.messages, tally.failed) == (1, 0)


@pytest.mark.parametrize("batch", [1, 100])
def test_what_was_put_before_the_failure_stays_in_the_unit(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    qm.put("IN", b"order", persistent=True)
    run(tried()[0], batch=batch)
    assert bodies(qm, "OUT2") == [b"changed"]


def test_decision_without_a_catch_wire_failures_pass_on(qm: Any, run: Callable[..., Any]) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    qm.put("IN", b"order", persistent=True)
    assert run(tried(catch=False)[0]).tally.given_up == 1
    assert bodies(qm, "BACKOUT") == [b"order"]


def test_a_failure_below_catch_goes_up(qm: Any, run: Callable[..., Any]) -> None:
    flow, looking = tried()
    again, away = flow.add(nodes.Throw("again")), flow.add(nodes.MQOutput("CAUGHT"))
    looking.out >> again.in_
    flow.nodes[0].catch >> away.in_
    qm.put("IN", b"order", persistent=True)
    run(flow)
    assert bodies(qm, "CAUGHT") == [b"order"]


def test_throw_with_its_failure_terminal_wired(qm: Any, run: Callable[..., Any]) -> None:
    flow = Flow("thrown")
    start, throw = flow.add(nodes.MQInput("IN")), flow.add(nodes.Throw("no"))
    out = flow.add(nodes.MQOutput("FAILED"))
    start.out >> throw.in_
    throw.failure >> out.in_
    qm.put("IN", b"x")
    run(flow)
    assert bodies(qm, "FAILED") == [b"x"]


def test_a_number_that_is_none_is_refused_when_the_flow_is_built() -> None:
    flow = Flow("thrown")
    flow.add(nodes.MQInput("IN")).out >> flow.add(nodes.Throw("no", number="many")).in_  # type: ignore[arg-type]
    with pytest.raises(Exception, match="Throw: number 'many' is no whole number"):
        CompiledFlow(flow)
