"""Shows a failure on the command line: one line, or one JSON object, on standard error.

Only `cli.main` calls it. An unknown exception is a defect in Penstock and keeps its traceback.
"""

from __future__ import annotations

import json
import select
import sys
from typing import Any

from penstock.model.errors import MQError

READER_GONE = 128 + 13  # as of a program that SIGPIPE ends


def report(failure: Exception, as_json: bool) -> bool:
    """Show a failure that the user can act on; False for any other. Ends if nobody reads the output."""
    if isinstance(failure, BrokenPipeError) and nobody_reads():
        sys.exit(READER_GONE)
    facts = facts_of(failure)
    if facts is None:
        return False
    if as_json:
        print(json.dumps({"error": facts}, default=str), file=sys.stderr)
    else:
        print(f"penstock: {sentences(facts['text'], facts['action'])}", file=sys.stderr)
    return True


def nobody_reads() -> bool:
    """Return whether standard output is a pipe whose reader, such as `head`, has ended."""
    output = select.poll()
    output.register(sys.__stdout__.fileno() if sys.__stdout__ is not None else 1, 0)
    return any(event & select.POLLERR for _, event in output.poll(0))


def sentences(text: str, action: str) -> str:
    """Return the failure and the advice; after a caret line the advice has its own line."""
    if "\n" in text:
        return f"{text}\n{action}".rstrip()
    return f"{text}{'' if text.endswith('.') else '.'} {action}".rstrip()


def facts_of(failure: Exception) -> dict[str, Any] | None:
    """Return the facts about a failure, or None if it is a defect."""
    if isinstance(failure, MQError):
        return {
            "reason": failure.reason,
            "name": failure.name,
            "comp": failure.comp,
            "text": str(failure),
            "meaning": failure.meaning,
            "action": failure.action,
            "fields": failure.fields,
        }
    if isinstance(failure, OSError) and failure.strerror:
        place = f"{failure.filename}: " if failure.filename is not None else ""
        return {
            "reason": 0,
            "name": type(failure).__name__,
            "comp": 2,
            "text": f"{place}{failure.strerror}",
            "meaning": "",
            "action": "",
            "fields": {},
        }
    return None
