"""Compute: an ESQL module makes the messages that go on.

`mode` says which of the module's output trees replace those that came in: message, destination
(LocalEnvironment), exception, and their combinations. Main's TRUE sends the trees to `out`; PROPAGATE sends
to any terminal or label while the module runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.context import Context, Propagation, nowhere
from penstock.flow.esql_modules import missing_module, reach_of_module
from penstock.flow.kinds import Kind
from penstock.flow.node import FAILURE, OUT, Node
from penstock.flow.statements import TRANSACTIONS, Statements
from penstock.flow.trees import MODELLED, bind_model
from penstock.tree import Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.node import Process
    from penstock.flow.place import Place
    from penstock.flow.project import Project
    from penstock.tree import Reference

# mode -> does the module's message, LocalEnvironment, ExceptionList replace what came in?
MODES = {
    "message": (True, False, False),
    "destination": (False, True, False),
    "destinationAndMessage": (True, True, False),
    "exception": (False, False, True),
    "exceptionAndMessage": (True, False, True),
    "exceptionAndDestination": (False, True, True),
    "all": (True, True, True),
}
TO_OUT = Propagation(OUT)
TERMINALS = ("out", "out1", "out2", "out3", "out4")


class Compute(Node):
    """Runs an ESQL module: `Compute("esql/billing.esql", module="Billing")`."""

    outputs = (*TERMINALS, FAILURE)

    def __init__(
        self,
        esql: str = "",
        *,
        module: str = "",
        mode: str = "message",
        data_source: str = "",
        transaction: str = "automatic",
        throw_database_errors: bool = True,
        name: str = "",
    ) -> None:
        super().__init__(name=name or module or "Compute")
        self.esql = esql
        self.module = module
        self.mode = mode
        self.data_source = data_source
        self.transaction = transaction
        self.throw_database_errors = throw_database_errors

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """A module with a data source may write to it; `reach` looks."""
        return Kind.EFFECT if self.data_source else Kind.PURE

    def reach(self, project: Project) -> Kind:
        return reach_of_module(project.module(self.esql, self.module))

    def missing(self, project: Project) -> Iterable[str]:
        return missing_module(project, self.esql, self.module)

    def check(self) -> Iterable[str]:
        if self.mode not in MODES:
            yield f"mode {self.mode!r} is none of {', '.join(MODES)}"
        if self.transaction not in TRANSACTIONS:
            yield f"transaction {self.transaction!r} is none of {', '.join(TRANSACTIONS)}"
        if not self.module:
            yield "a Compute needs the name of its ESQL module"

    def start(self, at: Place) -> Process:
        module = at.instance.project.module(self.esql, self.module)
        return _Computing(self, module, at).process


class _Computing:
    """A Compute node in a running flow."""

    def __init__(self, node: Compute, module: Any, at: Place) -> None:
        self.module = module
        self.at = at
        self.wires = [at.wire(name) for name in TERMINALS]
        self.takes_message, self.takes_destination, self.takes_exceptions = MODES[node.mode]
        self.statements = Statements(at, node.data_source, node.transaction)
        self.databases = self.statements.databases
        self.throws = node.throw_database_errors
        self.labels = at.labels
        self.ports = at.instance.ports
        self.deployment = at.deployment

    def process(self, assembly: Assembly) -> None:
        """Run the module on a message, and send what it made."""
        ports = self.ports
        context = Context(
            assembly.message,
            deployment=self.deployment,
            environment=assembly.invocation.environment,
            local_environment=assembly.local_environment,
            exception_list=assembly.exception_list,
            output=Message(),
            labels=self.labels,
            propagate=lambda sent: self.send(sent, context, assembly),
            log=self.log,
            now=ports.moment(),
            randomness=ports.randomness,
            make_uuid=ports.make_uuid,
            throws_database_errors=self.throws,
            databases=self.databases,
        )
        try:
            if self._run(context) is True:
                self.send(TO_OUT, context, assembly)
        finally:
            context.emit = (
                nowhere  # what it was holds the context: trees would wait for the garbage collector
            )

    def log(self, target: str, text: str, fields: dict[str, Any]) -> None:
        """Write what LOG says to the log of the flow."""
        self.ports.log(self.at.label, text)

    def _run(self, context: Context) -> Any:
        if not self.statements.commits:
            return self.module.run(context)
        with self.statements.unit():
            return self.module.run(context)

    def send(self, sent: Propagation, context: Context, assembly: Assembly) -> None:
        """Send the output trees on, as PROPAGATE or the end of Main says."""
        onward = self.onward(sent)
        if onward is None:
            return
        message = self._tree(sent.message, self.takes_message, context, "output_root")
        if message is not None and message.domain in MODELLED:
            bind_model(message, self.at.instance.project)
        onward(
            assembly.sending(
                message,
                self._tree(sent.environment, self.takes_destination, context, "output_local_environment"),
                self._tree(sent.exceptions, self.takes_exceptions, context, "output_exception_list"),
            )
        )

    def onward(self, sent: Propagation) -> Process | None:
        if sent.label is not None:
            return self.at.instance.label(sent.label)
        if isinstance(sent.terminal, int):
            return self.wires[sent.terminal]
        return self.at.wire(sent.terminal)

    def _tree(self, given: Reference | None, taken: bool, context: Context, name: str) -> Message | None:
        """Return the tree to send: one that PROPAGATE named, the module's own, or None for what came in."""
        if given is None and not taken:
            return None
        found: Reference = getattr(context, name) if given is None else given
        return found.message
