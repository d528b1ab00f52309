"""The ExceptionList of an error: nested exceptions, the cause deepest, as programs walk it with LASTCHILD.

The outermost names the node that failed, one follows for each ESQL routine in the traceback, and the last one
is the error itself with its inserts. Room `flow` puts the tree into the message for a catch terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.errors import CATALOG, NUMBER_OTHER, USER_STATE, state_of
from penstock.tree import Message, Reference

if TYPE_CHECKING:
    from penstock.model.errors import MQError

RETHROWN, IN_ROUTINE = 2230, 2488
SEVERITY = 3
COMPUTE = "ComIbmComputeNode"
_CHARACTER, _INTEGER = 5, 2  # types of inserts, as the broker numbers them


def exception_list(problem: MQError) -> Message:
    """Return the tree for an error that left a module."""
    made = Message()
    root = made.reference()
    assert root is not None
    fields = problem.fields
    flow = fields.get("messageflowlabel", "")
    node = {"Name": fields.get("nodelabel", ""), "Label": flow, "Type": COMPUTE}
    at, nowhere = root, {"file": "", "line": 0, "routine": ""}
    for label, kind in reversed(fields.get("nodes") or [(node["Name"], COMPUTE)]):
        node = {"Name": label, "Label": f"{flow}.{label}" if flow else label, "Type": kind}
        at = _exception(
            at, "RecoverableException", nowhere, RETHROWN, "Caught exception and rethrowing", (), **node
        )
    for frame in fields.get("frames", ()):
        inserts = (frame.routine, str(frame.line))
        place = {"file": frame.file, "line": frame.line}
        at = _exception(
            at, "RecoverableException", place, IN_ROUTINE, "Error detected, rethrowing", inserts, **node
        )
    number = fields.get("number", NUMBER_OTHER)
    _exception(at, _kind(problem), fields, number, problem.detail, fields.get("inserts", ()), **node)
    return made


def _kind(problem: MQError) -> str:
    state = state_of(problem)
    if state == USER_STATE:
        return "UserException"
    if state.startswith("D"):
        return "DatabaseException"
    if problem.fields.get("sqlstate") is None and 8100 <= problem.reason < 8200:
        return "ParserException"
    return "ConversionException" if state == "S22018" else "RecoverableException"


def _exception(
    parent: Reference,
    kind: str,
    at: dict[str, Any],
    number: int,
    text: str,
    inserts: tuple[Any, ...],
    **node: str,
) -> Reference:
    made = parent.add_last_child(kind)
    values = {
        "File": at.get("file", ""),
        "Line": at.get("line", 0),
        "Function": at.get("routine", ""),
        **node,
        "Catalog": at.get("catalog", CATALOG),
        "Severity": at.get("severity", SEVERITY),
        "Number": number,
        "Text": text,
    }
    for name, value in values.items():
        made.add_last_child(name, value)
    for insert in inserts:
        below = made.add_last_child("Insert")
        below.add_last_child("Type", _INTEGER if isinstance(insert, int) else _CHARACTER)
        below.add_last_child("Text", "" if insert is None else str(insert))
    return made
