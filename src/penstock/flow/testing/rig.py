"""A rig for one flow: a queue manager in a temporary folder, stubs for nodes, spies on them, and what came
out.

The flow runs as in production, one message per unit of work, with clock, ids and random numbers that are the
same at every run. Queues that its nodes name exist; databases that a test names are SQLite files; folders of
file nodes are below the rig's own; HTTP requests reach the input without a network. Used by cases in YAML, by
the pytest fixture `flow_rig`, and by `penstock flow trace`.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
from penstock.flow.graph.compiled import CompiledFlow
from penstock.flow.graph.flattening import flatten
from penstock.flow.graph.graph import near
from penstock.flow.http.bodies import BodyClaim
from penstock.flow.http.exchange import Exchange, exchanges
from penstock.flow.http.request_reader import HttpRequest
from penstock.flow.node import OUT, InputNode
from penstock.flow.nodes.file_input import FileInput
from penstock.flow.nodes.http_input import HTTPInput
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.timeout_notification import TimeoutNotification
from penstock.flow.project import Project
from penstock.flow.running.listener import listener_for
from penstock.flow.testing.isolation import Files, isolated
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools.dead_letters import Letter, read
from penstock.tree import Message, bitstream, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Self

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.flattening import FlatWire
    from penstock.flow.graph.graph import Flow
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.http.exchange import HttpResponse
    from penstock.flow.node import Node, Process
    from penstock.flow.running.listener import Listener
    from penstock.flow.running.retrying import Tally
    from penstock.model.message import Message as QueueMessage

    Send = Callable[[str, Assembly], bool]
    Stub = Callable[[Assembly, Send], None]

NAME = "TEST"
NOW = 1_709_201_472.0  # 29 February 2024, 10:11:12 UTC
DEAD_LETTERS = "DEAD.LETTERS"
SYSTEM = "SYSTEM."
CLIENT = "127.0.0.1"
PATIENCE_SECONDS = 3600.0  # of the client of a request


@dataclass(frozen=True, slots=True)
class Seen:
    """What passed a wire, or reached a node: copies of the trees at that time."""

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
        """The bodies of all messages that arrived."""
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
        self.now = NOW  # the time of the flow's clock
        self.files = Files(Path(self._folder.name) / "files", self.project.folder)
        self.replies: list[HttpResponse | None] = []  # to requests, in their order; None: no reply came
        self._requests: dict[str, list[HttpRequest]] = {}
        self.wires: list[Seen] = []
        self.depth = 0  # nodes that the message is in: each calls the next
        self.pause: Callable[[Seen, Assembly], None] | None = None  # called at every wire
        self.urls: dict[str, str] = {}
        self._before: list[tuple[Node, dict[str, Any]]] = []  # what `set` changes
        self._properties: dict[str, Any] = {}
        self._stubs: dict[str, Stub] = {}
        self._spies: dict[str, Spy] = {}
        self.qm.mqsc(f"DEFINE QLOCAL({DEAD_LETTERS})")
        self.qm.mqsc(f"ALTER QMGR DEADQ({DEAD_LETTERS})")
        for queue in [*queue_names(self.flow), *queues]:
            self.queue(queue)

    # -- before a run ----------------------------------------------------------------------

    def queue(self, name: str) -> None:
        """Define a queue, unless it exists."""
        self.qm.mqsc(f"DEFINE QLOCAL('{name}') MAXDEPTH(100000)")

    def mqsc(self, file: str) -> None:
        """Run a script of the project: queues with their attributes, topics, subscriptions."""
        try:
            text = (self.project.folder / file).read_text("utf-8")
        except OSError as raised:
            raise error(mq.PSRC_FLOW_PROJECT, f"{file} cannot be read: {raised.strerror}") from raised
        for reply in self.qm.mqsc(text):
            if reply.failed:
                raise error(mq.PSRC_FLOW_PROJECT, f"{file}: {reply.text}")

    def set(self, name: str, value: Any) -> None:
        """Set a property of the flow, as `Flow.set` does, until the rig is closed."""
        self._before = self._before or [(node, node.properties()) for node in self.flow.nodes]
        self._properties = self._properties or dict(self.flow.properties)
        self.flow.set(name, value)

    def database(self, name: str, *statements: str) -> None:
        """Make a data source: a new SQLite file, initialised by some statements."""
        self.urls[name] = f"sqlite:///{self._folder.name}/{name}.db"
        for statement in statements:
            self.sql(name, statement)

    def sql(self, name: str, statement: str) -> list[dict[str, Any]]:
        """Run a statement on a data source and return its rows."""
        from sqlalchemy import create_engine, text
        from sqlalchemy.exc import SQLAlchemyError

        if name not in self.urls:
            raise error(mq.PSRC_FLOW_PROJECT, f"no data source {name}; `database` makes one")
        engine = create_engine(self.urls[name])
        try:
            with engine.begin() as connection:
                result = connection.execute(text(statement))
                return [dict(row) for row in result.mappings()] if result.returns_rows else []
        except SQLAlchemyError as raised:
            why = str(getattr(raised, "orig", None) or raised)
            raise error(mq.PSRC_FLOW_PROJECT, f"data source {name}: {why}: {statement}") from raised
        finally:
            engine.dispose()

    def stub(self, label: str, answer: Any, terminal: str = OUT, domain: str = "XMLNSC") -> None:
        """Replace a node: send a body to a terminal, or call a function.

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
        """Return a recorder of everything that reaches a node."""
        self._check_label(label)
        return self._spies.setdefault(label, Spy())

    def put(self, body: bytes | str, input: str = "", **details: Any) -> None:
        """Put a message to the queue of an MQInput: the only one, or the one of a label."""
        label, node = self.input(input)
        if not isinstance(node, MQInput):
            raise error(mq.PSRC_FLOW_PROJECT, f"{label} is a {type(node).__name__} and gets from no queue")
        details.setdefault("persistent", True)
        self.qm.put(node.queue, body, **details)

    def request(
        self,
        body: bytes | str = b"",
        input: str = "",
        *,
        method: str = "POST",
        path: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Have a request at an HTTPInput; `path` may have a query, and is the node's own by default."""
        label, node = self.input(input)
        if not isinstance(node, HTTPInput):
            raise error(mq.PSRC_FLOW_PROJECT, f"{label} is a {type(node).__name__} and takes no requests")
        data = body.encode() if isinstance(body, str) else body
        target = path or node.path.removesuffix("/*") or "/"
        given = [(str(name), str(value)) for name, value in (headers or {}).items()]
        request = HttpRequest(method, target, "HTTP/1.1", given, data, CLIENT)
        self._requests.setdefault(label, []).append(request)

    def put_file(self, body: bytes | str, input: str = "", name: str = "") -> None:
        """Have a file in the folder of a FileInput, old enough to be taken; its name must fit the pattern."""
        label, node = self.input(input)
        if not isinstance(node, FileInput):
            raise error(mq.PSRC_FLOW_PROJECT, f"{label} is a {type(node).__name__} and reads no files")
        name = name or node.pattern.replace("*", "input").replace("?", "x")
        if not fnmatchcase(name, node.pattern):
            what = f"{label} takes files whose names fit {node.pattern!r}, so never {name!r}"
            raise error(mq.PSRC_FLOW_PROJECT, what)
        self.file(f"{node.directory}/{name}", body, self.now - node.least_age - 1.0)

    def file(self, name: str, body: bytes | str, modified: float = NOW) -> None:
        """Have a file before the run: `directory/name`, with the directory as a node names it."""
        self.files.write(name, body.encode() if isinstance(body, str) else body, modified)

    # -- the run ---------------------------------------------------------------------------

    def run(self, input: str = "", *, after: float | None = None) -> Tally:
        """Run the flow until an input has nothing to do; returns what was done.

        `after` lets that many seconds pass on the flow's clock first, for timers. By default an automatic one
        fires once.
        """
        label, node = self.input(input)
        self.project.use_databases(self._databases())
        chance = random.Random(0)
        sources = {
            "clock": lambda: self.now,
            "make_uuid": lambda: uuid.UUID(int=chance.getrandbits(128), version=4),
            "randomness": random.Random(0),
        }
        with isolated(flatten(self.flow).nodes.values(), self.files):
            compiled = CompiledFlow(self.flow, self.project)
            listener = listener_for(
                compiled,
                label,
                lambda: self.qm,
                batch=1,
                tap=self._tap,
                observer=self._observe,
                sources=sources,
            )
            self.now += self._passed(node) if after is None else after
            if isinstance(node, HTTPInput):
                self._serve(label, listener)
            else:
                listener.run(threading.Event(), until_empty=True)
        return listener.tally

    def _passed(self, node: InputNode) -> float:
        automatic = isinstance(node, TimeoutNotification) and node.mode == "automatic"
        return float(getattr(node, "interval", 0.0)) if automatic else 0.0

    def _serve(self, label: str, listener: Listener) -> None:
        """Hand the requests to the listener's route, as its server would, and keep the replies."""
        route, server = listener.route, listener.server  # type: ignore[attr-defined]
        waiting = []
        for request in self._requests.pop(label, []):
            got: list[HttpResponse] = []
            exchange = Exchange(request, time.monotonic() + PATIENCE_SECONDS, got.append)
            exchanges().add(exchange)
            claim = BodyClaim(server.bodies)
            route.put(exchange, claim)
            claim.release()
            waiting.append((exchange, got))
        try:
            listener.run(threading.Event(), until_empty=True)
        finally:
            for exchange, _ in waiting:
                exchanges().remove(exchange)
        self.replies += [got[0] if got else None for _, got in waiting]

    def messages(self, queue: str) -> list[QueueMessage]:
        """Take and return the messages of a queue."""
        return self.qm.get_many(queue, 100_000)

    def bodies(self, queue: str) -> list[bytes]:
        """Take and return the bodies of the messages of a queue."""
        return [message.body or b"" for message in self.messages(queue)]

    def dead_letters(self) -> list[Letter]:
        """Return and take the dead letters: `reason`, `destination`, `message`, `body` behind the header."""
        return [read(message) for message in self.messages(DEAD_LETTERS)]

    def tables(self, name: str) -> dict[str, list[dict[str, Any]]]:
        """Return all rows of a data source by table."""
        from sqlalchemy import create_engine, inspect

        engine = create_engine(self.urls[name])
        try:
            tables = inspect(engine).get_table_names()
        finally:
            engine.dispose()
        return {table: self.sql(name, f'SELECT * FROM "{table}"') for table in tables}

    def filled(self) -> dict[str, int]:
        """Return the queues that hold messages, with how many."""
        replies = self.qm.mqsc("DISPLAY QLOCAL(*) CURDEPTH")
        found = [reply.attributes for reply in replies if reply.attributes]
        depths = {str(each["QUEUE"]): int(str(each["CURDEPTH"])) for each in found}
        return {name: depth for name, depth in depths.items() if depth and not name.startswith(SYSTEM)}

    def close(self) -> None:
        """Stop the queue manager and remove everything."""
        for node, properties in self._before:
            for name, value in properties.items():
                setattr(node, name, value)
        self.flow.properties.update(self._properties)
        self.qm.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- inside ----------------------------------------------------------------------------

    def input(self, label: str = "") -> tuple[str, InputNode]:
        """Return an input by its label; without one the only input, or the only MQInput."""
        inputs = {
            name: node for name, node in flatten(self.flow).nodes.items() if isinstance(node, InputNode)
        }
        queues = [name for name, node in inputs.items() if isinstance(node, MQInput)]
        wanted = label or (next(iter(inputs)) if len(inputs) == 1 else queues[0] if len(queues) == 1 else "")
        if wanted not in inputs:
            known = ", ".join(inputs) or "none"
            raise error(mq.PSRC_FLOW_PROJECT, f"name one input of flow {self.flow.name}: there are {known}")
        return wanted, inputs[wanted]

    def _check_label(self, label: str) -> None:
        known = flatten(self.flow).nodes
        if label not in known:
            raise error(
                mq.PSRC_FLOW_PROJECT, f"flow {self.flow.name} has no node {label!r}{near(label, known)}"
            )

    def unknown_wire(self, wire: str) -> list[str]:
        """Return the error in the name of a wire, `node.terminal`; empty if it is right."""
        label, _, terminal = wire.rpartition(".")
        node = flatten(self.flow).nodes.get(label)
        if node is None or terminal not in node.outputs:
            return [f"wire {wire}: the flow has no such terminal"]
        return []

    def _databases(self) -> Any:
        from penstock.esql.database.databases import Databases

        return Databases(self._url)

    def _url(self, name: str) -> str:
        if name not in self.urls:
            raise error(
                mq.PSRC_DSN_UNKNOWN,
                f"data source {name} does not exist in this test; create its tables with `database:` in the "
                f"case, rig.database({name!r}, ...), or `flow trace --database {name}=FILE`",
                dsn=name,
            )
        return self.urls[name]

    def _tap(self, place: NodeContext, process: Process) -> Process:
        """Wrap stub and spy around a node."""
        stub, spy = self._stubs.get(place.label), self._spies.get(place.label)

        def tapped(assembly: Assembly) -> None:
            if spy is not None:
                spy.seen.append(seen(place.label, assembly))
            self.depth += 1
            try:
                process(assembly) if stub is None else stub(assembly, place.send)
            finally:
                self.depth -= 1

        return process if stub is None and spy is None and self.pause is None else tapped

    def _observe(self, wire: FlatWire, assembly: Assembly) -> None:
        self.wires.append(seen(f"{wire.source}.{wire.output} -> {wire.target}", assembly))
        if self.pause is not None:
            self.pause(self.wires[-1], assembly)


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
