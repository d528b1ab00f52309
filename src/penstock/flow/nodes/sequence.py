"""Sequence: numbers messages, each group of its own, and stores the number in the message.

The counters are on a queue of the node and change in the flow's unit of work: a message that is backed out
uses no number, and no number is given twice. Units of several instances pass the node one after the other.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from penstock.flow.events.event import queue_at
from penstock.flow.events.token import Token
from penstock.flow.kinds import Kind
from penstock.flow.locations import BODY, LOCAL_ENVIRONMENT, MESSAGE, location
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.flow.path_values import PathValue, wrong_paths
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree import Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.tree import Message

GROUPS_MAX = 10_000
NUMBER = "OutputLocalEnvironment.Sequence.Number"
_FOLDER = Path("Sequence")


class Bound:
    """The begin or the end of a sequence: a number, or an expression that is true for that message."""

    def __init__(self, text: str, namespaces: dict[str, str]) -> None:
        plain = text.strip()
        self.number = int(plain) if plain.lstrip("-").isdigit() else None
        self.path = PathValue(plain, namespaces) if plain and self.number is None else None

    def reached(self, number: int, assembly: Assembly) -> bool:
        """Return whether a message is the one."""
        return number == self.number if self.path is None else self.path.holds(assembly)


class Sequence(Node):
    """Numbers messages: `Sequence(correlation="$Body/Order/Shop", end="100")`.

    `start` and `end` are numbers, or XPath expressions that are true for the first and the last message of a
    sequence; after the last one a new sequence begins. `store` is where the number goes.
    """

    kind = Kind.EFFECT

    _: KW_ONLY
    start_of: str = "1"
    end_of: str = ""
    correlation: str = ""
    store: str = NUMBER
    namespaces: dict[str, str] = field(default_factory=dict)

    def check(self) -> Iterable[str]:
        bounds = {"start_of": self.start_of, "end_of": self.end_of}
        texts = {name: text for name, text in bounds.items() if not text.strip().lstrip("-").isdigit()}
        yield from wrong_paths(self.namespaces, correlation=self.correlation, **texts)
        if not texts and int(self.end_of) < int(self.start_of):
            yield f"a sequence from {self.start_of} to {self.end_of} has no number"
        try:
            location(self.store, self.namespaces)
        except MQError as wrong:
            yield f"store: {wrong.detail}"

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return (queue_at(flow, label),)

    def start(self, at: NodeContext) -> Process:
        token = Token(queue_at(at.instance.flow_name, at.label))
        begin, end = Bound(self.start_of, self.namespaces), Bound(self.end_of, self.namespaces)
        group_path = PathValue(self.correlation, self.namespaces) if self.correlation else None
        target = location(self.store, self.namespaces)

        def process(assembly: Assembly) -> None:
            group = "" if group_path is None else group_path.text(assembly)
            state = token.take(assembly.ports)
            first = 1 if begin.number is None else begin.number
            anew = begin.path is not None and begin.path.holds(assembly)
            number = first if anew else int(state.get(group, first))
            is_last = end.reached(number, assembly)
            if is_last:
                state.pop(group, None)
            elif len(state) >= GROUPS_MAX and group not in state:
                raise error(mq.PSRC_FLOW_SEQUENCE, f"more than {GROUPS_MAX} sequences are open")
            else:
                state[group] = number + 1
            token.keep(assembly.ports, state)
            sent = assembly.sending(
                assembly.message.copy() if target.tree in (MESSAGE, BODY) else None,
                _told(assembly, group, number, is_last),
            )
            if target.tree != LOCAL_ENVIRONMENT or self.store != NUMBER:
                target.create_in(sent).value = number
            at.send(OUT, sent)

        return process


def _told(assembly: Assembly, group: str, number: int, is_last: bool) -> Message:
    """Return LocalEnvironment with Sequence: Number, Group, End."""
    copy = assembly.copied_local_environment()
    copy.delete(_FOLDER)
    folder = copy.create(_FOLDER)
    for name, value in (("Number", number), ("Group", group), ("End", is_last)):
        folder.add_last_child(name, value)
    return copy
