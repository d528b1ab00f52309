"""Logical order: the state of a handle between the puts, and the gets, of one group.

`LogicalPut` gives group members and segments their places; `LogicalGet` knows which one a handle
wants next; `check_physical` checks and completes a message whose program set the places itself.
What is on the queue is for `GroupBook` to know, and cutting and joining for `segmentation`; both
are reachable from here. Called by putting and getting. Invariant: a call that raises leaves the
state as it was, and `LogicalPut.undo` takes back the last call for a put that failed later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.constants import (
    MQMF_ACCEPT_UNSUP_IF_XMIT_MASK,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_REJECT_UNSUP_MASK,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_REPORT,
)
from penstock.model.errors import COMP_FAILED, error
from penstock.model.message import NO_ID
from penstock.qmgr.groups.group_book import GroupBook
from penstock.qmgr.groups.segmentation import assemble, split

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.errors import MQError
    from penstock.model.message import Descriptor, Message
    from penstock.qmgr.unit_of_work import UnitOfWork

__all__ = [
    "GroupBook",
    "LogicalGet",
    "LogicalPut",
    "Wanted",
    "assemble",
    "check_physical",
    "group_status",
    "segment_status",
    "segmentation",
    "split",
]

IN_GROUP = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
IN_SEGMENT = MQMF_SEGMENT | MQMF_LAST_SEGMENT
GROUPED = IN_GROUP | IN_SEGMENT
KNOWN_FLAGS = GROUPED | MQMF_SEGMENTATION_ALLOWED
SEQ_NUMBER_MAX = 999_999_999
OFFSET_MAX = 999_999_999


class Wanted(NamedTuple):
    """The place that continues a group: the member, and the offset inside it."""

    group_id: bytes
    seq_number: int
    offset: int


class _Open(NamedTuple):
    """A group or segmented message that has begun and is not at its end."""

    group_id: bytes
    seq_number: int  # of the message that comes next
    offset: int  # of the segment that comes next; 0 between messages
    in_group: bool
    last_in_group: bool  # the message being segmented is the last of its group
    persistent: bool
    in_unit: bool


class LogicalPut:
    """The group that a handle is putting with MQPMO_LOGICAL_ORDER, if any."""

    __slots__ = ("_before", "_logical", "_new_id", "_open")

    def __init__(self, new_id: Callable[[], bytes]) -> None:
        self._new_id = new_id
        self._open: _Open | None = None
        self._logical = False  # whether the last put of the handle used logical order
        self._before: tuple[_Open | None, bool] = (None, False)

    def apply(self, message: Message, unit: object | None) -> None:
        """Give a message put in logical order its group id, sequence number and offset.

        Raises 2241 or 2242 when it does not continue what is open, 2185 or 2245 when it does so
        with other persistence or another kind of unit, 2249 and 2253 for bad flags and lengths.
        """
        flags = _check_flags(message, transmission=False)
        if self._open is not None:
            self._check_continues(flags, message.persistent, unit is not None)
        self._before = (self._open, self._logical)
        self._place(message, flags)
        self._open = _after(message, unit is not None)
        self._logical = True

    def interrupt(self, message: Message, unit: object | None) -> int:
        """Note a put without logical order (places checked already); return a warning or 0.

        A member put this way becomes the place from where logical order goes on: that is how a
        program resumes a group after a restart.
        """
        warning = 0
        if self._logical and self._open is not None:
            warning = self._inconsistency(message, unit is not None) or self.close()
        self._before = (self._open, self._logical)
        self._open = _after(message, unit is not None)
        self._logical = False
        return warning

    def undo(self) -> None:
        """Forget the last call: its put failed."""
        self._open, self._logical = self._before

    def close(self) -> int:
        """Return 2242 or 2241 when a message or a group is open, else 0."""
        if self._open is None:
            return 0
        return mq.MQRC_INCOMPLETE_MSG if self._open.offset else mq.MQRC_INCOMPLETE_GROUP

    def _check_continues(self, flags: int, persistent: bool, in_unit: bool) -> None:
        opened = self._open
        assert opened is not None
        if opened.offset:
            last = bool(flags & MQMF_LAST_MSG_IN_GROUP)
            if not flags & IN_SEGMENT or opened.in_group != bool(flags & IN_GROUP):
                raise _failed(
                    mq.MQRC_INCOMPLETE_MSG, "the next segment of the message must come first", opened
                )
            if last != opened.last_in_group:
                raise _failed(
                    mq.MQRC_INCOMPLETE_MSG, "LAST_MSG_IN_GROUP must not change inside a message", opened
                )
        elif not flags & IN_GROUP:
            raise _failed(mq.MQRC_INCOMPLETE_GROUP, "the next message of the group must come first", opened)
        if persistent != opened.persistent:
            raise _failed(
                mq.MQRC_INCONSISTENT_PERSISTENCE, "all of a group is persistent or none of it", opened
            )
        if in_unit != opened.in_unit:
            raise _failed(mq.MQRC_INCONSISTENT_UOW, "a group is put in a unit of work or outside", opened)

    def _inconsistency(self, message: Message, in_unit: bool) -> int:
        """The warning for a member of the open group that differs from it in kind."""
        opened = self._open
        assert opened is not None
        if message.descriptor.group_id != opened.group_id:
            return 0
        if message.persistent != opened.persistent:
            return mq.MQRC_INCONSISTENT_PERSISTENCE
        return mq.MQRC_INCONSISTENT_UOW if in_unit != opened.in_unit else 0

    def _place(self, message: Message, flags: int) -> None:
        opened = self._open
        if opened is not None:
            group_id, seq_number, offset = opened.group_id, opened.seq_number, opened.offset
        else:
            group_id, seq_number, offset = self._new_id() if flags & KNOWN_FLAGS else NO_ID, 1, 0
        if seq_number > SEQ_NUMBER_MAX or offset > OFFSET_MAX:
            reason = mq.MQRC_MSG_SEQ_NUMBER_ERROR if seq_number > SEQ_NUMBER_MAX else mq.MQRC_OFFSET_ERROR
            raise error(reason, "the group has grown beyond its limits")
        message.descriptor = message.descriptor.replace(
            group_id=group_id, seq_number=seq_number, offset=offset, flags=flags
        )


class LogicalGet:
    """The group that a handle is getting with MQGMO_LOGICAL_ORDER; browsing has one of its own."""

    __slots__ = ("_logical", "_open", "_unit")

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._logical = False
        self._unit: UnitOfWork | None = None

    @property
    def wanted(self) -> Wanted | None:
        """The one message that may come next; None when a group or a single message may begin."""
        opened = self._open
        return None if opened is None else Wanted(opened.group_id, opened.seq_number, opened.offset)

    def may_begin(self, descriptor: Descriptor) -> bool:
        """Return whether a message can be the first that is got when nothing is open."""
        return not descriptor.flags & GROUPED or (descriptor.seq_number == 1 and descriptor.offset == 0)

    def check(self, logical: bool, unit: object | None) -> int:
        """Before a get: return a warning or 0; 2245 when logical order leaves its unit of work."""
        opened = self._open
        if opened is None or not self._logical:
            return 0
        if logical and opened.in_unit != (unit is not None):
            raise _failed(mq.MQRC_INCONSISTENT_UOW, "a group is got in a unit of work or outside", opened)
        return 0 if logical else self.close()

    def enter(self, unit: UnitOfWork | None) -> None:
        """Record the unit of the next get: a backout restores the position before it."""
        if unit is None or unit is self._unit:
            return
        before = (self._open, self._logical)
        self._unit = unit

        def ended(committed: bool) -> None:
            if self._unit is unit:
                self._unit = None
                if not committed:
                    self._open, self._logical = before

        unit.when_ended(ended)

    def took(self, message: Message, logical: bool, unit: object | None) -> None:
        """After a get: the returned message, assembled or not, determines the next one."""
        self._open = _after(message, unit is not None)
        self._logical = logical

    def reset(self) -> None:
        """Forget the group, as when its unit of work is backed out."""
        self._open = None

    def close(self) -> int:
        """Return 2242 or 2241 when a message or a group is open, else 0."""
        if self._open is None:
            return 0
        return mq.MQRC_INCOMPLETE_MSG if self._open.offset else mq.MQRC_INCOMPLETE_GROUP


def check_physical(message: Message, new_id: Callable[[], bytes], transmission: bool = False) -> None:
    """Check and complete the places of a message put without logical order.

    A message that is in no group and no segment loses group id, number and offset. Raises 2249 for
    flags, 2250 and 2251 for numbers out of range, 2252 and 2253 for lengths.
    """
    flags = _check_flags(message, transmission)
    descriptor = message.descriptor
    if not flags & KNOWN_FLAGS:
        message.descriptor = descriptor.replace(
            group_id=NO_ID, seq_number=1, offset=0, flags=flags, original_length=-1
        )
        return
    if not 1 <= descriptor.seq_number <= SEQ_NUMBER_MAX:
        raise error(
            mq.MQRC_MSG_SEQ_NUMBER_ERROR, f"sequence number {descriptor.seq_number} is not 1 to 999999999"
        )
    if not 0 <= descriptor.offset <= OFFSET_MAX:
        raise error(mq.MQRC_OFFSET_ERROR, f"offset {descriptor.offset} is not 0 to 999999999")
    _check_original_length(message, flags)
    message.descriptor = descriptor.replace(
        group_id=new_id() if descriptor.group_id == NO_ID else descriptor.group_id,
        seq_number=descriptor.seq_number if flags & IN_GROUP else 1,
        offset=descriptor.offset if flags & IN_SEGMENT else 0,
        flags=flags,
    )


def group_status(descriptor: Descriptor) -> str:
    """Return MQGMO.GroupStatus: " " not in a group, "G" in one, "L" its last."""
    if descriptor.flags & MQMF_LAST_MSG_IN_GROUP:
        return "L"
    return "G" if descriptor.flags & MQMF_MSG_IN_GROUP else " "


def segment_status(descriptor: Descriptor) -> str:
    """Return MQGMO.SegmentStatus: " " not a segment, "S" one, "L" the last."""
    if descriptor.flags & MQMF_LAST_SEGMENT:
        return "L"
    return "S" if descriptor.flags & MQMF_SEGMENT else " "


def segmentation(descriptor: Descriptor) -> str:
    """Return MQGMO.Segmentation: "A" when the message may be cut, else " "."""
    return "A" if descriptor.flags & MQMF_SEGMENTATION_ALLOWED else " "


def _check_flags(message: Message, transmission: bool) -> int:
    """Return the flags with those that others imply; 2249 for unknown ones, 2253 for an empty segment."""
    flags = message.descriptor.flags
    refused = (
        MQMF_REJECT_UNSUP_MASK if transmission else MQMF_REJECT_UNSUP_MASK | MQMF_ACCEPT_UNSUP_IF_XMIT_MASK
    )
    if flags & refused & ~KNOWN_FLAGS:
        raise error(mq.MQRC_MSG_FLAGS_ERROR, f"message flags {flags:#x} are not all known", flags=flags)
    if flags & MQMF_LAST_MSG_IN_GROUP:
        flags |= MQMF_MSG_IN_GROUP
    if flags & MQMF_LAST_SEGMENT:
        flags |= MQMF_SEGMENT
    if flags & IN_SEGMENT and not message.length and message.descriptor.msg_type != MQMT_REPORT:
        raise error(mq.MQRC_SEGMENT_LENGTH_ZERO, "a segment has at least one byte")
    return flags


def _check_original_length(message: Message, flags: int) -> None:
    """Only a report about a segment says how long that segment was."""
    length = message.descriptor.original_length
    report = message.descriptor.msg_type == MQMT_REPORT and flags & IN_SEGMENT
    if length != -1 and report and length < max(1, message.length):
        raise error(mq.MQRC_ORIGINAL_LENGTH_ERROR, f"original length {length} is less than the data there is")


def _after(message: Message, in_unit: bool) -> _Open | None:
    """What is open once this message is put or got."""
    descriptor = message.descriptor
    flags = descriptor.flags
    in_group, last_in_group = bool(flags & IN_GROUP), bool(flags & MQMF_LAST_MSG_IN_GROUP)
    if flags & IN_SEGMENT and not flags & MQMF_LAST_SEGMENT:
        seq_number, offset = descriptor.seq_number, descriptor.offset + _span(message)
    elif in_group and not last_in_group:
        seq_number, offset = descriptor.seq_number + 1, 0
    else:
        return None
    return _Open(
        descriptor.group_id, seq_number, offset, in_group, last_in_group, message.persistent, in_unit
    )


def _span(message: Message) -> int:
    """How much of its logical message a segment covers; a report covers what it reports on."""
    original = message.descriptor.original_length
    return original if original > 0 and message.descriptor.msg_type == MQMT_REPORT else message.length


def _failed(reason: int, detail: str, opened: _Open) -> MQError:
    """Some of these reasons are warnings elsewhere; here the call fails."""
    return error(
        reason,
        detail,
        comp=COMP_FAILED,
        group_id=opened.group_id,
        seq_number=opened.seq_number,
        offset=opened.offset,
    )
