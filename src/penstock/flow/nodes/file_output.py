"""FileOutput: writes messages to files, whole or record by record; `finish` completes a file of records.

`LocalEnvironment.Destination.File` may name Directory (below the node's) and Name. Finished files appear
atomically. A file is not part of the unit of work (`files.writing` explains what a second attempt does).
"""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from penstock.flow.files import writing as file_writing
from penstock.flow.files.records import DELIMITED, FIXED, LINE_END, WHOLE
from penstock.flow.files.writing import APPEND, MODES, REPLACE, place_for
from penstock.flow.kinds import Kind
from penstock.flow.new_messages import body_of
from penstock.flow.node import FAILURE, IN, OUT, Node
from penstock.flow.nodes.file_input import EOD, check_records
from penstock.flow.writing import noted
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path as FilePath

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

FINISH = "finish"
UNMODIFIED = "unmodified"
KINDS = (WHOLE, UNMODIFIED, FIXED, DELIMITED)
_DIRECTORY, _NAME = Path("Destination", "File", "Directory"), Path("Destination", "File", "Name")


@dataclass(eq=False, repr=False)
class FileOutput(Node):
    """Writes files: `FileOutput("out", "a.xml")`, `FileOutput("out", "day.csv", records="delimited")`."""

    inputs = (IN, FINISH)
    outputs = (OUT, EOD, FAILURE)
    kind = Kind.EFFECT

    directory: str
    filename: str = ""
    _: KW_ONLY
    records: str = WHOLE
    length: int = 80
    padding: str = "20"
    delimiter: str = LINE_END
    mode: str = REPLACE
    name: str = ""

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(records=KINDS)
        if self.records in KINDS:
            known = DELIMITED if self.records == UNMODIFIED else self.records
            yield from check_records(known, self.length, self.delimiter)
        yield from self.wrong_choices(mode=MODES)
        if not self.directory:
            yield "a FileOutput needs its directory"
        if not re.fullmatch("[0-9A-Fa-f]{2}", self.padding):
            yield f"padding {self.padding!r} is not one byte in hexadecimal"

    def start(self, at: NodeContext) -> Mapping[str, Process]:
        folder = at.instance.project.folder / self.directory

        def write(assembly: Assembly) -> None:
            path = self._place(folder, assembly)
            self._write(path, body_of(assembly.message))
            at.send(OUT, _noted(assembly, path, "Write"))

        def finish(assembly: Assembly) -> None:
            path = self._place(folder, assembly)
            if self.mode != APPEND:
                file_writing.finish(path, self.mode)
            at.send(EOD, _noted(assembly, path, "Finish"))

        return {IN: write, FINISH: finish}

    def _write(self, path: FilePath, data: bytes) -> None:
        if self.records == WHOLE:
            file_writing.write_whole(path, data, self.mode)
        elif self.mode == APPEND:
            file_writing.append(path, self._record(data))
        else:
            file_writing.append_in_transit(path, self._record(data))

    def _record(self, data: bytes) -> bytes:
        if self.records == DELIMITED:
            return data + (b"\n" if self.delimiter == LINE_END else bytes.fromhex(self.delimiter))
        if self.records == FIXED:
            if len(data) > self.length:
                what = f"a message of {len(data)} bytes does not fit into a record of {self.length}"
                raise error(mq.PSRC_FLOW_RECORD, what)
            return data.ljust(self.length, bytes.fromhex(self.padding))
        return data

    def _place(self, folder: FilePath, assembly: Assembly) -> FilePath:
        local = assembly.local_environment if assembly.has_local_environment else None
        said = [_text(local.get(path)) if local is not None else "" for path in (_DIRECTORY, _NAME)]
        return place_for(folder, said[1] or self.filename, said[0])


def _noted(assembly: Assembly, path: FilePath, action: str) -> Assembly:
    written = [{"Directory": str(path.parent), "Name": path.name, "Action": action}]
    return assembly.sending(local_environment=noted(assembly, "File", written))


def _text(value: Any) -> str:
    return "" if value is MISSING or value is None else str(value)
