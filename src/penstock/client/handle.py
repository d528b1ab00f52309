"""An open object at the other end of a socket, with MQ's full options: what `open` of a client returns.

Compiled through `handle.pxd`: no signal comes between the answer and the return of a message.
"""

from __future__ import annotations

from penstock.client.core import handle as core
from penstock.client.driver import blocking
from penstock.face.closing import Closing


class ClientHandle(core.OpenObject, Closing):
    """One open object. Usable from several threads; closed by `close` or at the end of a `with`."""

    put = blocking(core.put)
    get = blocking(core.get)
    inquire = blocking(core.inquire)
    set = blocking(core.set)
    close = blocking(core.close)
