"""The verbs of administration, for both clients: MQSC, displays, traces, checkpoints and backups.

As those of `verbs`: generators of steps, which a driver performs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.client import calls
from penstock.client.core.steps import LONG_CALL_SECONDS, Call, Rows
from penstock.face.arguments import check_names, folder_at, text_of
from penstock.face.declared import AccessParameters, PeekParameters
from penstock.face.keywords import ACCESS, PEEK, completed, takes
from penstock.model.peeked import Peeked
from penstock.model.status import QueueFigures, Status
from penstock.protocol.messages import unpack_message

if TYPE_CHECKING:
    import os
    from typing import Never, Unpack

    from penstock.admin.mqsc import Reply
    from penstock.client.core.steps import Connection, Steps

    AnyConnection = Connection[Any, Any]


def mqsc(self: AnyConnection, text: str, *, check: bool = False, **unknown: Never) -> Steps[list[Reply]]:
    """Run MQSC commands; a command's failure is in its reply, or raised with `check`."""
    if unknown:
        check_names(mqsc, unknown)
    given = {"text": text_of(text, "MQSC"), "verify": False, "echo": False}
    return calls.checked_replies((yield Rows("mqsc", given, calls.piece_of)), check)


def export(self: AnyConnection, everything: bool = False, **unknown: Never) -> Steps[str]:
    """Return the MQSC that makes every object again; SYSTEM objects only where they were changed."""
    if unknown:
        check_names(export, unknown)
    return "".join((yield Rows("export", {"everything": everything})))


@takes(AccessParameters, ACCESS)
def explain_access(
    self: AnyConnection, user: str, **parameters: Unpack[AccessParameters]
) -> Steps[dict[str, Any]]:
    """Explain why a user may or may not connect and do something: `allowed`, `user`, and the steps."""
    question = completed(explain_access, ACCESS, parameters)
    found: dict[str, Any] = yield Call("explain_access", {"user": user, "question": question})
    return found


def explain_route(self: AnyConnection, name: str, qmgr: str = "", **unknown: Never) -> Steps[dict[str, Any]]:
    """Explain where messages put to a name go: the definitions looked up, and queue or reason."""
    if unknown:
        check_names(explain_route, unknown)
    found: dict[str, Any] = yield Call("explain_route", {"name": name, "qmgr": qmgr})
    return found


def status(self: AnyConnection) -> Steps[Status]:
    """Return figures about the queue manager: log, syncs, units, waiters, channels."""
    return msgspec.convert((yield Call("status", {})), Status)


def queues(self: AnyConnection, pattern: str = "*", **unknown: Never) -> Steps[list[QueueFigures]]:
    """Return depth, oldest message, readers and writers of the local queues that you may display."""
    if unknown:
        check_names(queues, unknown)
    rows: list[Any] = yield Rows("queues", {"pattern": text_of(pattern, "pattern")})
    return msgspec.convert(rows, list[QueueFigures])


@takes(PeekParameters, PEEK)
def peek(self: AnyConnection, queue: str, **parameters: Unpack[PeekParameters]) -> Steps[list[Peeked]]:
    """Look at messages behind a place (`lane`, `place`), also held ones; nothing changes or expires."""
    arguments = {"queue": queue, **completed(peek, PEEK, parameters)}
    found: list[Peeked] = yield Rows("peek", arguments, _peeked)
    return found


def _peeked(row: list[Any]) -> Peeked:
    lane, place, length, holder, *packed = row
    message = unpack_message(packed)
    message.length = length
    return Peeked(lane, place, length, holder, message)


def trace(
    self: AnyConnection, kind: str, name: str, after: int = 0, seconds: float = 0.0, **unknown: Never
) -> Steps[list[dict[str, Any]]]:
    """Watch a CHANNEL, a QUEUE or ALL, and return recorded events behind a number."""
    if unknown:
        check_names(trace, unknown)
    found: list[dict[str, Any]] = yield Call(
        "trace", {"kind": kind, "name": name, "after": after, "seconds": seconds}
    )
    return found


def checkpoint(self: AnyConnection) -> Steps[None]:
    """Take a checkpoint now."""
    yield Call("checkpoint", {}, timeout=LONG_CALL_SECONDS)


def backup(self: AnyConnection, target: str | os.PathLike[str]) -> Steps[Path]:
    """Copy the queue manager, as it is now, to a folder on its machine."""
    given = {"target": str(folder_at(target))}
    return Path((yield Call("backup", given, timeout=LONG_CALL_SECONDS)))


def record_image(self: AnyConnection, *names: str, object_type: str = "all") -> Steps[dict[str, Any]]:
    """Record a media image of all objects, or of some, for linear logging; return needed log files.

    A name may end in an asterisk. `object_type` is one of rcdmqimg's: queue, channel, topic and so on.
    """
    wish = {"names": list(names), "object_type": object_type} if names or object_type != "all" else {}
    return dict((yield Call("record_image", wish, timeout=LONG_CALL_SECONDS)))


def stop(self: AnyConnection, mode: str = "quiesce", **unknown: Never) -> Steps[None]:
    """Stop the queue manager: `quiesce`, `immediate` or `preemptive`."""
    if unknown:
        check_names(stop, unknown)
    yield Call("stop", {"mode": mode})
