"""XPath expressions in properties of nodes: the text, the number or the truth of one, for a message.

Used by nodes that group or order messages. Route has its own, compiled loop over the same expressions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.nodes.route_run import VARIABLES, variables_of
from penstock.flow.xpath import compile_xpath
from penstock.flow.xpath.values import text_of
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.flow.assembly import Assembly


class PathValue:
    """An XPath expression; 8308 if it cannot be read."""

    def __init__(self, text: str, namespaces: Mapping[str, str] | None = None) -> None:
        self._xpath = compile_xpath(text.strip(), VARIABLES, namespaces)
        self._names = sorted(self._xpath.used)

    def text(self, assembly: Assembly) -> str:
        """Return the value as text; "" if there is none."""
        root = assembly.message.reference()
        return text_of(self._xpath.value(root, variables_of(self._names, assembly)))

    def holds(self, assembly: Assembly) -> bool:
        """Return the value as a Boolean."""
        return self._xpath.holds(assembly.message.reference(), variables_of(self._names, assembly))


def wrong_paths(namespaces: Mapping[str, str] | None = None, **paths: str) -> Iterator[str]:
    """Yield an error for each property that is not an expression; for `Node.check`."""
    for name, text in paths.items():
        try:
            if text:
                PathValue(text, namespaces)
        except MQError as wrong:
            yield f"{name}: {wrong.detail}"
