"""Replies to commands, with MQ's message ids and our own sentences.

Scripts match on ids, people read texts. An id ends in its severity (I, W, E, S); whether a command
failed is said by `failed`, because MQ has failures with an I (AMQ8405I, AMQ8420I).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.model.errors import MQError
    from penstock.model.message import Message
    from penstock.qmgr.catalogue.attributes import Value


class Pause:
    """Stands between two replies of a long display: the engine lock may be released for a moment."""


PAUSE = Pause()


@dataclass(frozen=True, slots=True)
class Compile(Pause):
    """A pause before a command that has a selector: a host may compile it without delaying others."""

    selector: str


@dataclass(frozen=True, slots=True)
class Read(Pause):
    """A pause before messages are needed whose bodies a host has to read first."""

    messages: list[Message]


@dataclass(frozen=True, slots=True)
class Await(Pause):
    """A pause in which something outside the engine takes its time: `wait` returns when that is over."""

    wait: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a command.

    `attributes` holds what DISPLAY found (flags such as SHARE as YES or NO); `command` is the command's
    ordinal in the script, `line` the line it began on, `source` its text on one line. A failure has the
    reason code that MQ's interfaces would give in `reason`; a syntax error has its place in `column`
    (from 1, on `line`) and the caret line that belongs under it in `pointer`. `notes` list what of a command
    that worked has no effect here.
    """

    id: str
    text: str
    attributes: Mapping[str, Value] | None = None
    command: int = 0
    line: int = 0
    source: str = ""
    reason: int = 0
    failed: bool = False
    column: int = 0
    pointer: str = ""
    notes: tuple[str, ...] = ()

    @property
    def severity(self) -> str:
        """I, W, E or S."""
        return self.id[-1]

    @property
    def ok(self) -> bool:
        """Whether the command succeeded."""
        return not self.failed

    def at(self, command: int, line: int, source: str) -> Reply:
        """Return this reply with its place in the script."""
        return Reply(  # called for each of a million rows
            self.id,
            self.text,
            self.attributes,
            command,
            line,
            source,
            self.reason,
            self.failed,
            self.column,
            self.pointer,
            self.notes,
        )

    def with_notes(self, notes: Iterable[str]) -> Reply:
        """Return this reply with some notes."""
        return replace(self, notes=tuple(notes))

    def as_data(self) -> dict[str, Any]:
        """Return the reply as plain data, for JSON."""
        data: dict[str, Any] = {
            "id": self.id,
            "severity": self.severity,
            "ok": self.ok,
            "text": self.text,
            "command": self.command,
            "line": self.line,
            "source": self.source,
        }
        if self.attributes is not None:
            data["attributes"] = dict(self.attributes)
        if self.reason:
            data["reason"] = self.reason
        if self.column:
            data["column"] = self.column
        if self.notes:
            data["notes"] = list(self.notes)
        return data


CREATED, CHANGED, DELETED = "created", "changed", "deleted"

_KINDS: dict[str, tuple[str, str, str, str, str]] = {
    # kind: what it is called, created, changed, deleted, displayed
    "QMGR": ("queue manager", "", "AMQ8005I", "", "AMQ8408I Display Queue Manager details."),
    "QUEUE": ("queue", "AMQ8006I", "AMQ8008I", "AMQ8007I", "AMQ8409I Display Queue details."),
    "PROCESS": ("process", "AMQ8010I", "AMQ8012I", "AMQ8011I", "AMQ8407I Display Process details."),
    "CHANNEL": ("channel", "AMQ8014I", "AMQ8016I", "AMQ8015I", "AMQ8414I Display Channel details."),
    "NAMELIST": ("namelist", "AMQ8552I", "AMQ8551I", "AMQ8553I", "AMQ8550I Display namelist details."),
    "AUTHINFO": (
        "authentication information",
        "AMQ8563I",
        "AMQ8567I",
        "AMQ8564I",
        "AMQ8566I Display authentication information details.",
    ),
    "LISTENER": (
        "listener",
        "AMQ8626I",
        "AMQ8623I",
        "AMQ8628I",
        "AMQ8630I Display listener information details.",
    ),
    "SERVICE": (
        "service",
        "AMQ8625I",
        "AMQ8622I",
        "AMQ8627I",
        "AMQ8629I Display service information details.",
    ),
    "TOPIC": ("topic", "AMQ8690I", "AMQ8691I", "AMQ8692I", "AMQ8633I Display topic details."),
    "SUB": ("subscription", "AMQ8094I", "AMQ8095I", "AMQ8097I", "AMQ8096I Penstock subscription inquired."),
    "COMMINFO": (
        "communication information",
        "AMQ8858I",
        "AMQ8859I",
        "AMQ8860I",
        "AMQ8861I Display communication information details.",
    ),
    "AUTHREC": (
        "authority record",
        "AMQ8862I",
        "AMQ8862I",
        "AMQ8863I",
        "AMQ8864I Display authority record details.",
    ),
    "CFSTRUCT": ("CF structure", *("CSQ9022I",) * 3, "CSQM201I Display CF structure details."),
    "CHLAUTH": (
        "channel authentication record",
        "AMQ8877I",
        "AMQ8877I",
        "AMQ8877I",
        "AMQ8878I Display channel authentication record details.",
    ),
}
_ACTIONS = {CREATED: 1, CHANGED: 2, DELETED: 3}


