# cython: nonecheck=True
"""The verbs of a client that are calls by name: open, publish, subscribe, MQSC, status ...

Between `ClientConnection` and `ClientQueueManager`, whose puts and gets have frames of their own. Compiled,
because its heir is: `named_calls.pxd`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.connection import ClientConnection
from penstock.client.handle import ClientHandle
from penstock.client.subscription import ClientSubscription
from penstock.face.arguments import (
    DYNAMIC_NAME,
    check_names,
    folder_at,
    lines_of,
    open_details,
    options_of,
    text_of,
)
from penstock.model import constants as mq
from penstock.qmgr.topic_tree import LEVEL_MAX

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Never

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.client.flows import ClientFlows
    from penstock.model.message import Receipt
    from penstock.model.message_handle import MessageHandle


class NamedCalls(ClientConnection):
    """Everything that is no plain put or get."""

    def open(
        self,
        name: str,
        options: int = 0,
        *,
        object_type: int = mq.MQOT_Q,
        qmgr: str = "",
        dynamic_name: str = DYNAMIC_NAME,
        selector: str | None = None,
        alternate_user: str = "",
        object_string: str = "",
        **unknown: Never,
    ) -> ClientHandle:
        """Open an object with MQ's open options; see `ClientHandle`."""
        if unknown:
            check_names(self.open, unknown)
        details = open_details(object_type, qmgr, dynamic_name, selector, alternate_user, object_string)
        return self._opened({"name": name, "options": options_of(options), "details": details})

    def _opened(self, arguments: dict[str, Any]) -> ClientHandle:
        self.check_open()
        return ClientHandle(self, calls.call(self, "open", arguments))

    def publish(
        self,
        topic: str,
        body: bytes | str,
        *,
        retain: bool = False,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        topic_object: str = "",
        level: int = LEVEL_MAX,
        options: int = 0,
        **fields: Any,
    ) -> Receipt:
        """Publish to a topic; as the embedded `publish`."""
        self.check_open()
        given = {
            "retain": retain,
            "persistent": persistent,
            "correl_id": correl_id,
            "msg_id": msg_id,
            "priority": priority,
            "expiry": expiry,
            "properties": properties,
            "topic_object": topic_object,
            "level": level,
            "options": options,
        }
        arguments = calls.put_arguments(self.publish, {"topic": topic}, body, fields, given)
        calls.check_length(arguments["body"], self.message_max)
        return calls.put_or_publish(self, "publish", arguments, topic)

    def subscribe(
        self,
        topic: str = "",
        *,
        durable: str | None = None,
        name: str | None = None,
        selector: str | None = None,
        queue: str | None = None,
        qmgr: str | None = None,
        topic_object: str | None = None,
        wildcard: str | None = None,
        level: int | None = None,
        user_data: str | None = None,
        expiry: float | None = None,
        correl_id: bytes | None = None,
        priority: int | None = None,
        persistence: str | None = None,
        properties: str | None = None,
        accounting_token: bytes | None = None,
        appl_identity_data: str | None = None,
        new_only: bool = False,
        on_request: bool = False,
        options: int = 0,
        **unknown: Never,
    ) -> ClientSubscription:
        """Subscribe to a topic, or to all that a pattern fits; as the embedded `subscribe`."""
        if unknown:
            check_names(self.subscribe, unknown)
        details = {
            "durable": durable,
            "name": name,
            "selector": selector,
            "queue": queue,
            "qmgr": qmgr,
            "topic_object": topic_object,
            "wildcard": wildcard,
            "level": level,
            "user_data": user_data,
            "expiry": expiry,
            "correl_id": correl_id,
            "priority": priority,
            "persistence": persistence,
            "properties": properties,
            "accounting_token": accounting_token,
            "appl_identity_data": appl_identity_data,
            "new_only": new_only,
            "on_request": on_request,
            "options": options,
        }
        given = {name: value for name, value in details.items() if value is not None}
        return self._subscribed({"topic": topic, "details": given})

    def _subscribed(self, arguments: dict[str, Any]) -> ClientSubscription:
        self.check_open()
        return ClientSubscription(self, calls.call(self, "subscribe", arguments))

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
        from penstock.client.flows import ClientFlows

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

    def explain_access(
        self,
        user: str,
        *,
        channel: str = "",
        address: str = "",
        host: str = "",
        peer: str = "",
        issuer: str = "",
        object: str = "",
        object_type: str = "",
        verb: str = "",
        **unknown: Never,
    ) -> dict[str, Any]:
        """Tell why a user may or may not come in and do a thing: `allowed`, `user`, and the steps."""
        if unknown:
            check_names(self.explain_access, unknown)
        question = {
            "channel": channel,
            "address": address,
            "host": host,
            "peer": peer,
            "issuer": issuer,
            "object": object,
            "object_type": object_type,
            "verb": verb,
        }
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

    def record_image(self) -> dict[str, Any]:
        """Record a media image of all objects, for linear logging; return which log files are needed."""
        return dict(calls.call(self, "record_image", {}, timeout=calls.LONG_CALL_SECONDS))

    def stop(self, mode: str = "quiesce") -> None:
        """Stop the queue manager: `quiesce`, `immediate` or `preemptive`."""
        calls.call(self, "stop", {"mode": mode})
