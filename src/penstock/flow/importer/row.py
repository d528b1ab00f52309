"""A row of the node table: how a node type of flow files becomes one of our nodes.

A flow file holds only values that differ from the default, and our nodes have the same defaults; where they
differ, the row has `defaults`. Properties that a row does not name are noted, never dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription

Convert = Callable[[str], Any]


def nothing(_: NodeDescription) -> Any:
    """The default for `tables` and `refuse`: nothing."""
    return None


class Row(NamedTuple):
    """How a node is made: `properties` map IBM's names to arguments and conversions.

    `esql` is the property with the address of an ESQL module. `silent` properties have no meaning here.
    `refuse` returns why a node with such properties cannot be run. `tables` turns the lists inside a node
    into arguments; input terminals with another name are in `inputs`. `project` is the argument that gets the
    name of the project.
    """

    node: str
    properties: dict[str, tuple[str, Convert]] = {}
    defaults: dict[str, Any] = {}
    esql: str = ""
    silent: frozenset[str] = frozenset()
    refuse: Callable[[NodeDescription], str | None] = nothing
    tables: Callable[[NodeDescription], dict[str, Any] | None] = nothing
    inputs: dict[str, str] = {}
    project: str = ""

    def knows(self, name: str) -> bool:
        """Return whether a property belongs to the node, by IBM's name or by ours."""
        ours = {argument for argument, _ in self.properties.values()}
        return name == self.esql or name in self.properties or name in ours or name in self.silent


def flag(text: str) -> bool:
    """Return a Boolean: flow files write true, yes or 1."""
    return text.strip().lower() in ("true", "yes", "1")


def number(text: str) -> int:
    """Return a whole number."""
    return int(text)


def seconds(text: str) -> float:
    """Return a time in seconds."""
    return float(text)


def one_of(**words: Any) -> Convert:
    """Return a conversion of words; an unknown word is passed on, and the node's check refuses it."""
    return lambda text: words.get(text, text)


def texts(**names: str) -> dict[str, tuple[str, Convert]]:
    """Return properties whose text is used unchanged: `texts(queueName="queue")`."""
    return {name: (argument, str) for name, argument in names.items()}


def flags(**names: str) -> dict[str, tuple[str, Convert]]:
    """Return properties that are true or false."""
    return {name: (argument, flag) for name, argument in names.items()}


def numbers(**names: str) -> dict[str, tuple[str, Convert]]:
    """Return properties that are whole numbers."""
    return {name: (argument, number) for name, argument in names.items()}


MESSAGE = texts(
    messageDomainProperty="domain",
    messageSetProperty="model",
    messageTypeProperty="message_type",
    messageFormatProperty="message_format",
    validateMaster="validate",
)
CONNECTION = frozenset(
    {
        *("connection", "destinationQueueManagerName", "queueManagerHostname", "listenerPortNumber"),
        *(
            "channelName",
            "securityIdentity",
            "useSSL",
            "policyUrl",
            "validateTiming",
            "validateFailureAction",
        ),
        *("componentLevel", "additionalInstances"),
    }
)