def _group(kind: str) -> str:
    return "QUEUE" if kind.startswith("Q") and kind != "QMGR" else kind


def done(kind: str, action: str) -> Reply:
    """Return the reply to a DEFINE, ALTER or DELETE that worked."""
    entry = _KINDS[_group(kind)]
    return Reply(entry[_ACTIONS[action]], f"Penstock {entry[0]} {action}.")


def displayed(kind: str, attributes: Mapping[str, Value]) -> Reply:
    """Return one found object."""
    number, text = _HEADINGS[_group(kind)]
    return Reply(number, text, attributes)


_HEADINGS: dict[str, tuple[str, str]] = {
    kind: (entry[4][:8], entry[4][9:]) for kind, entry in _KINDS.items()
} | {
    "STATUS QUEUE": ("AMQ8450I", "Display queue status details."),
    "STATUS CHANNEL": ("AMQ8417I", "Display Channel Status details."),
    "STATUS LISTENER": ("AMQ8631I", "Display listener status details."),
    "STATUS SERVICE": ("AMQ8632I", "Display service status details."),
    "STATUS APPLICATION": ("AMQ8932I", "Display application status details."),
    "STATUS TOPIC": ("AMQ8754I", "Display topic status details."),
    "STATUS SUB": ("AMQ8099I", "Penstock subscription status inquired."),
    "STATUS PUBSUB": ("AMQ8723I", "Display pub/sub status details."),
    "STATUS QMGR": ("AMQ8705I", "Display Queue Manager Status Details."),
    "STATUS CONN": ("AMQ8276I", "Display Connection details."),
    "STATUS ENTAUTH": ("AMQ8866I", "Display entity authority details."),
    "STATUS CLUSQMGR": ("AMQ8441I", "Display Cluster Queue Manager details."),
    "STATUS QCLUSTER": ("AMQ8409I", "Display Queue details."),
    "STATUS TCLUSTER": ("AMQ8633I", "Display topic details."),
    "STATUS QSTATS": ("AMQ8451I", "Display queue statistics details."),
    "STATUS GROUP": ("CSQM201I", "Display group details."),
    "STATUS CFSTATUS": ("CSQM201I", "Display CF structure status details."),
    "STATUS SMDS": ("CSQM201I", "Display shared message data set details."),
    "STATUS SMDSCONN": ("CSQM201I", "Display shared message data set connection details."),
    "STATUS USAGE": ("CSQE280I", "SMDS usage."),
}


def status(what: str, attributes: Mapping[str, Value]) -> Reply:
    """Return one line of a status display; `what` is QUEUE, CHANNEL, CONN ..."""
    number, text = _HEADINGS[f"STATUS {what}"]
    return Reply(number, text, attributes)


def accepted(number: str, text: str) -> Reply:
    """Return a plain success."""
    return Reply(number, text)


def failed(number: str, text: str, reason: int = 0) -> Reply:
    """Return a failure."""
    return Reply(number, text, reason=reason, failed=True)


def not_found(name: str, reason: int = mq.MQRC_UNKNOWN_OBJECT_NAME) -> Reply:
    """Return the reply for an unknown object."""
    return failed("AMQ8147E", f"Penstock object {name} not found.", reason)


def not_running(what: str) -> Reply:
    """Return the reply for a command whose machinery does not run here; `what` is the reason."""
    return failed("AMQ8146E", f"Penstock {what}.", mq.MQRC_Q_MGR_NOT_AVAILABLE)


