"""Errors of scanners: the problem and its position, with the line and a caret.

Made only for an error, so it may be slow. Lines and columns count from 1, columns in characters; the offset
counts bytes of the scanned text.
"""

from __future__ import annotations

from typing import Any

from penstock.model.errors import MQError, error

SHOWN_BEFORE = 40
SHOWN_AFTER = 30


def parse_error(code: int, what: str, text: bytes, offset: int, **fields: Any) -> MQError:
    """Return the error for a position in a text, with further fields."""
    offset = min(max(offset, 0), len(text))
    line = text.count(b"\n", 0, offset) + 1
    begin = text.rfind(b"\n", 0, offset) + 1
    end = text.find(b"\n", offset)
    end = len(text) if end < 0 else end
    column = len(text[begin:offset].decode("utf-8", "replace")) + 1
    before = text[begin:offset].decode("utf-8", "replace")[-SHOWN_BEFORE:]
    after = text[offset : min(end, offset + 4 * SHOWN_AFTER)].decode("utf-8", "replace")[:SHOWN_AFTER]
    shown = _visible(before) + _visible(after)
    caret = " " * len(before) + "^"
    return error(
        code,
        f"line {line}, column {column}: {what}\n  {shown}\n  {caret}",
        offset=offset,
        line=line,
        column=column,
        **fields,
    )


def _visible(text: str) -> str:
    return "".join(character if character.isprintable() else "·" for character in text)
