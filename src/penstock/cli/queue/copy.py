"""`penstock queue copy`: copies messages to another queue."""

from __future__ import annotations

from typing import Any

from penstock.cli.connecting import QueueArgument
from penstock.cli.queue.acting import TargetArgument, act, acting


@acting
def copy(
    queue: QueueArgument,
    target: TargetArgument,
    *,
    how: dict[str, Any],
) -> None:
    """Put copies of messages on another queue; the originals stay."""
    act("copy", queue, target, how)
