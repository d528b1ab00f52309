"""A timeout request in a message: when it starts, how often it fires, whether it replaces others.

LocalEnvironment.TimeoutRequest: Action (SET, CANCEL), Identifier, StartDate, StartTime, Interval, Count,
IgnoreMissed, AllowOverwrite. Dates and times are local; TODAY and NOW mean the time of the request.
"""

from __future__ import annotations

from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from penstock.model.errors import MQError
    from penstock.tree import Message, Reference

SET, CANCEL = "SET", "CANCEL"
FOR_EVER = -1
IDENTIFIER_MAX = 1000
INTERVAL_MAX = 100 * 366 * 86_400.0


class TimeoutRequest(NamedTuple):
    """A request. `left` is the number of remaining timeouts, -1 for any number; times are seconds."""

    identifier: str
    action: str = SET
    due: float = 0.0
    interval: float = 0.0
    left: int = 1
    ignore_missed: bool = True
    allow_overwrite: bool = True

    def following(self) -> TimeoutRequest | None:
        """Return what remains after one timeout; None if it was the last."""
        if self.left == 1:
            return None
        left = FOR_EVER if self.left == FOR_EVER else self.left - 1
        return self._replace(due=self.due + self.interval, left=left)

    def from_now(self, now: float) -> TimeoutRequest | None:
        """Return the request without the timeouts that were missed before now; None if none remains."""
        if self.due >= now:
            return self
        if self.interval <= 0:
            return None
        missed = int((now - self.due) // self.interval) + 1
        if self.left != FOR_EVER and missed >= self.left:
            return None
        left = FOR_EVER if self.left == FOR_EVER else self.left - missed
        return self._replace(due=self.due + missed * self.interval, left=left)

    def write(self, tree: Message) -> None:
        """Write the request into a LocalEnvironment, as flows read it."""
        begin = datetime.fromtimestamp(self.due).astimezone()
        folder = tree.create(Path("TimeoutRequest"))
        folder.delete_children()
        for name, value in (
            ("Action", self.action),
            ("Identifier", self.identifier),
            ("StartDate", begin.date().isoformat()),
            ("StartTime", begin.time().isoformat(timespec="seconds")),
            ("Interval", int(self.interval) if self.interval == int(self.interval) else self.interval),
            ("Count", self.left),
            ("IgnoreMissed", self.ignore_missed),
            ("AllowOverwrite", self.allow_overwrite),
        ):
            folder.add_last_child(name, value)


def request_in(folder: Reference | None, now: float) -> TimeoutRequest:
    """Read a request; 8310 names the field that is wrong."""
    if folder is None:
        raise wrong("there is no TimeoutRequest in the message")
    action = _text(folder, "Action").upper()
    if action not in (SET, CANCEL):
        raise wrong(f"Action {action!r} is neither SET nor CANCEL")
    identifier = _text(folder, "Identifier")
    if not identifier or len(identifier) > IDENTIFIER_MAX:
        raise wrong(f"Identifier is a text of 1 to {IDENTIFIER_MAX} characters")
    if action == CANCEL:
        return TimeoutRequest(identifier, action)
    made = TimeoutRequest(
        identifier,
        action,
        _begin(folder, now),
        _number(folder, "Interval", 0.0),
        int(_number(folder, "Count", 1)),
        _truth(folder, "IgnoreMissed"),
        _truth(folder, "AllowOverwrite"),
    )
    return _consistent(made)


def wrong(text: str) -> MQError:
    """Return the error for an invalid request."""
    return error(mq.PSRC_FLOW_TIMEOUT_REQUEST, text)


def _consistent(made: TimeoutRequest) -> TimeoutRequest:
    if made.left != FOR_EVER and made.left < 1:
        raise wrong(f"Count {made.left} is neither -1 nor at least 1")
    if not 0 <= made.interval <= INTERVAL_MAX:
        raise wrong(f"Interval {made.interval} is no number of seconds")
    if made.left != 1 and made.interval <= 0:
        raise wrong("a Count other than 1 needs an Interval")
    return made


def _begin(folder: Reference, now: float) -> float:
    today = datetime.fromtimestamp(now).astimezone()
    day, moment = _value(folder, "StartDate"), _value(folder, "StartTime")
    no_day = day is None or str(day).strip().upper() in ("", "TODAY")
    no_moment = moment is None or str(moment).strip().upper() in ("", "NOW")
    if no_day and no_moment:
        return now
    try:
        on, at = today.date() if no_day else day, today.time() if no_moment else moment
        if not isinstance(on, date):
            on = date.fromisoformat(str(on).strip())
        if not isinstance(at, time):
            at = time.fromisoformat(str(at).strip())
        return datetime.combine(on, at.replace(tzinfo=None)).timestamp()
    except (ValueError, OverflowError) as raised:
        raise wrong(f"StartDate {day} and StartTime {moment} are no date and time: {raised}") from raised


def _value(folder: Reference, name: str) -> Any:
    value = folder.get(Path(name))
    return None if value is MISSING else value


def _text(folder: Reference, name: str) -> str:
    value = _value(folder, name)
    return "" if value is None else str(value).strip()


def _number(folder: Reference, name: str, default: float) -> float:
    text = _text(folder, name)
    try:
        return float(text) if text else default
    except ValueError as raised:
        raise wrong(f"{name} {text!r} is no number") from raised


def _truth(folder: Reference, name: str) -> bool:
    value = _value(folder, name)
    if value is None or isinstance(value, bool):
        return value is not False
    text = str(value).strip().upper()
    if text not in ("TRUE", "FALSE", "1", "0", ""):
        raise wrong(f"{name} {text!r} is neither TRUE nor FALSE")
    return text not in ("FALSE", "0")
