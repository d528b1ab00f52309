"""FileOutput: writes messages to files, whole or record by record; `finish` completes a file of records.

`LocalEnvironment.Destination.File`, or the locations that the node names, may have the directory (below the
node's, if it has one and not `outside`) and the name. Finished files appear atomically. A file is not part of
the unit of work (`files.writing` explains what a second attempt does).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from penstock.flow.files import writing as file_writing
from penstock.flow.files.records import DELIMITED, FIXED, LINE_END, WHOLE
from penstock.flow.files.writing import APPEND, MODES, REPLACE, place_for
from penstock.flow.kinds import Kind
from penstock.flow.locations import location
from penstock.flow.new_messages import body_of
from penstock.flow.node import FAILURE, IN, KW_ONLY, OUT
from penstock.flow.nodes.file_input import EOD
from penstock.flow.nodes.record_properties import RecordProperties
from penstock.flow.writing import noted
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path as FilePath

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.locations import Location
    from penstock.flow.node import Process

FINISH = "finish"
UNMODIFIED = "unmodified"
KINDS = (WHOLE, UNMODIFIED, FIXED, DELIMITED)
DIRECTORY, NAME = "LocalEnvironment.Destination.File.Directory", "LocalEnvironment.Destination.File.Name"


class FileOutput(RecordProperties):
    """Writes files: `FileOutput("out", "a.xml")`, `FileOutput("out", "day.csv", records="delimited")`."""

    inputs = (IN, FINISH)
    outputs = (OUT, EOD, FAILURE)
    kind = Kind.EFFECT
    record_kinds = KINDS

    directory: str = ""
    filename: str = ""
    _: KW_ONLY
    padding: str = "20"
    mode: str = REPLACE
    directory_location: str = DIRECTORY
    name_location: str = NAME
    outside: bool = False

    def check(self) -> Iterable[str]:
        yield from super().check()
        yield from self.wrong_choices(mode=MODES)
        for text in (self.directory_location, self.name_location):
            try:
                location(text)
            except MQError as raised:
                yield raised.detail
        if not re.fullmatch("[0-9A-Fa-f]{2}", self.padding):
            yield f"padding {self.padding!r} is not one byte in hexadecimal"

    def start(self, at: NodeContext) -> Mapping[str, Process]:
        project = at.instance.project.folder
        places = location(self.directory_location), location(self.name_location)

        def write(assembly: Assembly) -> None:
            path = self._place(project, places, assembly)
            self._write(path, body_of(assembly.message))
            at.send(OUT, _noted(assembly, path, "Write"))

        def finish(assembly: Assembly) -> None:
            path = self._place(project, places, assembly)
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

    def _place(self, project: FilePath, places: tuple[Location, Location], assembly: Assembly) -> FilePath:
        directory, name = (_text(each.read(assembly)) for each in places)
        if not directory and not self.directory:
            raise error(
                mq.PSRC_FLOW_FILE, f"neither the node nor {self.directory_location} names a directory"
            )
        name = name or self.filename
        if directory and (self.outside or not self.directory):
            return place_for(project / self.directory / directory, name)
        return place_for(project / self.directory, name, directory)


def _noted(assembly: Assembly, path: FilePath, action: str) -> Assembly:
    written = [{"Directory": str(path.parent), "Name": path.name, "Action": action}]
    return assembly.sending(local_environment=noted(assembly, "File", written))


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()
