"""The properties of nodes that put a message: whether in the unit of work, persistence and context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, Node
from penstock.flow.writing import PutRules

if TYPE_CHECKING:
    from collections.abc import Iterable


class PutProperties(Node):
    """The base class of nodes that put; their properties with names of `PutRules` are their rules."""

    _: KW_ONLY
    transaction: str = "automatic"
    persistence: str = "automatic"
    context: str = "passAll"

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """A put outside the unit of work cannot be taken back."""
        return Kind.EFFECT if self.transaction == "no" else Kind.QUEUE

    @property
    def rules(self) -> PutRules:
        """How it puts."""
        own = vars(self)
        return PutRules(**{name: own[name] for name in PutRules._fields if name in own})

    def check(self) -> Iterable[str]:
        yield from super().check()
        yield from self.rules.check()
