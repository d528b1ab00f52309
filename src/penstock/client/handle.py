"""An open object at the other end of a socket, with MQ's full options: what `open` of a client returns.

Compiled through `handle.pxd`: no signal comes between the answer and the return of a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client.core import handle as core
from penstock.client.driver import blocking

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class ClientHandle(core.OpenObject):
    """One open object. Usable from several threads; closed by `close` or at the end of a `with`."""

    put = blocking(core.put)
    get = blocking(core.get)
    inquire = blocking(core.inquire)
    set = blocking(core.set)
    close = blocking(core.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_usable():
            self.close()
