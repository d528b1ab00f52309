"""FileInput: a flow that starts with the records of files. `running.file_listener` drives it.

Each record is a message in its own unit of work; `EOD` gets an empty message after the last. No record is
lost; after a crash the current one may be processed again (`files.claims` explains why).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from penstock.flow.files.claims import ACTIONS, DELETE
from penstock.flow.files.record_lengths import json_length, measure_for, xml_length
from penstock.flow.files.records import FIXED, KINDS, LINE_END, PARSED, WHOLE, Records
from penstock.flow.kinds import Kind
from penstock.flow.node import CATCH, FAILURE, OUT, InputNode
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.model.ccsid import codec
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.nodes.file_read import FileRead
    from penstock.flow.running.listener import Listener

EOD = "EOD"


@dataclass(eq=False, repr=False)
class FileInput(BodyProperties, InputNode):
    """Reads files: `FileInput("in", "*.csv", records="delimited")`.

    `delimiter` is "line" or bytes in hexadecimal; `processed` says what happens to a file that was read:
    delete, archive, timestampAndArchive. If a record fails `retries` + 1 times, its file is moved to
    `mqsibackout`. Files younger than `least_age` seconds are ignored: they may still be written.
    """

    outputs = (OUT, EOD, FAILURE, CATCH)
    kind = Kind.EFFECT

    directory: str
    pattern: str = "*"
    _: KW_ONLY
    records: str = WHOLE
    length: int = 80
    delimiter: str = LINE_END
    infix: bool = False
    processed: str = DELETE
    polling: float = 5.0
    least_age: float = 0.0
    retries: int = 0
    ccsid: int = 1208
    encoding: int = 546
    name: str = ""

    def check(self) -> Iterable[str]:
        yield from check_records(self.records, self.length, self.delimiter)
        if not self.directory:
            yield "a FileInput needs its directory"
        if "/" in self.pattern:
            yield f"pattern {self.pattern!r} is for names, not for paths"
        yield from self.wrong_choices(processed=ACTIONS)
        if self.polling <= 0:
            yield "polling has to be more than 0 seconds"
        if self.least_age < 0 or self.retries < 0:
            yield "least_age and retries cannot be negative"
        yield from check_ccsid(self.ccsid)

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.file_listener import FileListener

        return FileListener(self, flow, label, connect(), **options)


def check_records(kind: str, length: int, delimiter: str) -> Iterable[str]:
    """Return the mistakes in a definition of records."""
    if kind not in KINDS:
        yield f"records {kind!r} is not one of {', '.join(KINDS)}"
    if kind == FIXED and length < 1:
        yield "records of a fixed length need one of at least 1"
    if delimiter != LINE_END:
        try:
            if not bytes.fromhex(delimiter):
                yield "a delimiter has at least one byte"
        except ValueError:
            yield f"delimiter {delimiter!r} is neither line nor bytes in hexadecimal"


def check_ccsid(ccsid: int) -> Iterable[str]:
    """Return the mistakes in the character set of records."""
    try:
        codec(ccsid)
    except MQError:
        yield f"ccsid {ccsid} is not known here"


def records_of(node: FileInput | FileRead, model: object) -> Records:
    """Return how to find records, from the properties of a node."""
    mark = LINE_END if node.delimiter == LINE_END else bytes.fromhex(node.delimiter)
    found = Records(node.records, node.length, mark, node.infix)
    if node.records != PARSED:
        return found
    measure = measure_for(node, model)
    return found._replace(measure=measure, space_between=measure in (json_length, xml_length))
