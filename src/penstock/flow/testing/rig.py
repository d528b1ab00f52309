"""A rig for one flow: a queue manager in a temporary folder, stubs for nodes, spies on them, and what came
out.

The flow runs as it would in earnest, one message a unit of work, with clock, ids and random numbers that are
the same at every run. Queues that its nodes name are there; databases that a test names are SQLite files.
Used by cases in YAML, by the pytest fixture `flow_rig`, and by `penstock flow trace`.
"""

from __future__ import annotations

import random
import tempfile
import threading
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import penstock
from penstock.flow.graph.compiled import CompiledFlow
from penstock.flow.graph.graph import near
from penstock.flow.node import OUT
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.project import Project
from penstock.flow.running.queue_listener import QueueListener
from penstock.model.constants_reasons import PSRC_FLOW_PROJECT
from penstock.model.errors import error
from penstock.tree import Message, bitstream, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import Self

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.flattening import FlatWire
    from penstock.flow.graph.graph import Flow
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.running.retrying import Tally
    from penstock.model.message import Message as QueueMessage

    Send = Callable[[str, Assembly], bool]
    Stub = Callable[[Assembly, Send], None]

NAME = "TEST"
NOW = 1_709_201_472.0  # 29 February 2024, 10:11:12 UTC
DEAD_LETTERS = "DEAD.LETTERS"
SYSTEM = "SYSTEM."


@dataclass(frozen=True, slots=True)
class Seen:
    """What passed a wire, or reached a node: copies of the trees as they were then."""

    place: str  # "node.terminal -> node", or a node's label
    message: Message
    local_environment: Message
    exception_list: Message
    environment: Message

    @property
    def body(self) -> bytes:
        """The bytes of the message's body."""
        found = self.message.body
        return b"" if found is None else bitstream(found)


@dataclass(slots=True)
class Spy:
    """What reached a node, in order."""

    seen: list[Seen] = field(default_factory=list)

    @property
    def bodies(self) -> list[bytes]:
        """The bodies of all messages that came."""
        return [each.body for each in self.seen]


