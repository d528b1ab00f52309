"""A subscription at the other end of a socket: what `subscribe` of a client returns.

The names are those of the embedded one. `SubscriptionFacts` is shared with the asyncio client. Compiled
through `subscription.pxd`: no signal comes between the answer and the return of a message.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.face import consuming
from penstock.face.arguments import check_names, options_of
from penstock.face.consuming import Consumer
from penstock.face.surface import SUBSCRIPTION, shown
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Never, Self

    from penstock.client.connection import ClientConnection
    from penstock.model.message import Message


class SubscriptionFacts:
    """What a subscription is, as the queue manager told when it was made."""

    def __init__(self, qm: Any, facts: list[Any]) -> None:
        self.qm = qm
        self.number, described = facts
        self.closed = False
        self.describe_as(described)

    def describe_as(self, described: dict[str, Any]) -> None:
        """Take what the queue manager tells of the subscription."""
        self.name: str = described["name"]
        self.id = bytes.fromhex(described["id"])
        self.topic: str = described["topic"]
        self.queue: str = described["queue"]
        self.durable: bool = described["durable"]
        self.options: int = described["options"]

    @property
    def where(self) -> dict[str, Any]:
        """What a call names the subscription by."""
        return {"subscription": self.number}

    def check(self) -> None:
        """Raise 2018 or 2019 when the connection or the subscription is closed."""
        self.qm.check_open()
        if self.closed:
            raise error(2019, "the subscription is closed")

    def describe(self) -> dict[str, Any]:
        """Return what the subscription is, as plain data."""
        names = ("name", "topic", "queue", "durable", "options")
        return {"id": self.id.hex().upper(), **{name: getattr(self, name) for name in names}}

    def __dir__(self) -> list[str]:
        return shown(self, SUBSCRIPTION)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name or self.topic!r}{' closed' if self.closed else ''}>"


class ClientSubscription(SubscriptionFacts):
    """One open subscription, for blocking programs."""

    qm: ClientConnection

    def get(
        self,
        *,
        options: int = 0,
        wait: float | None = 0.0,
        max_length: int | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        seq_number: int = -1,
        offset: int = -1,
        token: bytes | None = None,
        selector: str | None = None,
        ccsid: int = 0,
        encoding: int = mq.MQENC_NATIVE,
        **unknown: Never,
    ) -> Message | None:
        """Get a publication, or None when there is none (after `wait` seconds; None waits for ever)."""
        self.check()
        if unknown:
            check_names(self.get, unknown)
        wanted = options_of(options)
        given = calls.get_details(
            wanted,
            wait,
            max_length,
            msg_id,
            correl_id,
            group_id,
            seq_number,
            offset,
            token,
            selector,
            ccsid,
            encoding,
        )
        found: Message | None = calls.get(self.qm, self.where, given, wanted, self.queue)
        return found

    def messages(self, *, wait: float | None = 0.0, unit_of_work: bool = True) -> Iterator[Message]:
        """Yield publications until none has come for `wait` seconds; units as for `qm.messages`."""
        return consuming.messages(self.qm, self.get, wait, unit_of_work)

    def __iter__(self) -> Iterator[Message]:
        """Yield publications as they come, until the subscription is closed."""
        return consuming.messages(self.qm, self.get, None, True)

    def consume(
        self,
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = True,
        on_error: Callable[[BaseException, Message], Any] | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Consumer:
        """Call back with each publication, in a thread of its own, from now on; see `Consumer`."""
        if unknown:
            check_names(self.consume, unknown)
        get = functools.partial(self.get, correl_id=correl_id, msg_id=msg_id, selector=selector)
        return Consumer(self.qm, get, callback, unit_of_work=unit_of_work, on_error=on_error).start()

    def request(self) -> int:
        """Ask for what is retained (MQSUBRQ); return how many publications came."""
        self.check()
        return int(calls.call(self.qm, "request_retained", self.where))

    def alter(
        self,
        *,
        selector: str | None = None,
        user_data: str | None = None,
        expiry: float | None = None,
        priority: int | None = None,
        persistence: str | None = None,
        properties: str | None = None,
        level: int | None = None,
        correl_id: bytes | None = None,
        queue: str = "",
        qmgr: str = "",
        **unknown: Never,
    ) -> None:
        """Change what is given, and leave the rest (MQSO_ALTER)."""
        self.check()
        if unknown:
            check_names(self.alter, unknown)
        changes = {
            "selector": selector,
            "user_data": user_data,
            "expiry": expiry,
            "priority": priority,
            "persistence": persistence,
            "properties": properties,
            "level": level,
            "correl_id": correl_id,
            "queue": queue,
            "qmgr": qmgr,
        }
        calls.call(self.qm, "alter_subscription", {**self.where, "changes": changes})

    def close(self, *, remove: bool = False) -> None:
        """Close the subscription: a durable one stays, unless it is to be removed."""
        self.qm.check_open()
        if not self.closed:
            calls.call(self.qm, "close_subscription", {**self.where, "remove": remove})
            self.closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.closed and not self.qm.closed and self.qm.link.failure is None:
            self.close()
