"""`penstock queue purge`: removes messages from a queue."""

from __future__ import annotations

from typing import Any

from penstock.cli.connecting import QueueArgument
from penstock.cli.queue.acting import act, acting


@acting
def purge(
    queue: QueueArgument,
    *,
    how: dict[str, Any],
) -> None:
    """Delete messages of a queue, after a plan that counts them; what arrives later stays."""
    act("purge", queue, "", how)