class Rig:
    """A flow under test. Leave it with `close`, or use it with `with`."""

    def __init__(
        self, flow: Flow | str, project: Project | str | Path = ".", *, queues: Iterable[str] = ()
    ) -> None:
        self.project = project if isinstance(project, Project) else Project(project)
        self.flow = self.project.flow(flow) if isinstance(flow, str) else flow
        self._folder = tempfile.TemporaryDirectory(prefix="penstock-flow-test-")
        self.qm = penstock.embed(NAME, create=True, home=self._folder.name, primary_files=3, file_pages=512)
        self.wires: list[Seen] = []
        self.urls: dict[str, str] = {}
        self._stubs: dict[str, Stub] = {}
        self._spies: dict[str, Spy] = {}
        self.qm.mqsc(f"DEFINE QLOCAL({DEAD_LETTERS})")
        self.qm.mqsc(f"ALTER QMGR DEADQ({DEAD_LETTERS})")
        for queue in [*queue_names(self.flow), *queues]:
            self.queue(queue)

    # -- before a run ----------------------------------------------------------------------

    def queue(self, name: str) -> None:
        """Define a queue, unless it is there."""
        self.qm.mqsc(f"DEFINE QLOCAL('{name}') MAXDEPTH(100000)")

    def mqsc(self, file: str) -> None:
        """Run a script of the project: queues with their attributes, topics, subscriptions."""
        try:
            text = (self.project.folder / file).read_text("utf-8")
        except OSError as raised:
            raise error(PSRC_FLOW_PROJECT, f"{file} cannot be read: {raised.strerror}") from raised
        for reply in self.qm.mqsc(text):
            if reply.failed:
                raise error(PSRC_FLOW_PROJECT, f"{file}: {reply.text}")

    def database(self, name: str, *statements: str) -> None:
        """Make a data source: an SQLite file of its own, after some statements."""
        self.urls[name] = f"sqlite:///{self._folder.name}/{name}.db"
        for statement in statements:
            self.sql(name, statement)

    def sql(self, name: str, statement: str) -> list[dict[str, Any]]:
        """Run a statement on a data source and return its rows."""
        from sqlalchemy import create_engine, text
        from sqlalchemy.exc import SQLAlchemyError

        if name not in self.urls:
            raise error(PSRC_FLOW_PROJECT, f"no data source {name}; `database` makes one")
        engine = create_engine(self.urls[name])
        try:
            with engine.begin() as connection:
                result = connection.execute(text(statement))
                return [dict(row) for row in result.mappings()] if result.returns_rows else []
        except SQLAlchemyError as raised:
            why = str(getattr(raised, "orig", None) or raised)
            raise error(PSRC_FLOW_PROJECT, f"data source {name}: {why}: {statement}") from raised
        finally:
            engine.dispose()

    def stub(self, label: str, answer: Any, terminal: str = OUT, domain: str = "XMLNSC") -> None:
        """Let a node do something else: send a body to a terminal, or what a function says.

        The function gets the assembly and `send(terminal, assembly)`.
        """
        self._check_label(label)
        if callable(answer):
            self._stubs[label] = answer
            return
        data = answer.encode() if isinstance(answer, str) else bytes(answer)

        def send_body(assembly: Assembly, send: Send) -> None:
            send(terminal, assembly.sending(parse(data, domain)))

        self._stubs[label] = send_body

    def spy(self, label: str) -> Spy:
        """Return what notes all that reaches a node."""
        self._check_label(label)
        return self._spies.setdefault(label, Spy())

    def put(self, body: bytes | str, input: str = "", **details: Any) -> None:
        """Put a message to the queue of an input: the only one, or the one of a label."""
        details.setdefault("persistent", True)
        self.qm.put(self._input(input)[1].queue, body, **details)

    # -- the run ---------------------------------------------------------------------------

    def run(self, input: str = "") -> Tally:
        """Run the flow until the queue of an input is empty; returns what was done."""
        label, _ = self._input(input)
        self.project.use_databases(self._databases())
        compiled = CompiledFlow(self.flow, self.project)
        chance = random.Random(0)
        listener = QueueListener(
            compiled,
            label,
            self.qm,
            batch=1,
            tap=self._tap,
            observer=self._observe,
            sources={
                "clock": lambda: NOW,
                "make_uuid": lambda: uuid.UUID(int=chance.getrandbits(128), version=4),
                "randomness": random.Random(0),
            },
        )
        listener.run(threading.Event(), until_empty=True)
        return listener.tally

    def messages(self, queue: str) -> list[QueueMessage]:
        """Return and take what is on a queue."""
        return self.qm.get_many(queue, 100_000)

    def bodies(self, queue: str) -> list[bytes]:
        """Return and take the bodies of what is on a queue."""
        return [message.body or b"" for message in self.messages(queue)]

    def filled(self) -> dict[str, int]:
        """Return the queues that hold messages, with how many."""
        replies = self.qm.mqsc("DISPLAY QLOCAL(*) CURDEPTH")
        found = [reply.attributes for reply in replies if reply.attributes]
        depths = {str(each["QUEUE"]): int(str(each["CURDEPTH"])) for each in found}
        return {name: depth for name, depth in depths.items() if depth and not name.startswith(SYSTEM)}

    def close(self) -> None:
        """End the queue manager and remove everything."""
        self.qm.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- inside ----------------------------------------------------------------------------

    def _input(self, label: str) -> tuple[str, MQInput]:
        inputs = [(node.name, node) for node in self.flow.nodes if isinstance(node, MQInput)]
        found = [each for each in inputs if label in ("", each[0])]
        if len(found) != 1:
            known = ", ".join(name for name, _ in inputs) or "none"
            raise error(PSRC_FLOW_PROJECT, f"name one input of flow {self.flow.name}: there are {known}")
        return found[0]

    def _check_label(self, label: str) -> None:
        known = CompiledFlow(self.flow, self.project).flat.nodes
        if label not in known:
            raise error(PSRC_FLOW_PROJECT, f"flow {self.flow.name} has no node {label!r}{near(label, known)}")

    def unknown_wire(self, wire: str) -> list[str]:
        """Return what is wrong with the name of a wire, `node.terminal`; empty when it is right."""
        label, _, terminal = wire.rpartition(".")
        node = CompiledFlow(self.flow, self.project).flat.nodes.get(label)
        if node is None or terminal not in node.outputs:
            return [f"wire {wire}: the flow has no such terminal"]
        return []

    def _databases(self) -> Any:
        from penstock.esql.database.databases import Databases

        return Databases(self.urls)

    def _tap(self, place: NodeContext, process: Process) -> Process:
        """Put stub and spy in the way of a node."""
        stub, spy = self._stubs.get(place.label), self._spies.get(place.label)

        def tapped(assembly: Assembly) -> None:
            if spy is not None:
                spy.seen.append(seen(place.label, assembly))
            if stub is None:
                process(assembly)
            else:
                stub(assembly, place.send)

        return process if stub is None and spy is None else tapped

    def _observe(self, wire: FlatWire, assembly: Assembly) -> None:
        self.wires.append(seen(f"{wire.source}.{wire.output} -> {wire.target}", assembly))


def seen(place: str, assembly: Assembly) -> Seen:
    """Return copies of what an assembly holds."""
    return Seen(
        place,
        assembly.message.copy(),
        assembly.local_environment.copy(),
        assembly.exception_list.copy(),
        assembly.environment.copy(),
    )


def queue_names(flow: Flow) -> list[str]:
    """Return the queues that nodes of a flow name, also those of its subflows."""
    found: dict[str, None] = {}
    for node in flow.nodes:
        properties = node.properties()
        for name in ("queue", "reply_to"):
            value = properties.get(name)
            if isinstance(value, str) and value:
                found[value] = None
        inner = properties.get("definition")
        if inner is not None and hasattr(inner, "nodes"):
            found.update(dict.fromkeys(queue_names(inner)))
    return list(found)
