"""The waiting trigger messages, read over a socket: for `penstock trigger-monitor --dry-run`.

The queue manager changes nothing; the user needs the right to browse the initiation queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client import calls
from penstock.store.message_format import decode_head

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.model.message import Message


def awaited_triggers(qm: ClientQueueManager, queue: str) -> list[Message]:
    """Return the trigger messages that a monitor of a queue would get now, over a client's connection."""
    packed = calls.stream(qm, "awaited_triggers", {"queue": queue})
    return [decode_head(head, body, len(body)) for head, body in packed]