def not_supported(command: str, why: str) -> Reply:
    """Return the reply to a command of MQ whose subject does not exist in Penstock."""
    return failed("AMQ8146E", f"{command} is not supported here: {why}.", mq.MQRC_FUNCTION_NOT_SUPPORTED)


_REASONS: dict[int, tuple[str, str]] = {
    mq.MQRC_NOT_AUTHORIZED: ("AMQ8135E", "Not authorized."),
    mq.MQRC_OBJECT_IN_USE: ("AMQ8148E", "Penstock object in use."),
    mq.MQRC_OBJECT_TYPE_ERROR: ("AMQ8151E", "Penstock object has different type."),
    mq.MQRC_Q_NOT_EMPTY: ("AMQ8143E", "Penstock queue not empty."),
    mq.MQRC_Q_TYPE_ERROR: ("AMQ8138E", "The Penstock queue has an incorrect type."),
    mq.MQRC_Q_MGR_NOT_AVAILABLE: ("AMQ8146E", "Penstock queue manager not available."),
    mq.MQRC_UNKNOWN_ALIAS_BASE_Q: ("AMQ8147E", "Penstock object not found."),
    mq.MQRC_UNKNOWN_OBJECT_NAME: ("AMQ8147E", "Penstock object not found."),
    mq.MQRC_UNKNOWN_REMOTE_Q_MGR: ("AMQ8430E", "Remote queue manager name is unknown."),
    mq.MQRC_OBJECT_ALREADY_EXISTS: ("AMQ8150E", "Penstock object already exists."),
    mq.MQRC_OBJECT_DAMAGED: ("AMQ8149S", "Penstock object damaged."),
    mq.MQRC_NO_SUBSCRIPTION: ("AMQ8147E", "Penstock object not found."),
    mq.MQRC_SUB_ALREADY_EXISTS: ("AMQ8150E", "Penstock object already exists."),
    mq.MQRCCF_OBJECT_OPEN_FORCE: ("AMQ8148E", "Penstock object in use."),
    mq.MQRCCF_CHL_STATUS_NOT_FOUND: ("AMQ8420I", "Channel Status not found."),
    mq.MQRCCF_UNKNOWN_OBJECT_NAME: ("AMQ8147E", "Penstock object not found."),
    mq.MQRCCF_OBJECT_ALREADY_EXISTS: ("AMQ8150E", "Penstock object already exists."),
    mq.MQRCCF_OBJECT_OPEN: ("AMQ8148E", "Penstock object in use."),
    mq.MQRCCF_ATTR_VALUE_ERROR: ("AMQ8425E", "Attribute value error."),
    mq.MQRCCF_MISSING_CONN_NAME: ("AMQ8425E", "Attribute value error."),
    mq.MQRCCF_XMIT_Q_NAME_ERROR: ("AMQ8425E", "Attribute value error."),
    mq.MQRCCF_OBJECT_NAME_ERROR: ("AMQ8424E", "Error detected in a name keyword."),
    mq.MQRCCF_CHANNEL_IN_USE: ("AMQ8148E", "Penstock object in use."),
    mq.MQRCCF_CHANNEL_NOT_FOUND: ("AMQ8227E", "Channel not found."),
    mq.MQRCCF_CHANNEL_ALREADY_EXISTS: ("AMQ8226E", "Penstock channel already exists."),
}


def check_replies(replies: list[Reply]) -> None:
    """Raise the first failure of a script as 3008, with all replies in `fields["replies"]`."""
    failed = [reply for reply in replies if reply.failed]
    if failed:
        first = failed[0]
        others = f"; {len(failed) - 1} more failed" if len(failed) > 1 else ""
        detail = f"line {first.line}, {first.source}: {first.id} {first.text}{others}"
        cause, place = first.reason, first.line
        raise error(mq.MQRCCF_COMMAND_FAILED, detail, id=first.id, line=place, cause=cause, replies=replies)


def from_error(failure: MQError, name: str = "") -> Reply:
    """Return the reply for an error of the engine; its number stays in `reason`."""
    number, text = _REASONS.get(failure.reason, ("AMQ8101S", "Penstock error."))
    if number == "AMQ8147E" and name:
        text = f"Penstock object {name} not found."
    detail = failure.detail or (failure.meaning if number == "AMQ8101S" else "")
    if detail and detail not in text:
        text = f"{text} ({failure.reason} {failure.name}: {detail})"
    return failed(number, text, failure.reason)
