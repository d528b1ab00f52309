"""Parsed record sequences: how many bytes the first message of a buffer has, for domains that can tell.

XML ends with its root element, JSON with its value, a record of a fixed layout (a copybook, CWF, DFDL without
delimiters) with its last field. What does not say its own length (TDS, BLOB) is refused when a flow starts:
such files have delimiters or a fixed length.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from penstock.flow.trees import MODELLED
from penstock.model.constants_reasons import PSRC_FLOW_GRAPH, PSRC_FLOW_RECORD
from penstock.model.errors import FormatError, error
from penstock.tree import parse
from penstock.tree._cwf import CwfDomain
from penstock.tree._domains import domain_of_model

if TYPE_CHECKING:
    from collections.abc import Callable

_JSON = json.JSONDecoder(parse_int=str)  # a number may have more digits than Python makes one of
MEASURED = ("XMLNSC", "XMLNS", "XML", "SOAP", "JSON")


def measure_for(
    domain: str, model: object = None, message_type: str = "", message_format: str = ""
) -> Callable[[bytes, bool], int | None]:
    """Return what measures the first record of a buffer; 8301 for a domain whose messages do not say it."""
    if domain == "JSON":
        return json_length
    if domain in MEASURED:
        return xml_length
    if domain in MODELLED and model is not None:
        which: dict[str, Any] = {
            "message": message_type.rpartition(":")[2] or None,
            "format": message_format or None,
        }
        if isinstance(domain_of_model(domain, model, **which), CwfDomain):
            return partial(record_length, domain, model, which)
    text = f"parsedRecordSequence reads {', '.join(MEASURED)} and models of a fixed layout, not {domain}"
    raise error(PSRC_FLOW_GRAPH, text)


def record_length(domain: str, model: object, which: dict[str, Any], data: bytes, is_end: bool) -> int | None:
    """Return the length of the first record of a fixed layout; None when it is not all there."""
    try:
        parse(data, domain, model=model, timing="complete", **which)
    except FormatError as raised:
        if "left_over" in raised.fields:  # further records
            return int(raised.fields["offset"])
        if is_end:
            raise error(PSRC_FLOW_RECORD, raised.detail) from raised
        return None
    return len(data) if is_end else None  # what follows may belong to a last field that repeats


class _Found(Exception):
    """Ends the parser where the root element ends."""


def xml_length(data: bytes, is_end: bool) -> int | None:
    """Return the length of the first document; None when it is not all there.

    For character sets in which a mark of XML is one ASCII byte.
    """
    depth = end = 0
    parser = expat.ParserCreate()

    def begin(*_: Any) -> None:
        nonlocal depth
        depth += 1

    def close(*_: Any) -> None:
        nonlocal depth, end
        depth -= 1
        if depth == 0:
            end = parser.CurrentByteIndex
            raise _Found

    def refuse(*_: Any) -> None:
        raise error(PSRC_FLOW_RECORD, "a document type is refused")

    parser.StartElementHandler, parser.EndElementHandler = begin, close
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, False)
    except _Found:
        if data.startswith(b"</", end):  # an empty element has been passed already
            end = data.index(b">", end) + 1
        return end
    except expat.ExpatError as raised:
        raise error(PSRC_FLOW_RECORD, f"no XML: {raised}") from raised
    return None


def json_length(data: bytes, is_end: bool) -> int | None:
    """Return the length of the first value; None when it is not all there."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as raised:
        if is_end or len(data) - raised.start > 3:
            raise error(PSRC_FLOW_RECORD, "no UTF-8") from raised
        text = data[: raised.start].decode("utf-8")
    try:
        _, end = _JSON.raw_decode(text)
    except RecursionError as raised:
        raise error(PSRC_FLOW_RECORD, "JSON with too many values within each other") from raised
    except json.JSONDecodeError as raised:
        if is_end:
            raise error(PSRC_FLOW_RECORD, f"no JSON: {raised}") from raised
        return None
    stop = len(text[:end].encode())
    if stop == len(data) and not is_end and text[0] not in '{["':
        return None  # a number may go on
    return stop
