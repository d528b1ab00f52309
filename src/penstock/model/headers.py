"""MQ's fixed headers as frozen values: MQDLH, MQXQH, MQTM, MQTMC2 and MQMDE.

Each has `pack(encoding, ccsid)` and `unpack(data, encoding, ccsid)`, where encoding and CCSID are those of
the structure itself; the fields `encoding`, `ccsid` and `format` inside it describe what follows. Data beyond
the header is ignored. A short or foreign structure raises MQ's reason for it.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from typing import Any, ClassVar, Self

from penstock.model import constants as mq
from penstock.model.constants import MQENC_NATIVE
from penstock.model.descriptor_format import MQMD_1, pack_descriptor, unpack_descriptor
from penstock.model.errors import error
from penstock.model.message import NO_ID, PLAIN, Descriptor, Message
from penstock.model.structure import Layout

MQDLH = Layout(
    "MQDLH",
    "DLH ",
    mq.MQRC_DLH_ERROR,
    "Version:i Reason:i DestQName:48 DestQMgrName:48 Encoding:i CodedCharSetId:i Format:8 PutApplType:i"
    " PutApplName:28 PutDate:8 PutTime:8",
)
MQXQH = Layout("MQXQH", "XQH ", mq.MQRC_XQH_ERROR, "Version:i RemoteQName:48 RemoteQMgrName:48")
MQTM = Layout(
    "MQTM",
    "TM  ",
    mq.MQRC_TM_ERROR,
    "Version:i QName:48 ProcessName:48 TriggerData:64 ApplType:i ApplId:256 EnvData:128 UserData:128",
)
MQTMC2 = Layout(
    "MQTMC2",
    "TMC ",
    mq.MQRC_TMC_ERROR,
    "Version:4 QName:48 ProcessName:48 TriggerData:64 ApplType:4 ApplId:256 EnvData:128 UserData:128"
    " QMgrName:48",
)
MQMDE = Layout(
    "MQMDE",
    "MDE ",
    mq.MQRC_MDE_ERROR,
    "Version:i StrucLength:i Encoding:i CodedCharSetId:i Format:8 Flags:i GroupId:24x MsgSeqNumber:i"
    " Offset:i MsgFlags:i OriginalLength:i",
)


class _Header:
    """Base class of headers with one flat layout: a version, then the fields in order."""

    layout: ClassVar[Layout]
    version: ClassVar[int | str] = 1

    def pack(self, encoding: int = MQENC_NATIVE, ccsid: int = 1208) -> bytes:
        """Return the header's bytes."""
        return self.layout.pack([self.version, *astuple(self)], encoding, ccsid)  # type: ignore[call-overload]

    @classmethod
    def unpack(cls, data: bytes | memoryview, encoding: int = MQENC_NATIVE, ccsid: int = 1208) -> Self:
        """Read the header at the start of `data`."""
        version, *values = cls.layout.unpack(data, encoding, ccsid)
        _check_version(cls.layout, version, cls.version)
        return cls(*values)


@dataclass(frozen=True, slots=True)
class DeadLetterHeader(_Header):
    """MQDLH, 172 bytes: why and from where a message came to the dead-letter queue."""

    layout = MQDLH
    reason: int
    queue: str
    qmgr: str
    encoding: int = 0
    ccsid: int = 0
    format: str = ""
    put_appl_type: int = 0
    put_appl_name: str = ""
    put_date: str = ""
    put_time: str = ""


