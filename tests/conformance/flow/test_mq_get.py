"""MQGet: terminals, matching, browsing, where results go, transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Kind, Node, nodes
from penstock.tree import Path
from tests.flow_fixtures import bodies
from tests.patience import lasts

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow import Assembly, NodeContext

MESSAGE, CORRELATION = b"m" * 24, b"c" * 24
HELD = b"<Held><Total>5</Total></Held>"
ORDER = b"<Order/>"


class Looking(Node):
    """Keeps LocalEnvironment.MQ.GET and Environment."""

    def __init__(self, seen: list[Any]) -> None:
        super().__init__()
        self._seen = seen

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        told = assembly.local_environment.reference(Path("MQ", "GET"))
        self._seen.append({field.name: field.value for field in told or ()})
        at.send("out", assembly)


class Asking(Node):
    """Says in LocalEnvironment what to get, in another way than the node does."""

    def __init__(self, field: str = "QName") -> None:
        super().__init__()
        self._field = field

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        trees = assembly.copied_local_environment()
        trees.set(Path("MQ", "GET", self._field), "OUT3")
        trees.set(Path("MQ", "GET", "MQGMO", "WaitInterval"), 0)
        at.send("out", assembly.sending(local_environment=trees))


def getting(*before: Node, queue: str = "HELD", **properties: Any) -> tuple[Flow, list[Any]]:
    flow, seen = Flow("getting"), list[Any]()
    place = flow.add(nodes.MQInput("IN", domain="XMLNSC")).out
    flow.nodes[0].catch >> flow.add(nodes.MQOutput("CAUGHT")).in_
    get = nodes.MQGet(queue, **{"domain": "XMLNSC", "wait": 0.0, **properties})
    for each in (*before, get):
        flow.add(each)
        place >> each.in_
        place = each.out
    for terminal, target in (
        ("out", "OUT"),
        ("warning", "OUT2"),
        ("noMessage", "BACKOUT"),
        ("failure", "FAILED"),
    ):
        looking = flow.add(Looking(seen))
        get.terminal(terminal) >> looking.in_
        looking.out >> flow.add(nodes.MQOutput(target)).in_
    return flow, seen


@pytest.fixture
def held(qm: Any) -> Any:
    """A queue with messages to get."""
    qm.mqsc("DEFINE QLOCAL(HELD)")
    return qm


def test_out_has_the_message_that_was_got(held: Any, run: Callable[..., Any]) -> None:
    held.put("HELD", HELD, correl_id=CORRELATION, persistent=True)
    held.put("IN", ORDER)
    flow, seen = getting()
    run(flow)
    got = held.get("OUT")
    assert (got.body, got.correl_id, got.persistent) == (HELD, CORRELATION, True)
    assert seen == [{"QName": "HELD", "CC": 0, "RC": 0}]
    assert bodies(held, "HELD") == []


def test_no_message_has_the_input(held: Any, run: Callable[..., Any]) -> None:
    held.put("IN", ORDER)
    flow, seen = getting()
    run(flow)
    assert bodies(held, "BACKOUT") == [ORDER]
    assert seen == [{"QName": "HELD", "CC": 2, "RC": 2033}]


def test_warning_has_a_message_that_could_not_be_converted(held: Any, run: Callable[..., Any]) -> None:
    held.put("HELD", b"\xff\xfe", format="MYFORM", ccsid=500)
    held.put("IN", ORDER)
    flow, seen = getting(convert=True, domain="BLOB")
    run(flow)
    assert bodies(held, "OUT2") == [b"\xff\xfe"]
    assert seen[0]["CC"] == 1
    assert seen[0]["RC"] == 2110


def test_failure_has_the_input(held: Any, run: Callable[..., Any]) -> None:
    held.put("IN", ORDER)
    flow, _ = getting(queue="NOWHERE")
    run(flow)
    assert bodies(held, "FAILED") == [ORDER]


def test_the_wait_ends(held: Any, run: Callable[..., Any]) -> None:
    held.put("IN", ORDER)
    with lasts(0.2):
        run(getting(wait=0.2)[0])
    assert bodies(held, "BACKOUT") == [ORDER]


@pytest.mark.parametrize(
    ("properties", "wanted"),
    [
        ({"get_with_msg_id": True}, b"<a/>"),
        ({"get_with_correl_id": True}, b"<b/>"),
        ({"get_with_msg_id": True, "get_with_correl_id": True}, b"<c/>"),
        ({}, b"<z/>"),
    ],
)
def test_ids_of_the_input_choose(
    held: Any, run: Callable[..., Any], properties: dict[str, bool], wanted: bytes
) -> None:
    other = b"o" * 24
    held.put("HELD", b"<z/>", msg_id=other, correl_id=other)
    if wanted != b"<c/>":
        held.put("HELD", b"<a/>", msg_id=MESSAGE, correl_id=other)
        held.put("HELD", b"<b/>", msg_id=other, correl_id=CORRELATION)
    held.put("HELD", b"<c/>", msg_id=MESSAGE, correl_id=CORRELATION)
    held.put("IN", ORDER, msg_id=MESSAGE, correl_id=CORRELATION)
    run(getting(**properties)[0])
    assert bodies(held, "OUT") == [wanted]


@pytest.mark.parametrize("field", ["QName", "QueueName"])
def test_parameters_come_with_the_message(held: Any, run: Callable[..., Any], field: str) -> None:
    held.put("OUT3", HELD)
    held.put("IN", ORDER)
    flow, seen = getting(Asking(field), wait=60.0)
    run(flow)
    assert bodies(held, "OUT") == [HELD]
    assert [each["QName"] for each in seen] == ["OUT3"]


# -- browsing ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("again", "seen"), [(False, [b"<a/>", b"<b/>"]), (True, [b"<a/>", b"<a/>", b"<a/>"])]
)
def test_browsing_leaves_the_messages(
    held: Any, run: Callable[..., Any], again: bool, seen: list[bytes]
) -> None:
    for body in (b"<a/>", b"<b/>"):
        held.put("HELD", body)
    for _ in range(3):
        held.put("IN", ORDER)
    run(getting(browse=True, reset_browse_cursor=again)[0])
    assert bodies(held, "OUT") == seen
    assert bodies(held, "BACKOUT") == [ORDER] * (3 - len(seen))
    assert bodies(held, "HELD") == [b"<a/>", b"<b/>"]


# -- where results go ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("properties", "body"),
    [
        ({"generate": "none"}, ORDER),
        ({"generate": "localEnvironment"}, ORDER),
        ({"generate": "messageAndLocalEnvironment"}, HELD),
        ({"copy_message": "entire"}, HELD),
        (
            {
                "copy_message": "entire",
                "output": "OutputRoot.XMLNSC.Order.Total",
                "result": "ResultRoot.XMLNSC.Held.Total",
            },
            b"<Order><Total>5</Total></Order>",
        ),
        (
            {
                "copy_message": "headers",
                "output": "OutputRoot.XMLNSC.New",
                "result": "ResultRoot.XMLNSC.Held",
            },
            b"<New><Total>5</Total></New>",
        ),
        (
            {"output": "OutputRoot.XMLNSC.New.Inner", "result": "ResultRoot.XMLNSC.Held"},
            b"<New><Inner><Total>5</Total></Inner></New>",
        ),
    ],
)
def test_results_are_placed(
    held: Any, run: Callable[..., Any], properties: dict[str, str], body: bytes
) -> None:
    held.put("HELD", HELD, msg_id=MESSAGE)
    held.put("IN", ORDER, correl_id=CORRELATION)
    run(getting(**properties)[0])
    assert bodies(held, "OUT") == [body]


def test_copied_headers_are_those_of_the_input(held: Any, run: Callable[..., Any]) -> None:
    held.put("HELD", HELD, correl_id=MESSAGE)
    held.put("IN", ORDER, correl_id=CORRELATION)
    places = {"output": "OutputRoot.XMLNSC.New", "result": "ResultRoot.XMLNSC.Held"}
    run(getting(copy_message="headers", **places)[0])
    assert held.get("OUT").correl_id == CORRELATION


def test_a_result_may_go_to_local_environment_or_environment(held: Any, run: Callable[..., Any]) -> None:
    for tree in ("OutputLocalEnvironment", "Environment"):
        kept: list[Any] = []

        class Keeping(Node):
            def process(
                self, assembly: Assembly, at: NodeContext, tree: str = tree, kept: list[Any] = kept
            ) -> None:
                where = assembly.environment if tree == "Environment" else assembly.local_environment
                kept.append(where.get(Path("Got", "XMLNSC", "Held", "Total")))

        held.put("HELD", HELD)
        held.put("IN", ORDER)
        flow, _ = getting(output=f"{tree}.Got", generate="localEnvironment")
        next(each for each in flow.nodes if isinstance(each, nodes.MQGet)).out >> flow.add(Keeping()).in_
        run(flow)
        assert kept == ["5"]
        assert bodies(held, "OUT") == [ORDER]


def test_a_result_that_is_not_there_fails(held: Any, run: Callable[..., Any]) -> None:
    held.put("HELD", HELD)
    held.put("IN", ORDER)
    run(getting(output="OutputRoot.XMLNSC.X", result="ResultRoot.XMLNSC.Nothing")[0])
    assert bodies(held, "FAILED") == [ORDER]


# -- transaction ---------------------------------------------------------------------------


@pytest.mark.parametrize(("transaction", "back"), [("automatic", True), ("yes", True), ("no", False)])
def test_a_failing_flow_gives_the_message_back(
    held: Any, run: Callable[..., Any], transaction: str, back: bool
) -> None:
    held.mqsc("ALTER QLOCAL(IN) BOQNAME(DEAD)")
    held.put("HELD", HELD, persistent=True)
    held.put("IN", ORDER, persistent=True)
    flow = Flow("failing")
    start, get = (
        flow.add(nodes.MQInput("IN")),
        flow.add(nodes.MQGet("HELD", wait=0.0, transaction=transaction)),
    )
    start.out >> get.in_
    get.out >> flow.add(nodes.Throw("no")).in_
    run(flow)
    assert bodies(held, "DEAD") == [ORDER]
    assert bodies(held, "HELD") == ([HELD] if back else [])


def test_the_kind_keeps_it_from_spark() -> None:
    assert CompiledFlow(getting()[0]).kind is Kind.EFFECT


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"generate": "all"}, "generate 'all' is not one of"),
        ({"copy_message": "x"}, "copy_message 'x' is not one of"),
        ({"output": "Elsewhere.X"}, "output: 'Elsewhere.X' is no location"),
        ({"output": "ResultRoot"}, "is no location"),
        ({"result": "InputRoot"}, "does not begin with ResultRoot"),
        ({"wait": -1.0}, "wait is a number of seconds"),
    ],
)
def test_properties_are_checked_when_the_flow_is_built(properties: dict[str, Any], problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        CompiledFlow(getting(**properties)[0])
