"""Log: writes a line to the log of the flow, with parts of the message; the message is sent on unchanged."""

from __future__ import annotations

import logging
from dataclasses import field
from typing import TYPE_CHECKING

from penstock.flow.locations import location
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.model.errors import MQError
from penstock.tree.dump import dump_field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

LEVELS = {
    "Debug": logging.DEBUG,
    "Info": logging.INFO,
    "Warning": logging.WARNING,
    "Error": logging.ERROR,
}


class Log(Node):
    """Logs: `Log("order arrived", level="Info", values={"id": "InputRoot.JSON.Data.id"})`.

    A value is shown as its text, a folder as a tree.
    """

    message: str = ""
    _: KW_ONLY
    level: str = "Info"
    values: dict[str, str] = field(default_factory=dict)

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(level=LEVELS)
        for name, text in self.values.items():
            try:
                location(text)
            except MQError as wrong:
                yield f"value {name}: {wrong.detail}"

    def start(self, at: NodeContext) -> Process:
        level, label, onward = LEVELS[self.level], at.label, at.wire(OUT)
        places = {name: location(text) for name, text in self.values.items()}

        def process(assembly: Assembly) -> None:
            shown = [f"{name}={dump_field(place.reference(assembly))}" for name, place in places.items()]
            assembly.invocation.ports.log(label, " ".join([self.message, *shown]), level)
            if onward is not None:
                onward(assembly)

        return process
