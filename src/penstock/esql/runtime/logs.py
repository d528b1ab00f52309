"""LOG EVENT and LOG USER TRACE: passed to the caller of the module, else to Python's logging."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.esql.runtime.context import Context

_log = logging.getLogger(__name__)
EVENT = "EVENT"
_LEVELS = {0: logging.INFO, 1: logging.INFO, 2: logging.WARNING, 3: logging.ERROR}


def write_log(
    ctx: Context,
    target: str,
    severity: Any,
    catalog: Any,
    number: Any,
    inserts: tuple[Any, ...],
    exception: bool = False,
    full: bool = False,
) -> None:
    """Write one entry; with EXCEPTION it includes the error that is being handled."""
    shown = ", ".join("NULL" if each is None else str(each) for each in inserts)
    text = f"{catalog} {number}: {shown}" if shown else f"{catalog} {number}"
    fields: dict[str, Any] = {
        "severity": severity,
        "catalog": catalog,
        "number": number,
        "inserts": inserts,
    }
    if exception and ctx.handled is not None:
        fields["exception"] = ctx.handled
        text = f"{text}; {ctx.handled}"
    if full:
        fields["full"] = True
    if ctx.log is not None:
        ctx.log(target, text, fields)
    else:
        _log.log(level_of(target, severity), "esql_%s %s", "event" if target == EVENT else "trace", text)


def level_of(target: str, severity: Any) -> int:
    """Return the level of an entry in a log: a user trace is for those who look for something."""
    return _LEVELS.get(severity, logging.ERROR) if target == EVENT else logging.DEBUG
