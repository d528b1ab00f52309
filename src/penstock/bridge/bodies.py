"""Bodies of requests and replies as the types that a program declares.

bytes and str are the body itself; a dataclass, a model of pydantic and every other type are JSON, checked
against the type. What does not fit is 8346, about the request and not about the program.
"""

from __future__ import annotations

from typing import Any

import msgspec

from penstock.model import constants as mq
from penstock.model.errors import error


def decoded(body: bytes, kind: Any) -> Any:
    """Return a body as the type of a program's parameter."""
    if kind is bytes:
        return body
    try:
        if kind is str:
            return body.decode("utf-8")
        if hasattr(kind, "model_validate_json"):
            return kind.model_validate_json(body)
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, ValueError) as raised:  # pydantic's errors are ValueErrors
        what = " ".join(str(raised).split())
        name = getattr(kind, "__name__", str(kind))
        raise error(mq.PSRC_BRIDGE_REQUEST, f"the body is no {name}: {what[:500]}", final=True) from raised


def encoded(value: Any) -> bytes | None:
    """Return the body of a reply; None for no reply."""
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if hasattr(value, "model_dump_json"):
        return str(value.model_dump_json()).encode()
    try:
        return msgspec.json.encode(value)
    except (TypeError, msgspec.MsgspecError) as raised:
        raise error(mq.PSRC_BRIDGE_PROGRAM, f"the program returned what is no reply: {raised}") from raised
