"""Command messages of queued publish/subscribe: an MQRFH2 with a psc folder, and the pscr that answers it.

Text to values and back; nothing here changes a queue manager. `queued_pubsub` carries the commands out.
Any other message raises 2421.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Descriptor, Message
from penstock.model.rfh2 import READ_LENGTH_MAX, Rfh2, unpack_rfh2
from penstock.model.rfh2_folders import decode_folder, decode_folders

if TYPE_CHECKING:
    from penstock.model.properties import PropertyValue

COMMANDS = ("Publish", "RegSub", "DeregSub", "DelPub", "ReqUpdate")
TOPICS_MAX = 250  # of one command; ours: all of them are done in one step
PERSISTENCE = {"Pers": "YES", "NonPers": "NO", "PersAsPub": "ASPUB", "PersAsQueue": "ASQDEF"}
MEANT = "CorrelAsId DeregAll Local NewPubsOnly PubOnReqOnly VariableUserId WildcardChar WildcardTopic"
NOTED = "AddName FullResp InformIfRet JoinExcl JoinShared LeaveOnly Locked NoAlter"  # and not acted upon
OPTIONS = {  # by element: the reason for an unknown option, and the known options
    "RegOpt": (mq.MQRCCF_REG_OPTIONS_ERROR, {"None", *MEANT.split(), *NOTED.split(), *PERSISTENCE}),
    "PubOpt": (
        mq.MQRCCF_PUB_OPTIONS_ERROR,
        {"None", "CorrelAsId", "IsRetainedPub", "Local", "OtherSubsOnly", "RetainPub"},
    ),
    "DelOpt": (mq.MQRCCF_DEL_OPTIONS_ERROR, {"None", "Local"}),
}


@dataclass(slots=True)
class PscCommand:
    """One command: its name, the contents of the folder, and the message that follows the header."""

    name: str
    topics: list[str]
    options: set[str]
    values: dict[str, str]
    body: bytes = b""
    descriptor: Descriptor = field(default_factory=Descriptor)
    properties: dict[str, PropertyValue] = field(default_factory=dict)

    def has(self, option: str) -> bool:
        """Return whether a RegOpt, PubOpt or DelOpt is given."""
        return option in self.options

    @property
    def persistence(self) -> str | None:
        """The persistence of copies that a RegSub requests, as PUBPSIST; None without one."""
        found = [value for option, value in PERSISTENCE.items() if option in self.options]
        if len(found) > 1:
            raise error(mq.MQRCCF_REG_OPTIONS_ERROR, f"at most one of {', '.join(PERSISTENCE)}")
        return found[0] if found else None


def read_command(message: Message) -> PscCommand:
    """Return the command that a message holds."""
    described = message.descriptor
    if described.format != mq.MQFMT_RF_HEADER_2 or message.body is None:
        raise error(mq.MQRC_RFH_FORMAT_ERROR, "a command message begins with an MQRFH2")
    header, length = unpack_rfh2(message.body, described.encoding, described.ccsid, READ_LENGTH_MAX)
    folders = {decode_folder(text).name: text for text in header.folders if text.strip(" \0")}
    if "psc" not in folders:
        raise error(mq.MQRC_RFH_FORMAT_ERROR, "the MQRFH2 has no psc folder")
    command = _read_folder(folders["psc"])
    properties, _ = decode_folders(text for name, text in folders.items() if name != "psc")
    command.body = message.body[length:]
    ccsid = described.ccsid if header.ccsid in (mq.MQCCSI_INHERIT, 0) else header.ccsid
    command.descriptor = described.replace(format=header.format, encoding=header.encoding, ccsid=ccsid)
    command.properties = properties
    return command


def _read_folder(text: str) -> PscCommand:
    command = PscCommand("", [], set(), {})
    given: list[tuple[str, str]] = []
    for path, found in decode_folder(text).values:
        value = _text(path, found)
        if path == "Command":
            command.name = value
        elif path == "Topic":
            command.topics.append(value)
        elif path in OPTIONS:
            given.append((path, value.strip()))
        else:
            command.values[path] = value
    if command.name not in COMMANDS:
        raise error(
            mq.MQRC_RFH_FORMAT_ERROR, f"{command.name!r} is not a command; commands are {', '.join(COMMANDS)}"
        )
    if len(command.topics) > TOPICS_MAX:
        raise error(
            mq.MQRC_RFH_FORMAT_ERROR, f"{len(command.topics)} topics; one command has at most {TOPICS_MAX}"
        )
    for path, option in given:
        reason, known = OPTIONS[path]
        if option and option not in known:
            raise error(reason, f"{option!r} is not a {path}")
        command.options.add(option)
    return command


def _text(path: str, value: object) -> str:
    if isinstance(value, bytes):
        raise error(mq.MQRC_RFH_FORMAT_ERROR, f"{path} is bytes where text should be")
    return "" if value is None else str(value)


def wants_answer(message: Message, failed: bool) -> bool:
    """Return whether the sender of a command requested an answer."""
    described = message.descriptor
    if described.msg_type == mq.MQMT_REQUEST:
        return True
    return bool(described.report & (mq.MQRO_NAN if failed else mq.MQRO_PAN))


def answer(message: Message, reason: int, warning: bool, qmgr: str, ids: Any, now: float) -> Message:
    """Return the answer to a command; reason 0 for one that went well."""
    completion = "ok" if not reason else "warning" if warning else "error"
    response = f"<Response><Reason>{reason}</Reason></Response>" if reason else ""
    header = Rfh2((f"<pscr><Completion>{completion}</Completion>{response}</pscr>",))
    described = message.descriptor
    passes_correl = described.report & mq.MQRO_PASS_CORREL_ID
    kept = message.msg_id if described.report & mq.MQRO_PASS_MSG_ID else ids()
    return Message(
        header.pack(),
        kept,
        message.correl_id if passes_correl else message.msg_id,
        message.persistent,
        message.priority,
        now,
        descriptor=Descriptor(
            msg_type=mq.MQMT_REPLY,
            format=mq.MQFMT_RF_HEADER_2,
            put_appl_type=mq.MQAT_QMGR,
            put_appl_name=qmgr,
        ),
    )
