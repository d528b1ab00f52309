"""Output of a message on the command line, and the syntax of ids and properties there.

Ids are hexadecimal, or text that is padded with zeros to 24 bytes. Used by put, get, browse and dlq.
"""

from __future__ import annotations

import typer

from penstock.tools.message_facts import iso_time, message_facts, property_value

__all__ = ["iso_time", "message_facts", "parse_id", "parse_properties"]

ID_BYTES = 24


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
        properties[name] = property_value(value)
    return properties
