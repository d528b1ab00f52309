"""An open object at the other end of a socket, with MQ's full options: what `open` of a client returns.

The names are those of the embedded handle. Where `qm.get` answers None, a handle raises (2033). Compiled
through `handle.pxd`: no signal comes between the answer and the return of a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.face.arguments import attributes_of, check_names, options_of
from penstock.face.surface import HANDLE, shown
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Never, Self

    from penstock.client.connection import ClientConnection
    from penstock.model.inquired import Inquired
    from penstock.model.message import Message, Receipt
    from penstock.model.message_handle import MessageHandle


class ClientHandle:
    """One open object. Usable from several threads; closed by `close` or at the end of a `with`."""

    def __init__(self, qm: ClientConnection, facts: list[Any]) -> None:
        self.qm = qm
        self.number, self.name, resolved, self.options = facts
        self.resolved: tuple[str, str] = (resolved[0], resolved[1])
        self.closed = False

    def put(
        self,
        body: bytes | str,
        *,
        options: int = 0,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        put_time: float | None = None,
        **fields: Any,
    ) -> Receipt:
        """Put a message to this object (MQPUT)."""
        self._check()
        receipt: Receipt = calls.put(
            self.qm,
            self.put,
            {"handle": self.number},
            self.name,
            body,
            fields,
            options=options,
            persistent=persistent,
            correl_id=correl_id,
            msg_id=msg_id,
            priority=priority,
            expiry=expiry,
            properties=properties,
            put_time=put_time,
        )
        return receipt

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
        quiet: bool = False,
        **unknown: Never,
    ) -> Message | None:
        """Get or browse a message (MQGET); raises 2033 when there is none, unless `quiet`."""
        self._check()
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
        message: Message | None = calls.get(self.qm, {"handle": self.number}, given, wanted, self.name)
        if message is None and not quiet and not wanted & mq.MQGMO_UNLOCK:
            raise error(2033, f"no message that fits is on {self.name}", object=self.name)
        return message

    def inquire(self, *selectors: str | int) -> Inquired:
        """Return attributes by MQSC name or MQIA_/MQCA_ number (MQINQ); all when none is named."""
        self._check()
        found = calls.call(self.qm, "inquire", {"handle": self.number, "selectors": list(selectors)})
        return calls.inquired(*found)

    def set(self, values: Mapping[str | int, Any] | None = None, /, **named: Any) -> None:
        """Change attributes of the open queue (MQSET): GET, PUT, TRIGGER ..., by name or number."""
        self._check()
        pairs = [[key, value] for key, value in attributes_of(values, named).items()]
        calls.call(self.qm, "set", {"handle": self.number, "values": pairs})

    def close(self, options: int = 0) -> int:
        """Close the object (MQCLOSE); return a warning reason, such as 2241, or 0."""
        self._check()
        warning: int = calls.call(self.qm, "close", {"handle": self.number, "options": options_of(options)})
        self.closed = True
        return warning

    def _check(self) -> None:
        self.qm.check_open()
        if self.closed:
            raise error(2019, "the handle is closed")

    def __dir__(self) -> list[str]:
        return shown(self, HANDLE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.closed and not self.qm.closed and self.qm.link.failure is None:
            self.close()

    def __repr__(self) -> str:
        return f"<ClientHandle {self.name}{' closed' if self.closed else ''}>"
