"""Chooses the engine for a flow: Spark, unless a node needs guarantees that Spark cannot give.

Spark may run a batch twice and discard one result, and it gives no message its own unit of work. So a node
with outside effects, one that waits for an answer, or an input that is not a queue needs the inline engine.
`penstock flow run` calls this and shows the reasons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.kinds import Kind
from penstock.flow.node import InputNode
from penstock.flow.nodes.aggregate_reply import AggregateReply
from penstock.flow.nodes.mq_input import MQInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.node import Node

INLINE, SPARK = "inline", "spark"
AT_LEAST_ONCE = "at-least-once"
RATE_MESSAGES_MIN = 10_000  # runs with fewer are mostly start: their rate says nothing about an engine
WAITING = ("MQGet", "HTTPRequest", "SOAPRequest", "HTTPReply", "SOAPReply", "Collector")


class Reason(NamedTuple):
    """A node that Spark cannot run, and why."""

    node: str
    text: str

    def __str__(self) -> str:
        return f"{self.node}: {self.text}"


def why_not_spark(flow: CompiledFlow) -> list[Reason]:
    """Return the reasons why a flow cannot run on Spark, by node; empty if it can."""
    found = [Reason(label, text) for label, node in flow.flat.nodes.items() if (text := _against(node, flow))]
    return [*found, *_of_the_flow(flow)]


def _of_the_flow(flow: CompiledFlow) -> Iterator[Reason]:
    if flow.flow.coordinated:
        yield Reason(flow.name, "its coordinated transactions need one unit of work a message")
    if flow.flow.shared != "cache" and (shared := shared_variables(flow)):
        yield Reason(
            flow.name,
            f'its SHARED variables ({", ".join(shared)}) would be one set a worker; shared="cache" allows it',
        )


def _against(node: Node, flow: CompiledFlow) -> str:
    """Return why a node cannot run on Spark; empty if it can."""
    if isinstance(node, InputNode) and not isinstance(node, MQInput):
        return "its input is not a queue"
    if node.is_driven and not isinstance(node, (InputNode, AggregateReply)):
        return "it keeps time and state between messages"
    if isinstance(node, MQInput) and node.transaction == "no":
        return "it gets outside units of work, and a batch may be run twice"
    if isinstance(node, MQInput) and node.selector:
        return "it selects messages, and a batch takes them as they come"
    if type(node).__name__ in WAITING:
        return "it waits for another system while it processes a message"
    if node.reach(flow.project) == Kind.EFFECT and flow.flow.effects != AT_LEAST_ONCE:
        return 'if a batch is run again, its work outside is done twice; effects="at-least-once" allows it'
    return ""


def ties(flow: CompiledFlow) -> list[str]:
    """Return why the instances of a flow must be threads of one process; empty if they may be processes."""
    shared = shared_variables(flow)
    found = [f"they share {', '.join(shared)}"] if shared else []
    found += [
        f"{label} keeps the order of its queue" for label, node in flow.driven.items() if node.is_ordered
    ]
    return found + [f"{label} shares its HTTP port" for label in _serving(flow)]


def serves_http(flow: CompiledFlow) -> bool:
    """Return whether a flow takes or answers HTTP requests; such flows of one group share their ports."""
    return bool(_serving(flow))


def _serving(flow: CompiledFlow) -> list[str]:
    return [label for label, node in flow.flat.nodes.items() if node.serves_http]


def shared_variables(flow: CompiledFlow) -> list[str]:
    """Return the SHARED variables that ESQL of the flow may use; its instances must then be in one process.

    As soon as a node runs a module of one file, the variables of all related files count: modules call each
    other.
    """
    properties = [node.properties() for node in flow.flat.nodes.values()]
    files = {each.get("esql", "") for each in properties if each.get("module")}
    libraries = [flow.project.library_of(file) for file in files]
    return sorted({name for each in libraries for file in each.files.values() for name in file.shared})
