"""Triggering: when a queue requests the start of a program, and the trigger message.

Rules on plain values: `TriggerRules` holds the queue's attributes, `Surroundings` the state of the
other objects, `TriggerState` the state of one queue. Counts are of messages
whose priority is at least TRIGMPRI, uncommitted ones included. Putting the trigger message, and
switching TRIGGER off after DEPTH, is the engine's. Invariant: a trigger fires only if somebody is
there to take it, else the state stays as it is and a later event fires.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from penstock.model.constants import (
    MQ_PROCESS_APPL_ID_LENGTH,
    MQ_PROCESS_ENV_DATA_LENGTH,
    MQ_PROCESS_USER_DATA_LENGTH,
    MQ_TRIGGER_DATA_LENGTH,
    MQAT_QMGR,
    MQFMT_TRIGGER,
)
from penstock.model.headers import TriggerMessage
from penstock.model.limits import APPLICATION_NAME_LENGTH
from penstock.model.message import NEVER, NO_ID, Descriptor, Message
from penstock.qmgr.catalogue.programs import APPLICATION_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NEVER_FIRED = float("-inf")


@dataclass(frozen=True, slots=True)
class TriggerRules:
    """The trigger attributes of a queue for which triggering is on."""

    kind: str  # FIRST, EVERY or DEPTH
    depth: int
    priority: int
    data: str
    process: str
    initiation_queue: str
    transmission: bool

    @property
    def switches_off(self) -> bool:
        """Whether TRIGGER goes off with the trigger message."""
        return self.kind == "DEPTH"


class Surroundings(NamedTuple):
    """What must be so around a queue for its trigger message to reach a program."""

    get_enabled: bool  # of the queue itself
    initq_usable: bool  # the initiation queue is a local queue, enabled for put and get
    initq_monitored: bool  # it is open for input
    process_known: bool  # the process definition exists


class TriggerState:
    """The trigger state of one queue."""

    __slots__ = ("last_fired",)

    def __init__(self) -> None:
        self.last_fired = NEVER_FIRED

    def after_put(
        self,
        rules: TriggerRules,
        priority: int,
        count_before: int,
        open_inputs: int,
        now: float,
        interval_ms: int,
    ) -> bool:
        """Return whether a message that was put is a trigger event, `able` aside.

        `count_before` is the number of messages that counted before this one; `interval_ms` the
        queue manager's TRIGINT.
        """
        if priority < rules.priority:
            return False
        if rules.kind == "EVERY":
            return True
        if open_inputs:
            return False
        if rules.kind == "DEPTH":
            return count_before == rules.depth - 1
        return count_before == 0 or self._interval_over(now, interval_ms)

    def after_change(self, rules: TriggerRules, count: int, open_inputs: int) -> bool:
        """Return whether messages that are there are a trigger event, `able` aside.

        Ask after ALTER switched triggering or GET on, the initiation queue was opened by a monitor
        or became usable, the process was defined, and after a restart.
        """
        if rules.kind == "EVERY":
            return count > 0
        return self.after_close(rules, count, open_inputs)

    def after_close(self, rules: TriggerRules, count: int, open_inputs: int) -> bool:
        """Return whether the close of an input handle is a trigger event, `able` aside."""
        if open_inputs or rules.kind == "EVERY":
            return False
        return count >= (rules.depth if rules.kind == "DEPTH" else 1)

    def fired(self, now: float) -> None:
        """Note that a trigger message was made."""
        self.last_fired = now

    @property
    def has_fired(self) -> bool:
        """Whether a trigger message was ever made."""
        return self.last_fired != NEVER_FIRED

    def _interval_over(self, now: float, interval_ms: int) -> bool:
        """A program that ended early left messages: after TRIGINT another put may start it again."""
        return self.last_fired != NEVER_FIRED and (now - self.last_fired) * 1000 >= interval_ms


def trigger_rules(attributes: Mapping[str, object]) -> TriggerRules | None:
    """Return the rules of a local queue, None when it does not trigger."""
    kind = str(attributes.get("TRIGTYPE", "NONE"))
    initiation_queue = str(attributes.get("INITQ", "")).strip()
    if attributes.get("TRIGGER") != "YES" or kind == "NONE" or not initiation_queue:
        return None
    return TriggerRules(
        kind,
        _number(attributes.get("TRIGDPTH", 1)),
        _number(attributes.get("TRIGMPRI", 0)),
        str(attributes.get("TRIGDATA", "")).strip(),
        str(attributes.get("PROCESS", "")).strip(),
        initiation_queue,
        attributes.get("USAGE") == "XMITQ",
    )


def able(rules: TriggerRules, around: Surroundings) -> bool:
    """Return whether a trigger message would reach a program now.

    A transmission queue needs no process: TRIGDATA, or the queue itself, names the channel.
    """
    if not (around.get_enabled and around.initq_usable and around.initq_monitored):
        return False
    return around.process_known or (rules.transmission and not rules.process)


def trigger_message(
    rules: TriggerRules,
    queue: str,
    process: Mapping[str, object] | None,
    now: float,
    new_id: Callable[[], bytes],
    qmgr_name: str,
    priority: int = 0,
) -> Message:
    """Return the message for the initiation queue; `priority` is that queue's default.

    `process` holds the attributes of the process definition, None for a channel's queue.
    """
    named = process or {}
    trigger = TriggerMessage(
        queue=queue,
        process=rules.process,
        trigger_data=_fit(rules.data, MQ_TRIGGER_DATA_LENGTH),
        appl_type=_appl_type(named.get("APPLTYPE", 0)),
        appl_id=_fit(named.get("APPLICID", ""), MQ_PROCESS_APPL_ID_LENGTH),
        env_data=_fit(named.get("ENVRDATA", ""), MQ_PROCESS_ENV_DATA_LENGTH),
        user_data=_fit(named.get("USERDATA", ""), MQ_PROCESS_USER_DATA_LENGTH),
    )
    descriptor = Descriptor(
        format=MQFMT_TRIGGER, put_appl_type=MQAT_QMGR, put_appl_name=qmgr_name[:APPLICATION_NAME_LENGTH]
    )
    return Message(trigger.pack(), new_id(), NO_ID, False, priority, now, NEVER, descriptor)


def _appl_type(value: object) -> int:
    """Return the number of an application type, which the definition may give as a word."""
    return APPLICATION_TYPES[value] if isinstance(value, str) else _number(value)


def _fit(value: object, length: int) -> str:
    """Cut text to this many bytes, not within a character."""
    return str(value).encode()[:length].decode(errors="ignore")


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
