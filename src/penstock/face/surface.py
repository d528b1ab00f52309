"""The names that a program uses: what `dir()` shows of queue managers, handles and subscriptions.

The same for embedded ones and both clients, whose classes have further names for each other. The reference
pages describe these and no others.
"""

from __future__ import annotations

from typing import Any

QUEUE_MANAGER = frozenset(
    [
        "backout",
        "backout_prepared",
        "backup",
        "begin",
        "browse",
        "checkpoint",
        "close",
        "closed",
        "commit",
        "commit_prepared",
        "consume",
        "disconnect",
        "explain_access",
        "explain_route",
        "export",
        "batches",
        "get",
        "get_many",
        "messages",
        "mqsc",
        "mqsc_script",
        "name",
        "open",
        "peek",
        "prepare",
        "prepared",
        "publish",
        "put",
        "put_list",
        "put_many",
        "put_messages",
        "put_status",
        "queues",
        "record_image",
        "request",
        "status",
        "stop",
        "subscribe",
        "trace",
        "unit_of_work",
        "unsubscribe",
    ]
)
HANDLE = frozenset(["close", "closed", "get", "inquire", "name", "options", "put", "resolved", "set"])
SUBSCRIPTION = frozenset(
    [
        "alter",
        "close",
        "closed",
        "consume",
        "describe",
        "durable",
        "get",
        "id",
        "messages",
        "name",
        "options",
        "queue",
        "request",
        "topic",
    ]
)


def shown(subject: Any, names: frozenset[str]) -> list[str]:
    """Return those of the names that an object has, and what Python itself has given it."""
    return [name for name in object.__dir__(subject) if name in names or name.startswith("__")]
