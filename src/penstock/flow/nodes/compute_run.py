"""A Compute node in a running flow: runs its ESQL module on a message and sends the result.

`nodes/compute.py` has the node with its properties; `start` makes this from it. Environment and the other
input trees are created when the module accesses them, and then returned to the assembly, so that later nodes
see the same. Compiled through `compute_run.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

from penstock.esql.runtime.context import Context, Propagation
from penstock.esql.runtime.logs import level_of
from penstock.esql.runtime.terminals import terminal_name
from penstock.flow.new_messages import MODELLED, bind_model
from penstock.flow.node import OUT
from penstock.flow.processing import Processing, forward

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.database_work import Statements
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.ports import Ports
    from penstock.tree import Message, Reference

TO_OUT = Propagation(OUT)


@cython.cclass
class Computing(Processing):
    """A Compute node's function. `takes` selects which of the module's trees replace the input's."""

    def __init__(
        self,
        module: Any,
        at: NodeContext,
        statements: Statements,
        wires: list[Process | None],
        takes: tuple[bool, bool, bool],
        throws_database_errors: bool,
    ) -> None:
        self.module = module
        self.at = at
        self.statements = statements
        self.wires = wires
        self.takes_message, self.takes_destination, self.takes_exceptions = takes
        self.commits = statements.commits
        self.ports = at.instance.ports
        self.trees = at.instance.context_trees
        self.pattern = Context(
            deployment=at.deployment,
            labels=at.labels,
            log=self.log,
            randomness=self.ports.randomness,
            make_uuid=self.ports.make_uuid,
            throws_database_errors=throws_database_errors,
            databases=statements.databases,
            propagate=self.propagate,
        )
        self.context: Any = None  # that of the message which the module works on now
        self.assembly: Any = None

    def process(self, assembly: Assembly) -> None:
        """Run the module on a message and send the result."""
        context = renewed_for(self.pattern, assembly, self.ports)
        if self.trees is not None:
            context.levels = self.trees.levels(assembly, self.at.label)
        outer = (self.context, self.assembly)  # a label may lead back here while the module runs
        self.context, self.assembly = context, assembly
        try:
            answer = self._run(context)
        finally:
            self.context, self.assembly = outer
            hand_back(context, assembly)
        if answer is True:
            self.send(TO_OUT, self.wires[0], context, assembly)

    def log(self, target: str, text: str, fields: dict[str, Any]) -> None:
        """Write the text of a LOG statement to the flow's log."""
        self.ports.log(self.at.label, text, level_of(target, fields["severity"]))

    def _run(self, context: Context) -> Any:
        if not self.commits:
            return self.module.run(context)
        with self.statements.unit():
            return self.module.run(context)

    def propagate(self, sent: Propagation) -> None:
        """Send the output trees to a terminal or a label while the module runs."""
        context, assembly = self.context, self.assembly
        assembly.invocation.share_environment(context.environment.message)
        assembly.take_back(context.made_local_environment(), context.made_exception_list())
        self.send(sent, self.onward(sent), context, assembly)

    def send(self, sent: Propagation, onward: Process | None, context: Context, assembly: Assembly) -> None:
        """Send the output trees on: those named by PROPAGATE, the module's own, or the input's."""
        if onward is None:
            return
        message = local_environment = exception_list = None
        if self.takes_message or sent.message is not None:
            message = _tree(sent.message, context.output_root)
            if message.domain in MODELLED:
                bind_model(message, self.at.instance.project)
        if self.takes_destination or sent.environment is not None:
            local_environment = _tree(sent.environment, context.output_local_environment)
        if self.takes_exceptions or sent.exceptions is not None:
            exception_list = _tree(sent.exceptions, context.output_exception_list)
        forward(onward, assembly.sending(message, local_environment, exception_list))

    def onward(self, sent: Propagation) -> Process | None:
        """Return the function behind the terminal or label of a PROPAGATE."""
        if sent.label is not None:
            return self.at.instance.label(sent.label)
        return self.at.wire(terminal_name(sent.terminal))


def renewed_for(pattern: Context, assembly: Assembly, ports: Ports) -> Context:
    """Return a module's context for an assembly; missing trees are not created."""
    return pattern.renewed(
        assembly.message,
        assembly.invocation._environment,
        assembly._local_environment,
        assembly._exception_list,
        ports.moment(),
    )


def hand_back(context: Context, assembly: Assembly) -> None:
    """Return the trees that a module accessed first to the assembly, so that later nodes see them."""
    environment = context.made_environment()
    if environment is not None:
        assembly.invocation.share_environment(environment)
    local_environment, exceptions = context.made_local_environment(), context.made_exception_list()
    if local_environment is not None or exceptions is not None:
        assembly.take_back(local_environment, exceptions)


def _tree(given: Reference | None, own: Reference) -> Message:
    return own.message if given is None else given.message
