"""Attribute values in the words of a command: looked up in the catalogue, checked, ready to store.

Shared by DEFINE, ALTER and SET CHLAUTH. An unknown attribute or an invalid value is a SyntaxFault with its
position; a value that would have no effect is a failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.syntax import SyntaxFault, near
from penstock.qmgr.catalogue.attributes import (
    KINDS,
    QUEUE_KINDS,
    SUBTYPE_ATTRIBUTE,
    Attribute,
    Value,
    ValueRefused,
    attribute_called,
    catalogue,
    refused,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.admin.mqsc_parser import Parameter, Parameters

LOCAL_DISPOSITIONS = ("QMGR", "COPY", "PRIVATE", "LIVE", "ALL")
TRACING = {
    "OTELTRAC": ("OFF", "NONE", "QMGR"),
    "OTELPCTL": ("MANUAL", "QMGR"),
}  # with values that have no effect


def read_values(kind: str, subtype: str, given: Iterable[Parameter]) -> dict[str, Value]:
    """Return the attributes that parameters set; SyntaxFault for the first invalid one."""
    found: dict[str, Value] = {}
    for parameter in given:
        attribute = _attribute(kind, subtype, parameter)
        if attribute.name in found:
            raise parameter.fault(f"{attribute.name} is given twice")
        found[attribute.name] = read_value(attribute, parameter)
    return found


def read_value(attribute: Attribute, parameter: Parameter) -> Value:
    """Return the value that one parameter gives an attribute."""
    if attribute.kind == "flag":
        if parameter.values is not None:
            raise parameter.fault(f"{parameter.name} takes no value")
        return "YES" if parameter.name == attribute.name else "NO"
    given: Value
    if attribute.kind == "names":
        if parameter.values is None:
            raise parameter.fault(f"{parameter.name} needs a value: {parameter.name}( ... )")
        given = tuple(word.text for word in parameter.values)
    else:
        given = parameter.text
    try:
        value = attribute.check(given)
    except ValueRefused as refusal:
        hint = near(str(given).upper(), attribute.values)
        raise parameter.value_fault(refusal.detail, hint) from refusal
    if why := attribute.refusal(value):
        raise refused(attribute.name, why)
    return value


def read_subtype(kind: str, parameters: Parameters) -> str:
    """Return and consume the CHLTYPE, AUTHTYPE or TYPE of a command; empty if it has none."""
    name = SUBTYPE_ATTRIBUTE.get(kind)
    return parameters.take_keyword(name, catalogue(kind)[name].values) if name else ""


def drop_tolerated(parameters: Parameters, kind: str = "") -> None:
    """Consume CMDSCOPE, which the runner has read, and QSGDISP of what no group keeps."""
    parameters.take("CMDSCOPE")
    if kind in KINDS and "QSGDISP" in catalogue(kind):
        return
    given = parameters.take("QSGDISP")
    if given is not None and given.text.upper() not in LOCAL_DISPOSITIONS:
        subject = f" of {kind}" if kind else ""
        raise refused("QSGDISP", f"QSGDISP({given.text}){subject} is refused: no group keeps it")


def read_disposition(kind: str, parameters: Parameters, *, for_display: bool = False) -> str:
    """Return and consume the QSGDISP of a DELETE or DISPLAY; a display leaves one that selects rows."""
    if kind not in KINDS or "QSGDISP" not in catalogue(kind):
        return ""
    given = parameters.take("QSGDISP")
    if given is None or (for_display and given.values is None):
        if given is not None:
            parameters.put_back(given)
        return ""
    word = given.text.upper()
    allowed = ("GROUP", "SHARED", *LOCAL_DISPOSITIONS)
    if word not in allowed:
        raise given.value_fault(f"QSGDISP({given.text}): allowed is one of {', '.join(allowed)}")
    if for_display and word in ("QMGR", "COPY", "SHARED"):
        parameters.put_back(given)
    return word


def drop_tracing(kind: str, parameters: Parameters) -> list[str]:
    """Consume z/OS parameters about OpenTelemetry; return notes on them."""
    notes = []
    for name, quiet in TRACING.items() if kind in ("QMGR", *QUEUE_KINDS) else ():
        given = parameters.take(name)
        if given is not None and given.text.upper() not in quiet:
            notes.append(f"{name}({given.text}) is ignored: OpenTelemetry is set up by the environment.")
    return notes


def drop_topic_type(kind: str, parameters: Parameters) -> None:
    """Consume the TYPE(LOCAL) of DEFINE, ALTER and DELETE TOPIC scripts: there is no other type."""
    if kind == "TOPIC":
        parameters.take_keyword("TYPE", ("LOCAL",))


def _attribute(kind: str, subtype: str, parameter: Parameter) -> Attribute:
    attribute = attribute_called(kind, parameter.name, subtype)
    if attribute is not None and not attribute.read_only:
        return attribute
    if attribute is not None:
        raise parameter.fault(f"{parameter.name} can be displayed but not set")
    raise unknown_attribute(kind, subtype, parameter)


def unknown_attribute(kind: str, subtype: str, parameter: Parameter) -> SyntaxFault:
    """Return the fault for an unknown attribute of this kind, with the likely one as hint."""
    elsewhere = attribute_called(kind, parameter.name)
    if subtype and elsewhere is not None:
        types = ", ".join(sorted(elsewhere.applies))
        return parameter.fault(
            f"{parameter.name} is not an attribute of {kind} of type {subtype}, only of {types}"
        )
    settable = [each.name for each in catalogue(kind, subtype).values() if not each.read_only]
    return parameter.fault(f"{parameter.name} is not an attribute of {kind}", near(parameter.name, settable))
