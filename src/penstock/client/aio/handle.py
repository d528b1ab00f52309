"""An open object at the other end of a socket, for asyncio: the names of `ClientHandle`, as coroutines."""

from __future__ import annotations

from penstock.client.aio.closing import AsyncClosing
from penstock.client.aio.driver import awaited
from penstock.client.core import handle as core


class AsyncHandle(core.OpenObject, AsyncClosing):
    """One open object. Closed by `close` or at the end of an `async with`."""

    put = awaited(core.put)
    get = awaited(core.get)
    inquire = awaited(core.inquire)
    set = awaited(core.set)
    close = awaited(core.close)
