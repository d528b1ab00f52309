"""Parsed record sequences: how many bytes the first message of a buffer has, for domains that can tell.

XML ends with its root element, JSON with its value. What does not say its own length (TDS, CWF, BLOB) is
refused when a flow starts: such files have delimiters or a fixed length.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from penstock.model.constants_reasons import PSRC_FLOW_GRAPH, PSRC_FLOW_RECORD
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable

_JSON = json.JSONDecoder(parse_int=str)  # a number may have more digits than Python makes one of
MEASURED = ("XMLNSC", "XMLNS", "XML", "SOAP", "JSON")


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
