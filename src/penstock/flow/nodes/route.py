"""Route: XPath expressions decide which terminals a message goes to. The table defines the terminals.

The expressions can use `$Root`, `$Body`, `$Properties`, `$LocalEnvironment`, `$DestinationList`,
`$ExceptionList` (each also with `Input` before its name) and `$Environment`. If none is true, the message
goes to `default`.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from penstock.flow.node import FAILURE, KW_ONLY, Node
from penstock.flow.nodes.route_run import VARIABLES, Routing
from penstock.flow.xpath import compile_xpath
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.xpath import XPath

DEFAULT = "default"
DISTRIBUTIONS = ("all", "first")
FILTERS_MAX = 1000


class FilterTable(Node):
    """The base class of nodes with a table of XPath expressions and the terminals that they lead to."""

    always: ClassVar[tuple[str, ...]] = (DEFAULT, FAILURE)  # terminals beside those of the table

    _: KW_ONLY
    filters: Sequence[tuple[str, str]] = ()
    distribution: str = "all"
    namespaces: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.filters = tuple((expression, terminal) for expression, terminal in self.filters)
        self.namespaces = dict(self.namespaces or {})

    @property
    def outputs(self) -> tuple[str, ...]:  # type: ignore[override]
        """The terminals of the table, each once, and those that every such node has."""
        own = dict.fromkeys(terminal for _, terminal in self.filters)
        return (*own, *(each for each in self.always if each not in own))

    @property
    def variables(self) -> frozenset[str]:
        """The variables that the expressions may use."""
        return VARIABLES

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(distribution=DISTRIBUTIONS)
        if len(self.filters) > FILTERS_MAX:
            yield f"a {type(self).__name__} has at most {FILTERS_MAX} expressions"
        for expression, _ in self.filters:
            try:
                self._compiled(expression)
            except MQError as wrong:
                yield wrong.detail

    def table(self) -> list[tuple[XPath, str]]:
        """Return the compiled table."""
        return [(self._compiled(expression), terminal) for expression, terminal in self.filters]

    def _compiled(self, expression: str) -> XPath:
        return compile_xpath(expression, self.variables, self.namespaces)


class Route(FilterTable):
    """Routes: `Route([("$Body/Order/Total > 1000", "large"), ("$Body/Order/@rush", "rush")])`.

    `distribution` "all" sends to every terminal whose expression is true, in the order of the table, "first"
    only to the first of them. `namespaces` are the prefixes of the expressions.
    """

    filters: Sequence[tuple[str, str]]

    def start(self, at: NodeContext) -> Process:
        table = self.table()
        names = sorted({name for xpath, _ in table for name in xpath.used})
        wires = {terminal: at.wire(terminal) for terminal in self.outputs}
        return Routing(table, names, wires, DEFAULT, self.distribution == "first")
