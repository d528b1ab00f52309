# cython: nonecheck=True
"""The verbs of a client that are calls by name: open, publish, subscribe, MQSC, status ...

Between `ClientConnection` and `ClientQueueManager`, whose puts and gets have frames of their own. Compiled,
because its heir is: `named_calls.pxd`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.host.arguments import folder_at, lines_of, options_of, text_of
from penstock.host.units import CallUnit
from penstock.wire.client import calls
from penstock.wire.client.connection import ClientConnection
from penstock.wire.client.handle import ClientHandle
from penstock.wire.client.subscription import ClientSubscription

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.model.message import Receipt
    from penstock.wire.client.flows import ClientFlows


class NamedCalls(ClientConnection):
    """Everything that is no plain put or get."""

    def open(self, name: str, options: int = 0, **details: Any) -> ClientHandle:
        """Open an object with MQ's open options; see `ClientHandle`."""
        self.check_open()
        facts = calls.call(self, "open", {"name": name, "options": options_of(options), "details": details})
        return ClientHandle(self, facts)

    def publish(self, topic: str, body: bytes | str, **details: Any) -> Receipt:
        """Publish to a topic; as the embedded `publish`."""
        self.check_open()
        arguments = calls.publish_arguments(topic, body, details)
        calls.check_length(arguments["body"], self.message_max)
        with CallUnit(self, arguments["options"]) as used:
            return calls.receipt_of(calls.call(self, "publish", arguments, used.unit or 0))

    def subscribe(self, topic: str = "", **details: Any) -> ClientSubscription:
        """Subscribe to a topic, or to all that a pattern fits; as the embedded `subscribe`."""
        self.check_open()
        facts = calls.call(self, "subscribe", {"topic": topic, "details": details})
        return ClientSubscription(self, facts)

    def unsubscribe(self, name: str) -> None:
        """Remove a durable subscription that nobody has open, with the messages it holds."""
        self.check_open()
        calls.call(self, "unsubscribe", {"name": name})

    def put_status(self) -> calls.PutStatus:
        """Tell how puts without an answer went since the last time (MQSTAT)."""
        return calls.PutStatus(*calls.call(self, "put_status", {}))

    @property
    def flows(self) -> ClientFlows:
        """Reservations of flows: exactly-once batches for an outside engine."""
        from penstock.wire.client.flows import ClientFlows

        return ClientFlows(self)

    def mqsc(self, text: str, *, check: bool = False) -> list[Reply]:
        """Run MQSC commands; a command's failure is in its reply, or raised with `check`."""
        replies = list(calls.mqsc(self, text_of(text, "MQSC"), verify=False, echo=False))
        return calls.checked_replies(replies, check)

    def mqsc_script(self, lines: Iterable[str], *, verify: bool = False) -> Iterator[Echo | Reply | Summary]:
        """Run MQSC; yield echoes, replies and, last, a summary, as they come."""
        return calls.mqsc(
            self, "\n".join(line.rstrip("\n") for line in lines_of(lines)), verify=verify, echo=True
        )

    def export(self, everything: bool = False) -> str:
        """Return the MQSC that makes every object again; SYSTEM objects only where they were changed."""
        return "".join(calls.stream(self, "export", {"everything": everything}))

    def explain_access(self, user: str, **question: str) -> dict[str, Any]:
        """Tell why a user may or may not come in and do a thing: `allowed`, `user`, and the steps."""
        found: dict[str, Any] = calls.call(self, "explain_access", {"user": user, "question": question})
        return found

    def status(self) -> dict[str, Any]:
        """Return figures about the queue manager: log, syncs, units, waiters, channels."""
        found: dict[str, Any] = calls.call(self, "status", {})
        return found

    def queues(self, pattern: str = "*") -> list[dict[str, Any]]:
        """Return depth, oldest message, readers and writers of the local queues that you may display."""
        return list(calls.stream(self, "queues", {"pattern": text_of(pattern, "pattern")}))

    def checkpoint(self) -> None:
        """Take a checkpoint now."""
        calls.call(self, "checkpoint", {}, timeout=calls.LONG_CALL_SECONDS)

    def backup(self, target: str | os.PathLike[str]) -> Path:
        """Copy the queue manager, as it is now, to a folder on its machine."""
        given = {"target": str(folder_at(target))}
        return Path(calls.call(self, "backup", given, timeout=calls.LONG_CALL_SECONDS))

    def stop(self, mode: str = "quiesce") -> None:
        """Stop the queue manager: `quiesce`, `immediate` or `preemptive`."""
        calls.call(self, "stop", {"mode": mode})
