"""An open object at the other end of a socket, for asyncio: the names of `ClientHandle`, as coroutines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client.aio.driver import awaited
from penstock.client.core import handle as core

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class AsyncHandle(core.OpenObject):
    """One open object. Closed by `close` or at the end of an `async with`."""

    put = awaited(core.put)
    get = awaited(core.get)
    inquire = awaited(core.inquire)
    set = awaited(core.set)
    close = awaited(core.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_usable():
            await self.close()
