"""Messages, requests, replies and files as a case writes them: a body and its properties."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.flow.graph.graph import near
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = ("body", "hex", "file", "xml", "json")
DETAILS = (
    *("correl_id", "msg_id", "persistent", "priority", "reply_to", "format", "ccsid", "encoding"),
    *("properties", "expiry"),
)
REQUEST = ("method", "path", "headers")
FILE = ("filename",)
TIMER = ("after",)
REPLY = ("status", "headers")
LETTER = ("reason", "queue")
KNOWN = tuple(dict.fromkeys((*CONTENT, *DETAILS, *REQUEST, *FILE, *TIMER, *REPLY, *LETTER, "input")))
ID_BYTES = 24
IDS = ("correl_id", "msg_id")


def content_of(given: dict[str, Any], path: Path) -> bytes:
    """Return the body that a message of a case names."""
    check_keys(path, given, KNOWN)
    try:
        if "hex" in given:
            return bytes.fromhex(str(given["hex"]))
        if "file" in given:
            return (path.parent / str(given["file"])).read_bytes()
    except (OSError, ValueError) as raised:
        raise error(mq.PSRC_FLOW_PROJECT, f"{path}: the body of a message cannot be had: {raised}") from None
    text = given.get("body", given.get("xml", given.get("json", "")))
    if "json" in given and not isinstance(text, str | bytes):
        return json.dumps(text, ensure_ascii=False).encode()
    return text if isinstance(text, bytes) else str(text).encode()


def details_of(given: dict[str, Any]) -> dict[str, Any]:
    """Return the properties of a message of a case; ids are hexadecimal."""
    found = {name: given[name] for name in DETAILS if name in given}
    return found | {name: _id(name, found[name]) for name in IDS if name in found}


def check_keys(path: Path, given: dict[str, Any], known: tuple[str, ...]) -> None:
    """Refuse a word that means nothing; 8304 with the likely one."""
    for key in given:
        if key not in known:
            raise error(mq.PSRC_FLOW_PROJECT, f"{path}: {key!r} is not known here{near(str(key), known)}")


def _id(name: str, value: Any) -> bytes:
    try:
        found = bytes.fromhex(value)
    except (TypeError, ValueError):
        raise error(mq.PSRC_FLOW_PROJECT, f"{name} is hexadecimal digits in quotes, not {value!r}") from None
    if len(found) > ID_BYTES:
        raise error(mq.PSRC_FLOW_PROJECT, f"{name} has at most {2 * ID_BYTES} digits, not {2 * len(found)}")
    return found.ljust(ID_BYTES, b"\0")
