"""Wires that lead back to an earlier node: which they are, and how a message goes round.

Nodes are started from the ends of a flow, and a cycle has none: the wire that closes it finds its target when
the first message comes. Every turn nests a few calls deeper, so turns are limited; 8313 is the message's
failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.flattening import FlatFlow, FlatWire
    from penstock.flow.node import Process

WAY_MAX = 2_000  # nodes that a message passes in a row: each is a few nested calls


def closing_wires(flat: FlatFlow) -> list[FlatWire]:
    """Return the wires that close cycles; without them the flow has none."""
    onward: dict[str, list[FlatWire]] = {}
    for wire in flat.wires:
        onward.setdefault(wire.source, []).append(wire)
    closing: list[FlatWire] = []
    done: set[str] = set()
    for start in flat.nodes:
        on_path = {start}
        stack = [] if start in done else [(start, iter(onward.get(start, ())))]
        while stack:
            label, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                done.add(label)
                on_path.discard(label)
                stack.pop()
            elif following.target in on_path:
                closing.append(following)
            elif following.target not in done:
                on_path.add(following.target)
                stack.append((following.target, iter(onward.get(following.target, ()))))
    return closing


def opened(flat: FlatFlow) -> FlatFlow:
    """Return a flow without the wires that close cycles."""
    closing = set(closing_wires(flat))
    return flat._replace(wires=[wire for wire in flat.wires if wire not in closing]) if closing else flat


def turns_max(flat: FlatFlow) -> int:
    """Return how often a message may go round: all nodes that it passes stay below WAY_MAX."""
    return max(1, WAY_MAX // max(1, len(flat.nodes)) - 1)


def closing_wire(target: Callable[[], Process], wire: FlatWire, most: int) -> Process:
    """Return the function behind a wire that closes a cycle; `target` finds the one that it leads to."""
    key = (closing_wire, wire)

    def go_round(assembly: Assembly) -> None:
        notes = assembly.invocation.notes
        turn = notes.get(key, 0) + 1
        if turn > most:
            raise error(
                mq.PSRC_FLOW_RING, f"the message went from {wire.source} back to {wire.target} {most} times"
            )
        notes[key] = turn
        try:
            target()(assembly)
        finally:
            notes[key] = turn - 1

    return go_round
