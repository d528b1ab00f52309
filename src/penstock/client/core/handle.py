"""An open object at the other end of a socket: what both clients' handles know, and their verbs.

The names are those of the embedded handle. Where `qm.get` answers None, a handle raises (2033).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client import calls, recovery
from penstock.client.core import verbs
from penstock.client.core.steps import Call
from penstock.face.arguments import attributes_of, options_of
from penstock.face.declared import HandleGetParameters, HandlePutParameters
from penstock.face.keywords import HANDLE_GET, HANDLE_PUT, completed, divided, takes
from penstock.face.surface import HANDLE, shown
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from penstock.client.core.steps import Connection, Steps
    from penstock.model.inquired import Inquired
    from penstock.model.message import Message, Receipt


class OpenObject:
    """One open object, as the queue manager described it, and how it was opened."""

    def __init__(self, qm: Connection[Any, Any], facts: list[Any], arguments: dict[str, Any]) -> None:
        self.qm = qm
        self.number, self.name, resolved, self.options = facts
        self.resolved: tuple[str, str] = (resolved[0], resolved[1])
        self.arguments = {**arguments, "name": self.name, "options": self.options}
        self.closed = False
        self.lost: MQError | None = None  # why it could not be opened again

    def check(self) -> None:
        """Raise 2018 or 2019 when the connection or the handle is closed, or why it is lost."""
        self.qm.check_open()
        if self.closed:
            raise error(mq.MQRC_HOBJ_ERROR, "the handle is closed")
        if self.lost is not None:
            raise error(self.lost.reason, self.lost.detail)

    def reopen(self) -> Steps[None]:
        """Open the object on a new link, by the name it had. A browse starts from the beginning."""
        if self.closed:
            return
        try:
            self.number = (yield Call("open", self.arguments))[0]
        except MQError as failure:
            if failure.reason in calls.GONE:
                raise
            self.lost = recovery.not_reopened(self.name, failure)
        else:
            self.lost = None

    def is_usable(self) -> bool:
        """Return whether it can still be closed."""
        return not self.closed and not self.qm.closed and self.qm.link.failure is None

    def __dir__(self) -> list[str]:
        return shown(self, HANDLE)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}{' closed' if self.closed else ''}>"


@takes(HandlePutParameters, HANDLE_PUT, fields=True)
def put(self: OpenObject, body: bytes | str, **parameters: Unpack[HandlePutParameters]) -> Steps[Receipt]:
    """Put a message to this object (MQPUT)."""
    self.check()
    given, fields = divided(HANDLE_PUT, parameters)
    where = {"handle": self.number}
    return (yield from verbs.put_in_full(self.qm, put, where, self.name, body, fields, given))


@takes(HandleGetParameters, HANDLE_GET)
def get(self: OpenObject, **parameters: Unpack[HandleGetParameters]) -> Steps[Message | None]:
    """Get or browse a message (MQGET); raises 2033 when there is none, unless `quiet`."""
    self.check()
    asked = completed(get, HANDLE_GET, parameters)
    quiet = asked.pop("quiet")
    wanted = asked["options"] = options_of(asked["options"])
    given = calls.get_details(asked)
    message = yield from verbs.get_in_full(self.qm, {"handle": self.number}, given, wanted, self.name)
    if message is None and not quiet and not wanted & mq.MQGMO_UNLOCK:
        raise error(mq.MQRC_NO_MSG_AVAILABLE, f"no message that fits is on {self.name}", object=self.name)
    return message


def inquire(self: OpenObject, *selectors: str | int) -> Steps[Inquired]:
    """Return attributes by MQSC name or MQIA_/MQCA_ number (MQINQ); all when none is named."""
    self.check()
    found = yield Call("inquire", {"handle": self.number, "selectors": list(selectors)})
    return calls.inquired(*found)


def set(self: OpenObject, values: Mapping[str | int, Any] | None = None, /, **named: Any) -> Steps[None]:
    """Change attributes of the open queue (MQSET): GET, PUT, TRIGGER ..., by name or number."""
    self.check()
    pairs = [[key, value] for key, value in attributes_of(values, named).items()]
    yield Call("set", {"handle": self.number, "values": pairs})


def close(self: OpenObject, options: int = 0) -> Steps[int]:
    """Close the object (MQCLOSE); return a warning reason, such as 2241, or 0."""
    self.check()
    warning: int = yield Call("close", {"handle": self.number, "options": options_of(options)})
    self.closed = True
    return warning
