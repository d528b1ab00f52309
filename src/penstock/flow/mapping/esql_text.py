"""Turns a map into the text of an ESQL module: `esql_of(map)`.

Paths of the target are ours (`Order.Line`, `{uri}name`, `@id`), so their names are quoted; values are the
author's ESQL, used unchanged and checked by the ESQL compiler. A loop has its own reference to the target, so
that repeated fields are appended and not searched for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.flow.locations import path_step, split_path
from penstock.flow.mapping.definition import SOURCE, Each, Field, Fields, Map, Rows
from penstock.flow.mapping.sources import source_paths
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.tree import Step

MODULE = "Map"
ROUTINE = "penstock.map."
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_XML = ("XMLNSC", "XMLNS", "XML", "SOAP")


def esql_of(map: Map) -> tuple[str, dict[str, Callable[..., object]]]:
    """Return the module of a map, and the Python functions that it calls by their EXTERNAL names."""
    writer = _Writer(map)
    body = list(writer.fields(map, writer.root))
    lines = [
        *writer.routines(),
        f"CREATE COMPUTE MODULE {MODULE}",
        "  CREATE FUNCTION Main() RETURNS BOOLEAN",
        "  BEGIN",
        *(f"    {line}" for line in writer.namespaces()),
        f"    DECLARE {SOURCE} REFERENCE TO InputBody;",
        *(f"    {line}" for line in body),
        *(f"    {line}" for line in _has_sources(map)),
        "  END;",
        "END MODULE;",
    ]
    return "\n".join(lines) + "\n", writer.functions


class _Writer:
    def __init__(self, map: Map) -> None:
        self.domain = map.domain
        self.root = f'OutputRoot."{map.domain}"'
        self.count = 0
        self.uris: dict[str, str] = {}
        self.functions: dict[str, Callable[..., object]] = {}
        self.calls: list[Field] = []

    def fields(self, fields: Fields, target: str) -> Iterator[str]:
        for entry in fields.entries:
            if isinstance(entry, Field):
                yield from self.field(entry, target)
            elif isinstance(entry, Each):
                yield from self.each(entry, target)
            else:
                yield from self.rows(entry, target)

    def field(self, entry: Field, target: str) -> Iterator[str]:
        value = self.call(entry) if entry.function is not None else entry.value
        conditions = [f"({value}) IS NOT NULL"] if entry.skip_null else []
        conditions += [f"({entry.when})"] if entry.when else []
        statement = f"SET {target}.{self.path(entry.to)} = {value};"
        if conditions:
            yield f"IF {' AND '.join(reversed(conditions))} THEN {statement} END IF;"
        else:
            yield statement

    def each(self, entry: Each, target: str) -> Iterator[str]:
        listed = entry.of if entry.of.endswith("[]") else f"{entry.of}[]"
        yield f"FOR {_variable(entry.variable)} AS {listed} DO"
        yield from self.one(entry, entry.to, target, entry.when)
        yield "END FOR;"

    def rows(self, entry: Rows, target: str) -> Iterator[str]:
        self.count += 1
        kept, name = f"rows{self.count}", _variable(entry.variable)
        where = f" WHERE {entry.where}" if entry.where else ""
        yield f"DECLARE {kept} ROW;"
        yield f"SET {kept}.r[] = SELECT {name}.* FROM {entry.table} AS {name}{where};"
        yield f"FOR {name} AS {kept}.r[] DO"
        yield from self.one(entry, entry.to, target, "")
        yield "END FOR;"

    def one(self, fields: Fields, to: str, target: str, when: str) -> Iterator[str]:
        """One iteration of a loop: a new field, and its contents."""
        self.count += 1
        place = f"target{self.count}"
        *parents, last = split_path(to)
        parent = ".".join([target, *(self.step(each) for each in parents)])
        if when:
            yield f"  IF {when} THEN"
        if parents:
            yield f"  CREATE FIELD {parent};"
        step = path_step(last)
        space = f" NAMESPACE {self.namespace(step.namespace)}" if step.namespace else ""
        yield f"  DECLARE {place} REFERENCE TO {parent};"
        yield f"  CREATE LASTCHILD OF {parent} AS {place}{space} NAME {_text(step.name or '')};"
        yield from (f"  {line}" for line in self.fields(fields, place))
        if when:
            yield "  END IF;"

    def call(self, entry: Field) -> str:
        assert entry.function is not None
        name = f"mapped{len(self.calls) + 1}"
        self.calls.append(entry)
        self.functions[f"{ROUTINE}{name}"] = entry.function
        return f"{name}({', '.join(entry.arguments)})"

    def routines(self) -> Iterator[str]:
        for number, entry in enumerate(self.calls, 1):
            names = ", ".join(f"IN p{n} CHARACTER" for n in range(1, len(entry.arguments) + 1))
            yield f"CREATE FUNCTION mapped{number}({names}) RETURNS {entry.returns}"
            yield f'  LANGUAGE PYTHON EXTERNAL NAME "{ROUTINE}mapped{number}";'

    def namespaces(self) -> Iterator[str]:
        for uri, name in self.uris.items():
            yield f"DECLARE {name} NAMESPACE {_text(uri)};"

    def path(self, text: str) -> str:
        return ".".join(self.step(each) for each in split_path(text))

    def step(self, text: str) -> str:
        step = path_step(text)
        space = f"{self.namespace(step.namespace)}:" if step.namespace else ""
        index = f"[{step.index}]" if step.index is not None else ""
        return f"{self._type(step)}{space}{_quoted(step.name or '')}{index}"

    def _type(self, step: Step) -> str:
        if not step.attribute:
            return ""
        if self.domain not in _XML:
            raise error(mq.PSRC_FLOW_GRAPH, f"@{step.name}: {self.domain} has no attributes")
        return f"({self.domain if self.domain != 'SOAP' else 'XMLNSC'}.Attribute)"

    def namespace(self, uri: str | None) -> str:
        return self.uris.setdefault(uri or "", f"space{len(self.uris) + 1}")


def _variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise error(mq.PSRC_FLOW_GRAPH, f"{name!r} is no name of a variable")
    return name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _has_sources(map: Map) -> Iterator[str]:
    """Yield the end of Main: FALSE for a message that has none of the fields that the map reads."""
    paths = source_paths(map)
    for path in paths:
        yield f"IF FIELDTYPE({path}) IS NOT NULL THEN RETURN TRUE; END IF;"
    yield f"RETURN {'FALSE' if paths else 'TRUE'};"
