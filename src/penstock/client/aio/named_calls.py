"""The verbs of the asyncio client that are calls by name: open, publish, subscribe, MQSC, status ...

What `named_calls` is for blocking programs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.aio.connection import AsyncConnection
from penstock.client.aio.handle import AsyncHandle
from penstock.client.aio.subscription import AsyncSubscription
from penstock.client.putting_back import put_back_async
from penstock.face.arguments import (
    DYNAMIC_NAME,
    check_names,
    folder_at,
    lines_of,
    open_details,
    options_of,
    text_of,
)
from penstock.face.units import CallUnit, syncpoint_of_get
from penstock.model import constants as mq
from penstock.protocol import numbers as protocol
from penstock.qmgr.topic_tree import LEVEL_MAX

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping
    from typing import Never

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.client.aio.flows import AsyncFlows
    from penstock.model.message import Receipt
    from penstock.model.message_handle import MessageHandle


class AsyncNamedCalls(AsyncConnection):
    """Everything that is no plain put or get."""

    async def put_in_full(
        self,
        method: Callable[..., Any],
        where: dict[str, Any],
        name: str,
        body: Any,
        fields: dict[str, Any],
        given: dict[str, Any],
    ) -> Receipt:
        """Put a message with everything that was given, to a queue of this name."""
        arguments = calls.put_arguments(method, where, body, fields, given)
        calls.check_length(arguments["body"], self.message_max)
        return await self._put_or_publish("put", arguments, name)

    async def _put_or_publish(self, verb: str, arguments: dict[str, Any], name: str) -> Receipt:
        """Make the call of a put or a publication, with or without an answer; return its receipt."""
        with CallUnit(self, arguments["options"]) as used:
            unit = used.unit or 0
            if not arguments["options"] & mq.MQPMO_ASYNC_RESPONSE:
                return calls.receipt_of(await self.call(verb, arguments, unit))
            payload = calls.pack_call(verb, arguments)
            link = self.link
            await link.ready()
            asked = link.ask(calls.result)
            link.out.frame(protocol.CALL, protocol.NO_REPLY, self.conversation, asked.request, unit, payload)
            del link.pending[asked.request]
            return calls.quiet_receipt(self.name, name, arguments)

    async def get_in_full(
        self, where: dict[str, Any], given: dict[str, Any], options: int = 0, queue: str = ""
    ) -> Any:
        """Get a message with everything that was given; None when there is none."""
        with CallUnit(self, syncpoint_of_get(options)) as used:
            message = await self._get(where, given, options, queue or where["queue"], used.unit or 0)
            if calls.took_nothing(message, options):
                used.give_up()
        return message

    async def _get(
        self, where: dict[str, Any], given: dict[str, Any], options: int, queue: str, unit: int
    ) -> Any:
        way = calls.way_of(where, given)
        browses = options & calls.BROWSING
        if self.kept:
            found = None if browses else calls.take_kept(self.kept, queue, unit, given, way)
            if found is not None:
                return found
            await put_back_async(self, self.kept.hidden_from(queue, unit, way))
        payload = calls.pack_call("get", calls.get_arguments(where, given))
        patience = self.patience(given.get("wait", 0.0))
        link = self.link
        await link.ready()
        asked = link.ask(calls.result)
        link.out.frame(protocol.CALL, 0, self.conversation, asked.request, unit, payload)
        keep = _forget if browses else self._keeper(queue, unit, way)
        return await link.answer_or_keep(asked, patience, self.conversation, keep)

    def _keeper(self, queue: str, unit: int, way: Any = None) -> Callable[[Any], None]:
        """Return what keeps a message whose get was given up."""

        def keep(found: Any) -> None:
            for message in found if isinstance(found, list) else [found] if found is not None else []:
                self.kept.add(queue, unit, way, message)

        return keep

    async def open(
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
    ) -> AsyncHandle:
        """Open an object with MQ's open options; see `AsyncHandle`."""
        if unknown:
            check_names(self.open, unknown)
        details = open_details(object_type, qmgr, dynamic_name, selector, alternate_user, object_string)
        return await self._opened({"name": name, "options": options_of(options), "details": details})

    async def _opened(self, arguments: dict[str, Any]) -> AsyncHandle:
        self.check_open()
        return AsyncHandle(self, await self.call("open", arguments))

    async def publish(
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
        return await self._put_or_publish("publish", arguments, topic)

    async def subscribe(
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
    ) -> AsyncSubscription:
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
        return await self._subscribed({"topic": topic, "details": given})

    async def _subscribed(self, arguments: dict[str, Any]) -> AsyncSubscription:
        self.check_open()
        return AsyncSubscription(self, await self.call("subscribe", arguments))

    async def unsubscribe(self, name: str) -> None:
        """Remove a durable subscription that nobody has open, with the messages it holds."""
        self.check_open()
        await self.call("unsubscribe", {"name": name})

    async def put_status(self) -> calls.PutStatus:
        """Tell how puts without an answer went since the last time (MQSTAT)."""
        return calls.PutStatus(*await self.call("put_status", {}))

    @property
    def flows(self) -> AsyncFlows:
        """Reservations of flows: exactly-once batches for an outside engine."""
        from penstock.client.aio.flows import AsyncFlows

        return AsyncFlows(self)

    async def mqsc(self, text: str, *, check: bool = False) -> list[Reply]:
        """Run MQSC commands; a command's failure is in its reply, or raised with `check`."""
        replies = [piece async for piece in self._mqsc(text_of(text, "MQSC"), verify=False, echo=False)]
        return calls.checked_replies(replies, check)

    def mqsc_script(
        self, lines: Iterable[str], *, verify: bool = False
    ) -> AsyncIterator[Echo | Reply | Summary]:
        """Run MQSC; yield echoes, replies and, last, a summary, as they come."""
        text = "\n".join(line.rstrip("\n") for line in lines_of(lines))
        return self._mqsc(text, verify=verify, echo=True)

    async def _mqsc(self, text: str, *, verify: bool, echo: bool) -> AsyncIterator[Any]:
        async for row in self.stream("mqsc", {"text": text, "verify": verify, "echo": echo}):
            yield calls.piece_of(row)

    async def export(self, everything: bool = False) -> str:
        """Return the MQSC that makes every object again; SYSTEM objects only where they were changed."""
        return "".join([piece async for piece in self.stream("export", {"everything": everything})])

    async def explain_access(
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
        found: dict[str, Any] = await self.call("explain_access", {"user": user, "question": question})
        return found

    async def status(self) -> dict[str, Any]:
        """Return figures about the queue manager: log, syncs, units, waiters, channels."""
        found: dict[str, Any] = await self.call("status", {})
        return found

    async def queues(self, pattern: str = "*") -> list[dict[str, Any]]:
        """Return depth, oldest message, readers and writers of the local queues that you may display."""
        return [row async for row in self.stream("queues", {"pattern": text_of(pattern, "pattern")})]

    async def checkpoint(self) -> None:
        """Take a checkpoint now."""
        await self.call("checkpoint", {}, timeout=calls.LONG_CALL_SECONDS)

    async def backup(self, target: str | os.PathLike[str]) -> Path:
        """Copy the queue manager, as it is now, to a folder on its machine."""
        given = {"target": str(folder_at(target))}
        return Path(await self.call("backup", given, timeout=calls.LONG_CALL_SECONDS))

    async def record_image(self) -> dict[str, Any]:
        """Record a media image of all objects, for linear logging; return which log files are needed."""
        return dict(await self.call("record_image", {}, timeout=calls.LONG_CALL_SECONDS))

    async def stop(self, mode: str = "quiesce") -> None:
        """Stop the queue manager: `quiesce`, `immediate` or `preemptive`."""
        await self.call("stop", {"mode": mode})


def _forget(found: Any) -> None:
    """Keep nothing: what was browsed is still on its queue."""
