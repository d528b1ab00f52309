"""Throw: makes a message fail with a UserException defined by the flow's author."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.runtime.errors import CATALOG, USER_STATE
from penstock.flow.node import FAILURE, KW_ONLY, Node
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext

NUMBER = 3001
SEVERITY = 1


class Throw(Node):
    """Raises: `Throw("no such customer", number=3005)`."""

    outputs = (FAILURE,)

    text: str = ""
    _: KW_ONLY
    number: int = NUMBER
    catalog: str = CATALOG

    def check(self) -> Iterable[str]:
        if not isinstance(self.number, int):
            yield f"number {self.number!r} is no whole number"

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        raise error(
            mq.PSRC_FLOW_THROWN,
            self.text,
            sqlstate=USER_STATE,
            number=self.number,
            catalog=self.catalog,
            severity=SEVERITY,
            inserts=(self.text,),
        )
