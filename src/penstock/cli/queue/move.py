"""`penstock queue move`: moves messages to another queue."""

from __future__ import annotations

from typing import Any

from penstock.cli.connecting import QueueArgument
from penstock.cli.queue.acting import TargetArgument, act, acting


@acting
def move(
    queue: QueueArgument,
    target: TargetArgument,
    *,
    how: dict[str, Any],
) -> None:
    """Move messages to another queue, each in a unit of work."""
    act("move", queue, target, how)
