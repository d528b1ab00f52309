"""JMS messages on our queues: MQMD and MQRFH2 as a JMSTransport folder, and back.

The correspondence is that of IBM MQ's classes for JMS: header fields are in MQMD and in the folder jms of an
MQRFH2, properties in its folder usr, the class of the message in mcd. Used by the JMS nodes and by the two
transform nodes; nothing here gets or puts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.nodes.mq_header import add_header
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path
from penstock.tree.headers.node_folders import JMS_FOLDER, NodeFolder

if TYPE_CHECKING:
    from penstock.tree import Message, Reference

ID_BYTES = 24
PERSISTENT, NON_PERSISTENT = "Persistent", "Non_Persistent"
TEXT, BYTES = "jms_text", "jms_bytes"
FOLDERS = Path(JMS_FOLDER, "Transport_Folders")
APPLICATION, PAYLOAD = Path("Application_Properties"), Path("Message_MetaData", "PayloadType")
_USR = Path("usr")
_MQMD, _MQRFH2, _TRANSPORT = Path("MQMD"), Path("MQRFH2"), Path(JMS_FOLDER)
_FORM = NodeFolder(JMS_FOLDER)
_TEXTUAL = ("XMLNSC", "XMLNS", "XML", "JSON", "SOAP", "MIME")


def to_jms(message: Message) -> Message:
    """Return a message with JMSTransport in place of MQMD and MQRFH2."""
    made = message.copy()
    made.delete(_TRANSPORT)
    inside = jms_folder(made).add_last_child("Transport_Folders")
    rfh2 = made.reference(_MQRFH2)
    _fill_header(inside.add_last_child("Header_Values"), made, rfh2)
    properties = inside.add_last_child("Application_Properties")
    for field in _children(rfh2, _USR):
        properties.add_last_child(field.name, field.value)
    kind = _text(rfh2, Path("mcd", "Msd")) or (TEXT if message.domain in _TEXTUAL else BYTES)
    inside.add_last_child("Message_MetaData").add_last_child("PayloadType", kind)
    made.delete(_MQRFH2)
    made.delete(_MQMD)
    return made


def to_mq(message: Message) -> Message:
    """Return a message with MQMD, and MQRFH2 if it has properties, in place of JMSTransport."""
    made = message.copy()
    made.delete(_MQRFH2)
    made.delete(_MQMD)
    folders = made.reference(FOLDERS)
    _describe(add_header(made, "MQMD"), folders)
    _add_rfh2(made, folders)
    made.delete(_TRANSPORT)
    return made


def jms_folder(message: Message) -> Reference:
    """Return the JMSTransport of a message, in front of its body; a new one is empty."""
    found = message.reference(_TRANSPORT)
    if found is not None:
        return found
    body = message.body
    made = message.reference().add_last_child(JMS_FOLDER) if body is None else body.add_previous(JMS_FOLDER)
    made.domain = _FORM
    return made


def _fill_header(header: Reference, message: Message, rfh2: Reference | None) -> None:
    """Write the fields of a JMS header from MQMD and the folder jms."""
    own = message.reference(_MQMD)
    if own is None:
        return
    ids = {name: _value(own, field) for name, field in (("m", "MsgId"), ("c", "CorrelId"))}
    if ids["m"] is not None:
        header.add_last_child("JMSMessageID", f"ID:{bytes(ids['m']).hex()}")
    correlation = _text(rfh2, Path("jms", "Cid"))
    if not correlation and ids["c"] is not None and any(ids["c"]):
        correlation = f"ID:{bytes(ids['c']).hex()}"
    reply_to = str(_value(own, "ReplyToQ") or "").strip()
    manager = str(_value(own, "ReplyToQMgr") or "").strip()
    expiry = _value(own, "Expiry")
    fields: dict[str, Any] = {
        "JMSCorrelationID": correlation,
        "JMSDestination": _text(rfh2, Path("jms", "Dst")),
        "JMSReplyTo": _text(rfh2, Path("jms", "Rto"))
        or (f"queue://{manager}/{reply_to}" if reply_to else ""),
        "JMSType": _text(rfh2, Path("mcd", "Type")),
        "JMSDeliveryMode": PERSISTENT if _value(own, "Persistence") == 1 else NON_PERSISTENT,
        "JMSPriority": _value(own, "Priority"),
        "JMSExpiration": 0 if not isinstance(expiry, int) or expiry < 0 else expiry * 100,
        "JMSRedelivered": bool(_value(own, "BackoutCount")),
    }
    for name, value in fields.items():
        if value not in ("", None):
            header.add_last_child(name, value)


def _describe(descriptor: Reference, folders: Reference | None) -> None:
    """Set the fields of MQMD that a JMS header decides."""
    given = {name: _header(folders, name) for name in ("JMSCorrelationID", "JMSReplyTo", "JMSDeliveryMode")}
    correlation = given["JMSCorrelationID"]
    if correlation:
        descriptor.set(Path("CorrelId"), _identifier(str(correlation)))
    if given["JMSReplyTo"]:
        manager, queue = queue_of(str(given["JMSReplyTo"]))
        descriptor.set(Path("ReplyToQ"), queue)
        descriptor.set(Path("ReplyToQMgr"), manager)
        descriptor.set(Path("MsgType"), mq.MQMT_REQUEST)
    mode = str(given["JMSDeliveryMode"] or PERSISTENT)
    descriptor.set(Path("Persistence"), int(mode.lower() not in (NON_PERSISTENT.lower(), "1")))
    for name, field, factor in (("JMSPriority", "Priority", 1), ("JMSExpiration", "Expiry", 100)):
        value = _header(folders, name)
        number = _number(name, value)
        if number is not None and (field == "Priority" or number > 0):
            descriptor.set(Path(field), max(1, number // factor) if factor > 1 else number)
    descriptor.set(Path("Format"), mq.MQFMT_STRING if _is_text(folders) else mq.MQFMT_NONE)


def _add_rfh2(made: Message, folders: Reference | None) -> None:
    """Add an MQRFH2 with the folders mcd, jms and usr, if one of them has fields."""
    if folders is None:
        return
    jms = {
        name: _header(folders, field)
        for name, field in (("Dst", "JMSDestination"), ("Rto", "JMSReplyTo"), ("Cid", "JMSCorrelationID"))
    }
    mcd = {"Msd": _said(folders.get(PAYLOAD)), "Type": _header(folders, "JMSType")}
    user = [(field.name, field.value) for field in _children(folders, APPLICATION)]
    kept = {
        "mcd": [(name, value) for name, value in mcd.items() if value],
        "jms": [(name, value) for name, value in jms.items() if value],
        "usr": user,
    }
    if not any(kept.values()):
        return
    header = add_header(made, "MQRFH2")
    for name, fields in kept.items():
        if fields:
            place = header.add_last_child(name)
            for field, value in fields:
                place.add_last_child(field, value)


def queue_of(address: str) -> tuple[str, str]:
    """Return queue manager and queue of `queue://QM/Q?...`, or of a plain name."""
    if not address.startswith("queue://"):
        if "://" in address:
            raise error(mq.PSRC_FLOW_JMS, f"{address!r} is not the address of a queue")
        return "", address
    manager, _, queue = address.removeprefix("queue://").partition("?")[0].partition("/")
    return manager, queue


def _is_text(folders: Reference | None) -> bool:
    return folders is None or _said(folders.get(PAYLOAD)) in ("", TEXT, "TextMessage")


def _identifier(text: str) -> bytes:
    """Return a correlation id: the bytes of `ID:hex`, or text, at most 24 bytes."""
    if text.startswith("ID:"):
        try:
            return bytes.fromhex(text[3:])[:ID_BYTES].ljust(ID_BYTES, b"\0")
        except ValueError:
            pass
    return text.encode()[:ID_BYTES].ljust(ID_BYTES, b"\0")


def _number(name: str, value: Any) -> int | None:
    if value in ("", None):
        return None
    try:
        return int(value)
    except (TypeError, ValueError):
        raise error(mq.PSRC_FLOW_JMS, f"{name} is a number, not {str(value)[:40]!r}") from None


def _header(folders: Reference | None, name: str) -> Any:
    value = MISSING if folders is None else folders.get(Path("Header_Values", name))
    return "" if value is MISSING or value is None else value


def _children(folder: Reference | None, path: Path) -> list[Reference]:
    found = None if folder is None else folder.reference(path)
    return [] if found is None else list(found)


def _value(folder: Reference, name: str) -> Any:
    value = folder.get(Path(name))
    return None if value is MISSING else value


def _text(folder: Reference | None, path: Path) -> str:
    return "" if folder is None else _said(folder.get(path))


def _said(value: Any) -> str:
    return "" if value is MISSING or value is None else str(value).strip()
