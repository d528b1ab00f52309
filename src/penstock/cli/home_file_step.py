"""One step of the plan of `penstock apply`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Step:
    """One change: what it is, its details, and what carries it out."""

    act: str  # create or change
    kind: str
    name: str
    lines: list[str] = field(default_factory=list)
    carry_out: Callable[[], None] = lambda: None

    @property
    def facts(self) -> dict[str, Any]:
        """The step for JSON."""
        return {"act": self.act, "kind": self.kind, "name": self.name, "changes": self.lines}
