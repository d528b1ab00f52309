"""Parsed record sequences: how many bytes the first message of a buffer has, for domains that can tell.

XML ends with its root element, JSON with its value. What does not say its own length (TDS, CWF, BLOB) is
refused when a flow starts: such files have delimiters or a fixed length.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from penstock.model.constants_reasons import PSRC_FLOW_GRAPH, PSRC_FLOW_RECORD
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable

MEASURED = ("XMLNSC", "XMLNS", "XML", "SOAP", "JSON")
_SPACE = re.compile(rb"\s*")


def measure_for(domain: str) -> Callable[[bytes, bool], int | None]:
    """Return what measures the first record of a buffer; 8301 for a domain whose messages do not say it."""
    if domain == "JSON":
        return json_length
    if domain in MEASURED:
        return xml_length
    raise error(PSRC_FLOW_GRAPH, f"parsedRecordSequence reads {', '.join(MEASURED)}, not {domain}")


class _Found(Exception):
    """Ends the parser where the root element ends."""


def xml_length(data: bytes, is_end: bool) -> int | None:
    """Return the length of the first document with the space around it; None when it is not all there.

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
    lead = _lead(data)
    try:
        parser.Parse(data[lead:], False)
    except _Found:
        end += lead
        if data.startswith(b"</", end):  # an empty element has been passed already
            end = data.index(b">", end) + 1
        return _with_space(data, end)
    except expat.ExpatError as raised:
        raise error(PSRC_FLOW_RECORD, f"no XML: {raised}") from raised
    return None


def json_length(data: bytes, is_end: bool) -> int | None:
    """Return the length of the first value with the white space around it; None when it is not all there."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as raised:
        if is_end or len(data) - raised.start > 3:
            raise error(PSRC_FLOW_RECORD, "no UTF-8") from raised
        text = data[: raised.start].decode("utf-8")
    lead = len(text) - len(text.lstrip())
    try:
        _, end = json.JSONDecoder().raw_decode(text, lead)
    except json.JSONDecodeError as raised:
        if is_end:
            raise error(PSRC_FLOW_RECORD, f"no JSON: {raised}") from raised
        return None
    stop = len(text[:end].encode())
    if stop == len(data) and not is_end and text[lead] not in "{[":
        return None  # a number may go on
    return _with_space(data, stop)


def _lead(data: bytes) -> int:
    found = _SPACE.match(data)
    return found.end() if found else 0


def _with_space(data: bytes, stop: int) -> int:
    found = _SPACE.match(data, stop)
    return found.end() if found else stop
