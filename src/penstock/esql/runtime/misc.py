"""Other functions: UUIDs, Base64, SLEEP, and the status of the last database call.

COALESCE, NULLIF and CASE are operators (`operators.py`).
"""

from __future__ import annotations

import base64
import binascii
import uuid
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.function_errors import argument_error, cast_error, type_error
from penstock.esql.runtime.values.types import OMITTED

if TYPE_CHECKING:
    from penstock.esql.runtime.services import Outside

SLEEP_MS_MAX = 3_600_000


def uuidaschar(ctx: Outside, blob: Any = OMITTED) -> str | None:
    """UUIDASCHAR [(blob)]: a new UUID as text, or 16 bytes as one."""
    if blob is OMITTED:
        return str(ctx.uuid())
    if blob is None:
        return None
    if type(blob) is not bytes or len(blob) != 16:
        raise cast_error(blob, "a UUID", "it has 16 bytes")
    return str(uuid.UUID(bytes=blob))


def uuidasblob(ctx: Outside, text: Any = OMITTED) -> bytes | None:
    """UUIDASBLOB [(text)]: a new UUID as 16 bytes, or the bytes of one in text."""
    if text is OMITTED:
        return ctx.uuid().bytes
    if text is None:
        return None
    if type(text) is not str:
        raise cast_error(text, "a UUID")
    try:
        return uuid.UUID(text.strip()).bytes
    except ValueError as problem:
        raise cast_error(text, "a UUID") from problem


def base64encode(data: Any) -> str | None:
    """BASE64ENCODE(data): BLOB, or CHARACTER as UTF-8, in Base64."""
    if data is None:
        return None
    if type(data) is str:
        data = data.encode()
    if type(data) is not bytes:
        raise type_error("BASE64ENCODE", data)
    return base64.b64encode(data).decode("ascii")


def base64decode(text: Any) -> bytes | None:
    """BASE64DECODE(text); line ends in it are skipped, anything else that is not Base64 is an error."""
    if text is None:
        return None
    if type(text) is not str:
        raise type_error("BASE64DECODE", text)
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as problem:
        raise cast_error(text, "BLOB", "it is not Base64") from problem


def sleep(ctx: Outside, milliseconds: int | None) -> bool:
    """SLEEP(milliseconds); returns TRUE."""
    if milliseconds is None:
        return True
    if type(milliseconds) is not int:
        raise type_error("SLEEP", milliseconds)
    if not 0 <= milliseconds <= SLEEP_MS_MAX:
        raise argument_error(f"SLEEP of {milliseconds} ms; from 0 to {SLEEP_MS_MAX}")
    ctx.sleep(milliseconds / 1000)
    return True


def sqlcode(ctx: Outside) -> int:
    """SQLCODE of the last database statement, or of the exception that is being handled."""
    return ctx.sqlcode


def sqlstate(ctx: Outside) -> str:
    """SQLSTATE, as SQLCODE."""
    return ctx.sqlstate


def sqlnativeerror(ctx: Outside) -> int:
    """SQLNATIVEERROR, as SQLCODE: the database's own number."""
    return ctx.sqlnativeerror


def sqlerrortext(ctx: Outside) -> str:
    """SQLERRORTEXT, as SQLCODE: the database's own words."""
    return ctx.sqlerrortext
