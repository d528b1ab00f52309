"""The base class of nodes: terminals, properties, a kind, and how a node starts. Subclass it for your own
nodes.

A `Node` is a definition and holds no message: `start` is called once for every running instance and returns
the function that processes messages. A small node overrides only `process`. Input trees belong to their
sender: a node that changes a tree changes a copy.
"""

from __future__ import annotations

from dataclasses import KW_ONLY as KW_ONLY  # noqa: PLC0414 - modules of nodes take it from here
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

from penstock.flow.graph.graph import Flow, Terminal, near
from penstock.flow.kinds import Kind
from penstock.model import constants as mq
from penstock.model.errors import FlowError, error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.project import Project
    from penstock.flow.running.listener import Listener

    Process = Callable[[Assembly], None]

IN, OUT, FAILURE, CATCH = "in", "out", "failure", "catch"
_OF_INPUTS: tuple[str, ...] = (OUT, FAILURE, CATCH)


class NoTerminal(FlowError, AttributeError):  # type: ignore[misc]
    """A node has no terminal of a name; also an AttributeError, for `hasattr`."""


@dataclass_transform(eq_default=False, field_specifiers=(field,))
class Declared:
    """What a class of nodes says of itself, and how its annotated attributes become properties.

    A subclass that annotates attributes and has no `__init__` is a dataclass without being decorated.
    """

    inputs: ClassVar[tuple[str, ...]] = (IN,)
    outputs: tuple[str, ...] = (OUT, FAILURE)
    kind: Kind = Kind.PURE
    is_driven: ClassVar[bool] = False  # does its own listener send messages from here?
    state_queues: tuple[str, ...] = ()  # its own queues, defined if they are missing
    serves_http: ClassVar[bool] = False  # does it take or answer requests on a port of this process?
    type_name: ClassVar[str] = ""  # its type in ExceptionList; the class's name if empty

    def __init_subclass__(cls) -> None:
        own = vars(cls)
        if "__annotations__" in own and "__init__" not in own:
            dataclass(eq=False, repr=False)(cls)


class Node(Declared):
    """A node of a flow. Attributes that do not begin with `_` are its properties."""

    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        """Complete a node whose properties are set; called by the generated `__init__`."""
        self.flow: Flow | None = None
        self.name = self.name or type(self).__name__

    @property
    def is_ordered(self) -> bool:
        """Whether only one instance may drive it."""
        return False

    # -- for subclasses --------------------------------------------------------------------

    def check(self) -> Iterable[str]:
        """Return the mistakes in the properties; called when a flow is built."""
        return ()

    def doubts(self, project: Project, inputs: list[Node]) -> Iterable[str]:
        """Return likely mistakes: all messages that reach this node come unchanged from `inputs`."""
        return ()

    def missing(self, project: Project) -> Iterable[str]:
        """Return what the node needs and the project lacks; called when a flow is built."""
        return ()

    def reach(self, project: Project) -> Kind:
        """Return what the node accesses, given the contents of the project: at least its kind."""
        return self.kind

    def sends_to(self, project: Project) -> Iterable[str]:
        """Return the labels that the node sends messages to, as far as they are known before it runs."""
        return ()

    def reads_context(self, project: Project) -> bool:
        """Return whether the node reads what other nodes sent: a flow then keeps the context tree."""
        return False

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        """Return the queues where the node keeps its state at one place of a flow."""
        return self.state_queues

    def puts_to(self) -> tuple[str, ...]:
        """Return the queues of the flow's own queue manager that the node always puts to."""
        return ()

    def start(self, at: NodeContext) -> Process | Mapping[str, Process]:
        """Return the function that processes messages, or one for each input terminal."""
        return lambda assembly: self.process(assembly, at)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        """Process one message; send it on with `at.send("out", assembly)`."""
        at.send(OUT, assembly)

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        """Return the listener of this node for one running instance; see `running.listener.listener_for`."""
        raise NotImplementedError

    def wrong_choices(self, **choices: Iterable[str]) -> Iterator[str]:
        """Yield an error for each property whose value is not one of its choices; for `check`."""
        for name, known in choices.items():
            value = getattr(self, name)
            if value not in known:
                yield f"{name} {value!r} is not one of {', '.join(known)}"

    # -- terminals -------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Terminal:
        """Return a terminal by its name; `in_` and `try_` are for names that are Python keywords."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self.terminal(name.removesuffix("_"))

    def terminal(self, name: str) -> Terminal:
        """Return a terminal by its name."""
        if name in self.outputs:
            return Terminal(self, name, "out")
        if name in self.inputs:
            return Terminal(self, name, "in")
        known = [*self.inputs, *self.outputs]
        what = f"node {self.name} ({type(self).__name__}) has no terminal {name!r}{near(name, known)}"
        fields = {"node": self.name}
        raise NoTerminal(mq.PSRC_FLOW_GRAPH, f"{what} It has {', '.join(known)}.", fields, 0)

    # -- properties ------------------------------------------------------------------------

    def properties(self) -> dict[str, Any]:
        """Return the properties by name."""
        return {
            name: value
            for name, value in self.__dict__.items()
            if not name.startswith("_") and name not in ("flow", "name")
        }

    def check_property(self, name: str) -> None:
        """Refuse an unknown property."""
        known = self.properties()
        if name not in known:
            raise error(
                mq.PSRC_FLOW_GRAPH,
                f"node {self.name} ({type(self).__name__}) has no property {name!r}{near(name, known)}",
                node=self.name,
            )

    def set_property(self, name: str, value: Any) -> None:
        """Set a property by its name."""
        self.check_property(name)
        setattr(self, name, value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class InputNode(Node):
    """A node that starts flows. It has no input terminal; a listener drives it."""

    inputs = ()
    outputs = _OF_INPUTS
    is_driven = True
