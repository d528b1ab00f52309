"""Mapping: creates a message from another's fields, by a map in Python, YAML or a `.map` file.

A map in Python or YAML becomes an ESQL module when the node starts (`mapping.esql_text`); headers of the
input are kept unless it disables that, and it writes to no table. A `.map` file runs as it is
(`mapping.graphical`).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.source import Source
from penstock.flow.database_work import Statements
from penstock.flow.kinds import Kind
from penstock.flow.mapping.definition import Fields, Map, Rows
from penstock.flow.mapping.esql_text import MODULE, esql_of
from penstock.flow.mapping.sources import absent_in_json, absent_in_models, source_paths
from penstock.flow.mapping.yaml_map import read_map
from penstock.flow.new_messages import MODELLED, without_body
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree import Message, Path

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path as FilePath

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.project import Project

_SET, _TYPE, _FORMAT, _CCSID, _ENCODING = (
    Path("Properties", each)
    for each in ("MessageSet", "MessageType", "MessageFormat", "CodedCharSetId", "Encoding")
)

FAIL, LOG = "fail", "log"
JSON = "JSON"
BELOW_DATA = "the fields of a JSON body are in source.Data"


class Mapping(Node):
    """Maps: `Mapping("maps/order.yaml")`, `Mapping("order.map")`, or `Mapping(map)` with a `Map`.

    `sources_missing` applies to a message that has none of the fields that the map reads: it fails
    (8336), or is mapped and logged.
    """

    map: str | Map
    _: KW_ONLY
    data_source: str = ""
    sources_missing: str = FAIL

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """A map with tables looks things up."""
        tables = isinstance(self.map, Map) and _has_rows(self.map)
        return Kind.READS if tables or self.data_source else Kind.PURE

    def reach(self, project: Project) -> Kind:
        if not self._is_graphical:
            return self.kind
        map = project.graphical_map(self._name(project))
        if map.changes_tables or map.uses_cache or map.calls_esql:
            return Kind.EFFECT
        return Kind.READS if map.uses_tables else self.kind

    def missing(self, project: Project) -> Iterable[str]:
        if self._is_graphical:
            try:
                project.graphical_map(self._name(project))
            except MQError as raised:
                yield raised.detail

    @property
    def _is_graphical(self) -> bool:
        return isinstance(self.map, str) and (self.map.endswith(".map") or self.map.startswith("msl://"))

    def _name(self, project: Project) -> str:
        return str(self._path(str(self.map), project.folder).relative_to(project.folder))

    def check(self) -> Iterable[str]:
        if not self.map:
            yield "a Mapping needs a map"
        yield from self.wrong_choices(sources_missing=(FAIL, LOG))

    def doubts(self, project: Project, inputs: list[Node]) -> Iterable[str]:
        """Find sources that no message from the inputs has, by their models or domain."""
        if not inputs or not self.map or self._is_graphical:
            return
        map = self.map if isinstance(self.map, Map) else self._read(self.map, project.folder)
        for path in absent_in_models(map, inputs, project):
            yield f"the map reads {path}, which no message of the input's model has"
        if all(node.properties().get("domain") == JSON for node in inputs):
            for path in absent_in_json(map):
                yield f"the map reads {path}, but {BELOW_DATA}"

    def start(self, at: NodeContext) -> Process:
        if self._is_graphical:
            return self._graphical(at)
        folder = at.instance.project.folder
        map = self.map if isinstance(self.map, Map) else self._read(self.map, folder)
        text, functions = esql_of(map)
        module = compile_sources([Source(f"{at.label}.map.esql", text)]).module(MODULE)
        at.deployment.routines.update(functions)
        statements = Statements(at, self.data_source)
        making = _Making(map, at)
        onward = at.wire(OUT)

        def process(assembly: Assembly) -> None:
            output = making.output(assembly.message)
            if module.run(statements.context(assembly, output=output)) is False:
                self._say_missing(assembly, at, map)
            if onward is not None:
                onward(assembly.sending(message=output))

        return process

    def _graphical(self, at: NodeContext) -> Process:
        map = at.instance.project.graphical_map(self._name(at.instance.project))
        statements, onward = Statements(at, self.data_source), at.wire(OUT)

        def process(assembly: Assembly) -> None:
            made = map.run(assembly, at, statements.context(assembly), self.data_source)
            if onward is not None:
                onward(made)

        return process

    def _say_missing(self, assembly: Assembly, at: NodeContext, map: Map) -> None:
        """Fail, or log that a message has none of the fields that the map reads."""
        what = f"the message has none of the fields that map {map.name} reads: {', '.join(source_paths(map))}"
        if assembly.message.domain == JSON and absent_in_json(map):
            what += f" ({BELOW_DATA})"
        if self.sources_missing == FAIL:
            raise error(mq.PSRC_FLOW_MAPPING, what)
        assembly.invocation.ports.log(at.label, what, logging.WARNING)

    def _read(self, file: str, folder: FilePath) -> Map:
        path = self._path(file, folder)
        if not path.is_file():
            raise error(mq.PSRC_FLOW_PROJECT, f"there is no map {path}")
        return read_map(path.read_text(), path.name)

    def _path(self, file: str, folder: FilePath) -> FilePath:
        """Return the path of a map: a path, or an address in a flow file: `msl://{default}#Name`."""
        if not file.startswith("msl://"):
            return folder / file
        name = f"{file.partition('#')[2]}.map"
        return next(iter(sorted(folder.rglob(name))), folder / name)


class _Making:
    """Makes the empty message that a map fills."""

    def __init__(self, map: Map, at: NodeContext) -> None:
        self.map = map
        self.model: Any = at.instance.project.model(map.model) if map.model else None

    def output(self, source: Message) -> Message:
        map = self.map
        output = without_body(source) if map.headers else Message()
        output.body_as(map.domain, self.model, message=map.message or None, format=map.format or None)
        if map.headers and (map.model or source.domain in MODELLED):
            for path, value in ((_SET, map.model), (_TYPE, map.message), (_FORMAT, map.format)):
                output.set(path, value)
        if map.headers:
            for path, number in ((_CCSID, map.ccsid), (_ENCODING, map.encoding)):
                if number:
                    output.set(path, number)
        return output


def _has_rows(fields: Fields) -> bool:
    return any(
        isinstance(each, Rows) or (isinstance(each, Fields) and _has_rows(each)) for each in fields.entries
    )
