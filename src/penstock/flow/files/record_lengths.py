"""Parsed record sequences: the length of the first message in a buffer, for domains that define it.

XML ends with its root element, JSON with its value, a record of fixed layout (a copybook, CWF, DFDL without
delimiters) with its last field, tagged and delimited text with its terminator or its last value, if that has
an end. Formats that do not define their end (BLOB, text without a terminator) are refused when a flow starts:
such files need delimiters or a fixed length.
"""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from penstock.flow.new_messages import MODELLED
from penstock.model import constants as mq
from penstock.model.ccsid import UTF8, codec
from penstock.model.errors import FormatError, error
from penstock.tree import parse
from penstock.tree.core._domains import domain_of_model
from penstock.tree.model.tds_end import endless, ends_by_delimiter
from penstock.tree.records._domain import CwfDomain
from penstock.tree.tagged._domain import TdsDomain
from penstock.tree.xml._mrm import MrmXmlDomain

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.nodes.record_properties import FileRecords
    from penstock.flow.nodes.tcpip_properties import ReadsRecords
    from penstock.tree.tagged._domain import TdsPart

_JSON = json.JSONDecoder(parse_int=str)  # a number may have more digits than Python converts
MEASURED = ("XMLNSC", "XMLNS", "XML", "SOAP", "JSON")


def measure_for(node: FileRecords | ReadsRecords, model: object) -> Callable[[bytes, bool], int | None]:
    """Return the function that measures the first record of a buffer; 8301 for a domain that cannot."""
    if node.domain == "JSON":
        return json_length
    if node.domain in MEASURED:
        return xml_length
    if node.domain in MODELLED and model is not None:
        return _measure_for_model(node, model)
    what = f"parsedRecordSequence reads {', '.join(MEASURED)} and messages with a model, not {node.domain}"
    raise error(mq.PSRC_FLOW_GRAPH, what)


def _measure_for_model(
    node: FileRecords | ReadsRecords, model: object
) -> Callable[[bytes, bool], int | None]:
    which: dict[str, Any] = {
        "message": node.message_type.rpartition(":")[2] or None,
        "format": node.message_format or None,
    }
    found = domain_of_model(node.domain, model, **which)
    if isinstance(found, MrmXmlDomain):
        return xml_length
    measuring = _Modelled(node, model, which)
    if isinstance(found, CwfDomain):
        return measuring.fixed_length
    if isinstance(found, TdsDomain):
        if name := endless(found.root):
            what = (
                f"parsedRecordSequence: {name} has neither a terminator nor a length, so no record ends there"
            )
            raise error(mq.PSRC_FLOW_GRAPH, what)
        measuring.text_of(found.root)
        return measuring.text_length
    raise error(mq.PSRC_FLOW_GRAPH, f"parsedRecordSequence does not read {node.domain} in this format")


class _Modelled:
    """Measures records of one message of a model."""

    def __init__(self, node: FileRecords | ReadsRecords, model: object, which: dict[str, Any]) -> None:
        self.domain = node.domain
        self.ccsid, self.encoding = node.ccsid, node.encoding
        self.how = {"model": model, "timing": "immediate", "encoding": node.encoding, **which}
        self.codec = "utf-8"
        self.behind = b""  # a delimiter that belongs to the record before it

    def text_of(self, message: TdsPart) -> None:
        """Measure text from now on."""
        self.codec = codec(self.ccsid, self.encoding)
        self.behind = message.delimiter if ends_by_delimiter(message) else b""

    def fixed_length(self, data: bytes, is_end: bool) -> int | None:
        """Return the length of the first record of a fixed layout; None if it is incomplete."""
        return self._length(data, is_end, self.ccsid)

    def text_length(self, data: bytes, is_end: bool) -> int | None:
        """Return the length of the first record of text; None if it is incomplete.

        The scanner counts in UTF-8; a character whose last bytes are in the next block is left for that
        block.
        """
        try:
            text = codecs.getincrementaldecoder(self.codec)().decode(data, is_end)
        except UnicodeDecodeError as raised:
            raise error(mq.PSRC_FLOW_RECORD, f"no text in {self.codec}: {raised.reason}") from raised
        scanned = text.encode("utf-8", "surrogatepass")
        found = self._length(scanned, is_end, UTF8)
        if not found:
            return found
        if scanned.startswith(self.behind, found):
            found += len(self.behind)
        return len(scanned[:found].decode("utf-8", "surrogatepass").encode(self.codec))

    def _length(self, data: bytes, is_end: bool, ccsid: int) -> int | None:
        try:
            parse(data, self.domain, ccsid=ccsid, **self.how)
        except FormatError as raised:
            if raised.fields.get("left_over") and (
                is_end or raised.fields.get("sure", True)
            ):  # further records
                return int(raised.fields["offset"])
            if is_end:
                raise error(mq.PSRC_FLOW_RECORD, raised.detail) from raised
            return None
        return len(data) if is_end else None  # what follows may belong to a last field that repeats


class _Found(Exception):
    """Stops the parser at the end of the root element."""


def xml_length(data: bytes, is_end: bool) -> int | None:
    """Return the length of the first document; None if it is incomplete.

    For character sets in which XML markup is single ASCII bytes.
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
        raise error(mq.PSRC_FLOW_RECORD, "a document type is refused")

    parser.StartElementHandler, parser.EndElementHandler = begin, close
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, False)
    except _Found:
        if data.startswith(b"</", end):  # an empty element has been passed already
            end = data.index(b">", end) + 1
        return end
    except expat.ExpatError as raised:
        raise error(mq.PSRC_FLOW_RECORD, f"no XML: {raised}") from raised
    return None


def json_length(data: bytes, is_end: bool) -> int | None:
    """Return the length of the first value; None if it is incomplete."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as raised:
        if is_end or len(data) - raised.start > 3:
            raise error(mq.PSRC_FLOW_RECORD, "no UTF-8") from raised
        text = data[: raised.start].decode("utf-8")
    try:
        _, end = _JSON.raw_decode(text)
    except RecursionError as raised:
        raise error(mq.PSRC_FLOW_RECORD, "JSON with too many values within each other") from raised
    except json.JSONDecodeError as raised:
        if is_end:
            raise error(mq.PSRC_FLOW_RECORD, f"no JSON: {raised}") from raised
        return None
    stop = len(text[:end].encode())
    if stop == len(data) and not is_end and text[0] not in '{["':
        return None  # a number may go on
    return stop
