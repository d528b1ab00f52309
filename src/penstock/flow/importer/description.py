"""The contents of a flow file as plain values: nodes, connections, properties. Nothing is looked up yet.

`xmi` makes these; `building` turns them into a `Flow`. Names of properties and terminals are those of the
file.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

SOURCE, SINK = "eflow:FCMSource", "eflow:FCMSink"


@dataclass(frozen=True, slots=True)
class NodeDescription:
    """A node; `reference` is the file of its type: `ComIbmMQInput.msgnode`, `a/b/Sub.subflow`."""

    id: str
    reference: str
    label: str
    properties: dict[str, str]
    tables: dict[str, list[dict[str, str]]]
    line: int

    @property
    def is_subflow(self) -> bool:
        """Return whether the node is another flow."""
        return self.reference.endswith((".subflow", ".msgflow"))

    @property
    def type(self) -> str:
        """The type without its file ending: `ComIbmMQInput`, `a_b_Mine`."""
        return self.reference.removesuffix(".msgnode").replace("/", "_")

    def with_properties(self, given: dict[str, str]) -> NodeDescription:
        """Return the node with other values of some properties."""
        return replace(self, properties={**self.properties, **given})


@dataclass(frozen=True, slots=True)
class WireDescription:
    """A connection between two nodes, by their ids; terminals without `OutTerminal.`."""

    source: str
    output: str
    target: str
    input: str


@dataclass(frozen=True, slots=True)
class PromotionDescription:
    """A property of the flow that sets one of its nodes."""

    name: str
    nodes: tuple[str, ...]
    attribute: str


@dataclass(frozen=True, slots=True)
class FlowDescription:
    """A flow file. `path` is its path in the project: schema folders, then the file's name."""

    path: str
    nodes: list[NodeDescription]
    wires: list[WireDescription]
    defaults: dict[str, str] = field(default_factory=dict)  # of user-defined and promoted properties
    types: dict[str, str] = field(default_factory=dict)  # EString, EInt ...
    user_defined: frozenset[str] = frozenset()
    promotions: list[PromotionDescription] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The flow's name: schema, a dot, the name of the file without its ending."""
        return flow_name(self.path)

    @property
    def is_subflow(self) -> bool:
        """Return whether the file is a subflow: it has an entry or an exit, or is declared as one."""
        ends = any(node.reference in (SOURCE, SINK) for node in self.nodes)
        return ends or self.path.endswith(".subflow")


def flow_name(path: str) -> str:
    """Return the name of a flow by its path in its project."""
    return path.rpartition(".")[0].replace("/", ".")
