"""The properties of nodes that read or write records: in files and in TCP connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.files.record_lengths import json_length, measure_for, xml_length
from penstock.flow.files.records import FIXED, KINDS, LINE_END, PARSED, WHOLE, Records
from penstock.flow.node import KW_ONLY, Node
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.model.ccsid import codec
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterable


class RecordProperties(Node):
    """Where a record ends; `delimiter` is "line" or bytes in hexadecimal."""

    record_kinds: ClassVar[tuple[str, ...]] = KINDS

    _: KW_ONLY
    records: str = WHOLE
    length: int = 80
    delimiter: str = LINE_END

    def check(self) -> Iterable[str]:
        yield from super().check()
        yield from self.wrong_choices(records=self.record_kinds)
        if self.records == FIXED and self.length < 1:
            yield "records of a fixed length need one of at least 1"
        if self.delimiter != LINE_END:
            try:
                if not bytes.fromhex(self.delimiter):
                    yield "a delimiter has at least one byte"
            except ValueError:
                yield f"delimiter {self.delimiter!r} is neither line nor bytes in hexadecimal"


class FileRecords(RecordProperties, BodyProperties):
    """Records of a file, their character set and the encoding of their numbers."""

    _: KW_ONLY
    infix: bool = False
    ccsid: int = 1208
    encoding: int = 546

    def check(self) -> Iterable[str]:
        yield from super().check()
        try:
            codec(self.ccsid)
        except MQError:
            yield f"ccsid {self.ccsid} is not known here"

    def records_with(self, model: object) -> Records:
        """Return how to find the records."""
        mark = LINE_END if self.delimiter == LINE_END else bytes.fromhex(self.delimiter)
        found = Records(self.records, self.length, mark, self.infix)
        if self.records != PARSED:
            return found
        measure = measure_for(self, model)
        return found._replace(measure=measure, space_between=measure in (json_length, xml_length))
