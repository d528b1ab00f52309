"""A message as data and as text, for JSON and as hexadecimal digits. Commands and console share it."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message

ROW_BYTES = 16


def message_facts(message: Message) -> dict[str, Any]:
    """Return a message as JSON can hold it: `body` when it is UTF-8 text, else `body_base64`."""
    facts: dict[str, Any] = {
        "msg_id": message.msg_id.hex(),
        "correl_id": message.correl_id.hex(),
        "put_time": iso_time(message.put_time),
        "persistent": bool(message.persistent),
        "priority": message.priority,
        "expiry": message.expiry,
        "backout_count": message.backout_count,
        "format": message.format,
        "reply_to": message.reply_to,
        "reply_to_qmgr": message.reply_to_qmgr,
        "properties": dict(message.properties or {}),
        "length": message.length,
    }
    topic = (message.properties or {}).get("MQTopicString")
    if topic is not None:
        facts["topic"] = topic
    if message.warning:
        facts["warning"] = message.warning
    body = bytes(message.body or b"")
    try:
        facts["body"] = body.decode()
    except UnicodeDecodeError:
        facts["body_base64"] = base64.b64encode(body).decode()
    return facts


def iso_time(moment: float) -> str:
    """Return a time as ISO 8601 in UTC with milliseconds."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")


def hex_lines(data: bytes) -> Iterator[str]:
    """Yield bytes as lines of offset, hexadecimal digits and characters.

    >>> list(hex_lines(b"3 apples\\n"))
    ['00000000  33 20 61 70 70 6c 65 73  0a                       |3 apples.|']
    """
    for start in range(0, len(data), ROW_BYTES):
        row = data[start : start + ROW_BYTES]
        halves = "  ".join(row[at : at + 8].hex(" ") for at in (0, 8) if row[at:])
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        yield f"{start:08x}  {halves:<48}  |{text}|"


def property_value(text: str) -> bool | int | float | str:
    """Return the value of a typed-in property; in double quotes it stays text.

    >>> property_value("10"), property_value("true"), property_value('"10"')
    (10, True, '10')
    """
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
