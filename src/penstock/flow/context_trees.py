"""The context tree: what every node of a flow sent, for ESQL's `Context` and CONTEXTREFERENCE.

Only recorded in flows with a module that reads it: `compiled` then records what every wire carries. A flow
and each of its subflows has its own tree, named by the subflow's label. Only the last message that a node
sent is kept. Trees are created when they are read; they belong to the invocation, and readers do not change
them.
"""

from __future__ import annotations

import os
import platform
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.trees.paths import HERE
from penstock.flow.failing import type_name
from penstock.flow.node import InputNode
from penstock.model.errors import MQError
from penstock.tree import Message, Path, Reference, domain_names

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.flattening import FlatWire
    from penstock.flow.graph.instance import Instance

SUBFLOW = "SubFlowNode"
NODES = Path("Nodes")
_FORMATS = {"Message": "MessageType", "Model": "MessageSet", "PhysicalFormat": "MessageFormat"}


class ContextTrees:
    """Records the context trees of one running instance."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.nodes = instance.flow.flat.nodes

    def note(self, wire: FlatWire, assembly: Assembly) -> None:
        """Record what a node sends along a wire; a message that leaves a subflow counts as sent by the
        subflow.
        """
        level, _, name = wire.source.rpartition(".")
        self._keep(assembly, level, name, type_name(self.nodes[wire.source]), wire.source)
        while level and not f"{wire.target}.".startswith(f"{level}."):
            level, _, name = level.rpartition(".")
            self._keep(assembly, level, name, SUBFLOW, wire.source)

    def levels(self, assembly: Assembly, label: str) -> list[tuple[str, Message]]:
        """Return the trees that a node sees: of its own subflow, of the enclosing ones, of the flow."""
        level, found = label.rpartition(".")[0], []
        while level:
            found.append((level, self._sent(assembly, level, "").tree()))
            level = level.rpartition(".")[0]
        return [*found, ("", self._sent(assembly, "", "").tree())]

    def _keep(self, assembly: Assembly, level: str, name: str, kind: str, source: str) -> None:
        self._sent(assembly, level, source).keep(name, kind, assembly.message)

    def _sent(self, assembly: Assembly, level: str, source: str) -> _Sent:
        kept: dict[str, _Sent] = assembly.invocation.notes.setdefault(ContextTrees, {})
        if "" not in kept:
            kept[""] = _Sent(self._facts(source))
        if level not in kept:
            kept[level] = _Sent(kept[""].facts)
        return kept[level]

    def _facts(self, source: str) -> Message:
        instance, tree = self.instance, Message()
        is_input = isinstance(self.nodes.get(source), InputNode)
        moment = instance.ports.moment() or datetime.now(UTC)
        facts: dict[str, dict[str, Any]] = {
            "FlowDetails": {
                "FlowName": instance.flow_name,
                "ApplicationName": instance.deployment.properties.get("ApplicationName", instance.flow_name),
                "IntegrationServerName": instance.group_name,
                "IntegrationNodeName": instance.broker_name,
                "Hostname": platform.node(),
                "ProcessId": os.getpid(),
            },
            "InvocationDetails": {
                "Timestamp": moment.astimezone().replace(tzinfo=None),
                "ThreadId": threading.get_ident(),
                "NodeName": source if is_input else "",
            },
            "Nodes": {},
        }
        for folder, fields in facts.items():
            made = tree.create(Path(folder))
            for name, value in fields.items():
                made.add_last_child(name, value=value)
        return tree


class _Sent:
    """The last message of each node of a flow or subflow in one invocation."""

    def __init__(self, facts: Message) -> None:
        self.facts = facts
        self._messages: dict[str, tuple[str, Message]] = {}  # by node: its type, and what it sent
        self._tree = facts.copy()
        self._shown: dict[str, tuple[str, Message]] = {}  # of these, what the tree has

    def keep(self, name: str, kind: str, message: Message) -> None:
        """Record what a node sent, in place of its previous message."""
        self._messages.pop(name, None)
        self._messages[name] = kind, message.copy()

    def tree(self) -> Message:
        """Return the tree: the previous one with additions, or a new one if a node has sent again."""
        if any(self._messages[name] is not shown for name, shown in self._shown.items()):
            self._tree, self._shown = self.facts.copy(), {}
        nodes = self._tree.create(NODES)
        for name, sent in self._messages.items():
            if name not in self._shown:
                _add_section(nodes.add_last_child(name), *sent)
                self._shown[name] = sent
        return self._tree


def _add_section(section: Reference, kind: str, message: Message) -> None:
    """Fill the section of a node: its type, the message that it sent, and the headers of that message."""
    section.add_last_child("NodeType", value=kind)
    root = message.reference()
    folders = list(root) if root is not None else []
    if not folders:
        return
    body = folders[-1]
    details = section.add_last_child("PayloadDetails")
    details.add_last_child("Domain", value=body.name)
    properties = {each.name: each.value for each in folders[0]} if folders[0].name == "Properties" else {}
    for name in ("Encoding", "CodedCharSetId", *_FORMATS):
        details.add_last_child(name, value=properties.get(_FORMATS.get(name, name)))
    _copy(section.add_last_child("Payload"), body)
    headers = section.add_last_child("Headers")
    for folder in folders[:-1]:
        if folder.name != "Properties":
            family = next(
                (each for each in ("HTTP", "MQ", "Email") if folder.name.startswith(each)), folder.name
            )
            _copy(headers.create(Path(family)).add_last_child(folder.name), folder)


def _copy(target: Reference, folder: Reference) -> None:
    if folder.name in domain_names():
        target.domain = folder.name
    try:
        target.copy_from(HERE, folder, HERE)
    except MQError:
        target.delete_children()  # an unreadable body fails where the flow reads it
