"""FileRead: reads a record of a file, or all of it, in the middle of a flow; the file is not changed.

The record is the first for which `select` is true, an ESQL expression on the record (`Root`); without
`select` it is the first. Reading starts at LocalEnvironment.Destination.File.Offset, which a flow may set
from File.Read.NextRecordOffset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.compiler.compile import compile_expression
from penstock.esql.reach import text_reads_context
from penstock.flow.database_work import Statements
from penstock.flow.files.writing import place_for
from penstock.flow.kinds import Kind
from penstock.flow.locations import Location, location
from penstock.flow.new_messages import without_body
from penstock.flow.node import FAILURE, KW_ONLY, OUT
from penstock.flow.nodes.record_properties import FileRecords
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Message, Path

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path as FilePath

    from penstock.flow.assembly import Assembly
    from penstock.flow.files.records import Record
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.project import Project

NO_MATCH, END_OF_DATA = "noMatch", "endOfData"
_DIRECTORY, _NAME, _OFFSET = (Path("Destination", "File", each) for each in ("Directory", "Name", "Offset"))
_READ = Path("File", "Read")


class FileRead(FileRecords):
    """Reads: `FileRead("tables", "rates.csv", records="delimited", select="Root.XMLNSC.Rate.Code = 'EUR'")`.

    The record becomes the output message, or is stored at `result_location` of the input message.
    """

    outputs = (OUT, NO_MATCH, END_OF_DATA, FAILURE)
    kind = Kind.READS

    directory: str
    filename: str = ""
    _: KW_ONLY
    select: str = ""
    result_location: str = ""

    def check(self) -> Iterable[str]:
        yield from super().check()
        if not self.directory:
            yield "a FileRead needs its directory"

    def reads_context(self, project: Project) -> bool:
        return text_reads_context(self.select)

    def start(self, at: NodeContext) -> Process:
        return _Reading(self, at).process


class _Reading:
    def __init__(self, node: FileRead, at: NodeContext) -> None:
        self.node = node
        self.at = at
        self.folder = at.instance.project.folder / node.directory
        self.model: Any = node.model_in(at.instance.project)
        self.records = node.records_with(self.model)
        self.target = location(node.result_location) if node.result_location else None
        self.statements = Statements(at, "")
        self.select = compile_expression(node.select, at.label).module("Expression") if node.select else None

    def process(self, assembly: Assembly) -> None:
        local = assembly.local_environment
        name = _said(local.get(_NAME)) or self.node.filename
        path = place_for(self.folder, name, _said(local.get(_DIRECTORY)))
        offset = local.get(_OFFSET)
        start = int(offset) if offset is not MISSING and offset is not None else 0
        found, seen = self._find(path, start, assembly)
        if found is None:
            self.at.send(NO_MATCH if seen else END_OF_DATA, assembly)
        else:
            self.at.send(OUT, self._filled(assembly, path, *found))

    def _find(
        self, path: FilePath, start: int, assembly: Assembly
    ) -> tuple[tuple[Record, Message] | None, bool]:
        """Return the selected record, and whether there was any record."""
        seen = False
        try:
            with path.open("rb") as file:
                for record in self.records.read(file, start):
                    seen = True
                    message = self._message(record.data, Message())
                    if self.select is None or self._selected(assembly.sending(message=message)):
                        return (record, message), seen
        except OSError as raised:
            raise error(mq.PSRC_FLOW_FILE, f"{path}: {raised.strerror}") from raised
        return None, seen

    def _selected(self, assembly: Assembly) -> bool:
        assert self.select is not None
        return self.select.run(self.statements.context(assembly)) is True

    def _filled(self, assembly: Assembly, path: FilePath, record: Record, message: Message) -> Assembly:
        local = assembly.copied_local_environment()
        about = local.create(_READ)
        about.delete_children()
        for name, value in (
            ("Directory", str(path.parent)),
            ("Name", path.name),
            ("Offset", record.start),
            ("NextRecordOffset", record.end),
        ):
            about.add_last_child(name, value)
        if self.target is None:
            made = self._message(record.data, without_body(assembly.message))
            return assembly.sending(made, local)
        sent = assembly.sending(assembly.message.copy(), local)
        self._put(self.target, sent, message)
        return sent

    def _put(self, target: Location, sent: Assembly, message: Message) -> None:
        body = message.body
        assert body is not None
        place = target.create_in(sent)
        place.delete_children()
        place.assign(body)

    def _message(self, data: bytes, base: Message) -> Message:
        node = self.node
        return node.arrived(data, self.model, ccsid=node.ccsid, encoding=node.encoding, base=base)


def _said(value: Any) -> str:
    return "" if value is MISSING or value is None else str(value)
