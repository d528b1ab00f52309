"""An open object at the other end of a socket, for asyncio: the names of `ClientHandle`, as coroutines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.host.arguments import attributes_of, options_of
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.wire.client.calls import inquired

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from penstock.model.inquired import Inquired
    from penstock.model.message import Message, Receipt
    from penstock.wire.client.aio_named_calls import AsyncNamedCalls


class AsyncHandle:
    """One open object. Closed by `close` or at the end of an `async with`."""

    def __init__(self, qm: AsyncNamedCalls, facts: list[Any]) -> None:
        self.qm = qm
        self.number, self.name, resolved, self.options = facts
        self.resolved: tuple[str, str] = (resolved[0], resolved[1])
        self.closed = False

    async def put(self, body: bytes | str, **details: Any) -> Receipt:
        """Put a message to this object (MQPUT); `details` are those of the blocking handle."""
        self._check()
        return await self.qm.put_in_full({"handle": self.number}, body, details)

    async def get(
        self, *, options: int = 0, wait: float | None = 0.0, quiet: bool = False, **details: Any
    ) -> Message | None:
        """Get or browse a message (MQGET); raises 2033 when there is none, unless `quiet`."""
        self._check()
        wanted = options_of(options)
        given = {"options": wanted, "wait": wait, **details}
        message: Message | None = await self.qm.get_in_full({"handle": self.number}, given, wanted, self.name)
        if message is None and not quiet and not wanted & mq.MQGMO_UNLOCK:
            raise error(2033, f"no message that fits is on {self.name}", object=self.name)
        return message

    async def inquire(self, *selectors: str | int) -> Inquired:
        """Return attributes by MQSC name or MQIA_/MQCA_ number (MQINQ); all when none is named."""
        self._check()
        found = await self.qm.call("inquire", {"handle": self.number, "selectors": list(selectors)})
        return inquired(*found)

    async def set(self, values: Mapping[str | int, Any] | None = None, /, **named: Any) -> None:
        """Change attributes of the open queue (MQSET): GET, PUT, TRIGGER ..., by name or number."""
        self._check()
        pairs = [[key, value] for key, value in attributes_of(values, named).items()]
        await self.qm.call("set", {"handle": self.number, "values": pairs})

    async def close(self, options: int = 0) -> int:
        """Close the object (MQCLOSE); return a warning reason, such as 2241, or 0."""
        self._check()
        warning: int = await self.qm.call("close", {"handle": self.number, "options": options_of(options)})
        self.closed = True
        return warning

    def _check(self) -> None:
        self.qm.check_open()
        if self.closed:
            raise error(2019, "the handle is closed")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.closed and not self.qm.closed and self.qm.link.failure is None:
            await self.close()

    def __repr__(self) -> str:
        return f"<AsyncHandle {self.name}{' closed' if self.closed else ''}>"