@dataclass(frozen=True, slots=True)
class TransmissionHeader:
    """MQXQH, 428 bytes: the destination and version 1 descriptor of a message in transmission.

    `message` carries the descriptor; its body is empty after `unpack`.
    """

    queue: str
    qmgr: str
    message: Message = field(compare=False)

    def pack(self, encoding: int = MQENC_NATIVE, ccsid: int = 1208, now: float | None = None) -> bytes:
        """Return the header's bytes; the expiry in it is what remains at `now`."""
        head = MQXQH.pack([1, self.queue, self.qmgr], encoding, ccsid)
        return head + pack_descriptor(self.message, 1, encoding, ccsid, now)

    @classmethod
    def unpack(
        cls,
        data: bytes | memoryview,
        encoding: int = MQENC_NATIVE,
        ccsid: int = 1208,
        now: float | None = None,
    ) -> Self:
        """Read the header at the start of `data`."""
        values: list[Any] = list(MQXQH.unpack(data, encoding, ccsid))
        _check_version(MQXQH, values[0], 1)
        if len(data) < MQXQH.length + MQMD_1.length:
            raise error(
                mq.MQRC_XQH_ERROR, f"MQXQH needs {MQXQH.length + MQMD_1.length} bytes, {len(data)} are there"
            )
        return cls(values[1], values[2], unpack_descriptor(data, encoding, ccsid, now, MQXQH.length))


@dataclass(frozen=True, slots=True)
class TriggerMessage(_Header):
    """MQTM, 684 bytes: the body of a trigger message."""

    layout = MQTM
    queue: str = ""
    process: str = ""
    trigger_data: str = ""
    appl_type: int = 0
    appl_id: str = ""
    env_data: str = ""
    user_data: str = ""

    def for_program(self, qmgr: str) -> ProgramTrigger:
        """Return the form that a trigger monitor passes to the program it starts."""
        return ProgramTrigger(
            queue=self.queue,
            process=self.process,
            trigger_data=self.trigger_data,
            appl_id=self.appl_id,
            env_data=self.env_data,
            user_data=self.user_data,
            qmgr=qmgr,
        )


@dataclass(frozen=True, slots=True)
class ProgramTrigger(_Header):
    """MQTMC2, 732 bytes of text: what a started program receives. ApplType is blank, as in MQ."""

    layout = MQTMC2
    version = "   2"
    queue: str = ""
    process: str = ""
    trigger_data: str = ""
    appl_type: str = ""
    appl_id: str = ""
    env_data: str = ""
    user_data: str = ""
    qmgr: str = ""


@dataclass(frozen=True, slots=True)
class DescriptorExtension:
    """MQMDE, 72 bytes: the version 2 fields of a message whose descriptor is version 1."""

    encoding: int = MQENC_NATIVE
    ccsid: int = 0
    format: str = ""
    flags: int = 0
    group_id: bytes = NO_ID
    seq_number: int = 1
    offset: int = 0
    msg_flags: int = 0
    original_length: int = -1

    def pack(self, encoding: int = MQENC_NATIVE, ccsid: int = 1208) -> bytes:
        """Return the header's bytes."""
        return MQMDE.pack([2, MQMDE.length, *astuple(self)], encoding, ccsid)

    @classmethod
    def unpack(cls, data: bytes | memoryview, encoding: int = MQENC_NATIVE, ccsid: int = 1208) -> Self:
        """Read the header at the start of `data`."""
        values: list[Any] = list(MQMDE.unpack(data, encoding, ccsid))
        _check_version(MQMDE, values[0], 2)
        if values[1] != MQMDE.length:
            raise error(mq.MQRC_MDE_ERROR, f"MQMDE says it is {values[1]} bytes long, not {MQMDE.length}")
        return cls(*values[2:])


def extension_of(descriptor: Descriptor) -> DescriptorExtension | None:
    """Return the MQMDE before the body if only MQMD version 1 is sent; None if none is needed."""
    own = (
        descriptor.group_id,
        descriptor.seq_number,
        descriptor.offset,
        descriptor.flags,
        descriptor.original_length,
    )
    if own == (PLAIN.group_id, PLAIN.seq_number, PLAIN.offset, PLAIN.flags, PLAIN.original_length):
        return None
    return DescriptorExtension(descriptor.encoding, descriptor.ccsid, descriptor.format, 0, *own)


def _check_version(layout: Layout, version: object, wanted: int | str) -> None:
    if version != wanted:
        raise error(layout.reason, f"{layout.name} has version {version!r}, not {wanted!r}")
