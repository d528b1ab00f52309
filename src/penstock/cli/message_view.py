"""Output of a message on the command line, and the syntax of ids and properties there.

Ids are hexadecimal, or text that is padded with zeros to 24 bytes. Used by put, get, browse and dlq.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from penstock.model.message import Message

ID_BYTES = 24


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


def parse_id(text: str | None, option: str) -> bytes | None:
    """Return the id that a user wrote as 48 hexadecimal digits, as 0x..., or as text.

    >>> parse_id("0x4142", "--msg-id") == parse_id("AB", "--msg-id")
    True
    """
    if text is None:
        return None
    digits = text[2:] if text.lower().startswith("0x") else text if len(text) == 2 * ID_BYTES else ""
    try:
        value = bytes.fromhex(digits) if digits else text.encode()
    except ValueError:
        value = text.encode()
    if len(value) > ID_BYTES:
        raise typer.BadParameter(f"{option} takes at most {ID_BYTES} bytes")
    return value.ljust(ID_BYTES, b"\0")


def parse_properties(texts: list[str]) -> dict[str, bool | int | float | str]:
    """Return properties from `name=value` texts; a value in double quotes stays text.

    >>> parse_properties(["size=10", "rush=true", 'code="10"'])
    {'size': 10, 'rush': True, 'code': '10'}
    """
    properties: dict[str, bool | int | float | str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"--property {text!r} is not of the form name=value")
        properties[name] = _property_value(value)
    return properties


def _property_value(text: str) -> bool | int | float | str:
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
