"""Reads a `.map` file: declarations of messages and tables, then the transforms. `GraphicalMap` runs it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.importer.xml_reading import read_xml
from penstock.flow.mapping.graphical.database import Statement, Table, statement_of, table_of
from penstock.flow.mapping.graphical.places import AssemblyPlace
from penstock.flow.mapping.graphical.problem import CannotMap
from penstock.flow.mapping.graphical.running import Run
from penstock.flow.mapping.graphical.schema import Schemas
from penstock.flow.mapping.graphical.targets import DOMAINS, MapResult, Spot
from penstock.flow.mapping.graphical.transforms import Compiler, steps_of
from penstock.flow.mapping.graphical.xpath import EsqlFunction
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.importer.xml_reading import Element
    from penstock.flow.mapping.graphical.values import Sequence
    from penstock.tree import Reference

NAMESPACE = "http://www.ibm.com/2008/ccl/Mapping}"
SUBMAPS_MAX = 50
_ESQL = ".esql"
_OURS = ("fn", "xs", "iib", "db", "mb", "")  # prefixes of functions that are not Java
_MESSAGE = re.compile(r"mb:msg\(([^)]*)\)")
_ENVIRONMENT = re.compile(r"mb:env\(([^)]*)\)")
_JSON_ARRAY = "JSONArray"
_MODELLED = ("DFDL", "MRM")


@dataclass
class TargetMessage:
    """The message that a map makes."""

    domain: str
    schemas: Schemas
    root: str = ""
    model: Any = None
    arrays: set[tuple[str, ...]] = field(default_factory=set)
    properties: dict[str, str] = field(default_factory=dict)

    def place_of_root(self, body: Reference, name: str) -> Reference | None:
        """Return the body itself where the domain's tree has no element for the message."""
        return body if self.domain == "MRM" and name == self.root else None


def not_found(path: Path, name: str) -> Callable[..., Any]:
    """Refuse a routine: nobody has given a project."""
    raise CannotMap(f"there is no ESQL routine {name} of {path.name}")


class MapSurroundings(NamedTuple):
    """What a map needs of its project: files by name, functions in place of Java, models by path."""

    find: Callable[[str], Path | None]
    function: Callable[[str, str], Any] = lambda _class, _name: None
    model: Callable[[Path], tuple[str, Any]] = lambda path: (path.name, None)
    routine: Callable[[Path, str], Callable[..., Any]] = not_found


class Declarations:
    """The inputs, outputs, statements and functions that the transforms of a map may name."""

    def __init__(
        self, root: Element, name: str, project: MapSurroundings, within: tuple[str, ...] = ()
    ) -> None:
        self.root, self.name, self.project, self.within = root, name, project, within
        self.schemas = Schemas(lambda each: _schema_file(each, project))
        self.files: dict[str, Path] = {}
        self.prefixes = {each.get("prefix"): each.get("uri") for each in root.below("namespace")}
        self.tables: dict[str, Table] = {}
        self.statements: dict[str, Statement] = {}
        self.custom: dict[str, Any] = {}
        self.inputs: list[tuple[str, str]] = []  # variable and kind: assembly, environment, part
        self.targets: dict[str, tuple[str, ...]] = {}  # variable of an output -> its steps below the root
        self.output: TargetMessage | None = None
        declaration = root.first("mappingDeclaration")
        if root.tag != f"{NAMESPACE}mappingRoot" or declaration is None:
            raise error(mq.PSRC_FLOW_PROJECT, f"{name} is no .map file")
        self.declaration = declaration
        self._files()
        self._functions()
        self._inputs()
        self._outputs()

    # -- what the file begins with ---------------------------------------------------------

    def _files(self) -> None:
        for each in self.root.all("inlinedXMLSchema"):
            self.schemas.add_text(each.text)
        for each in [*self.root.all("output"), *self.root.all("input")]:
            table = table_of(each.get("path"))
            if table is not None:
                self.tables[each.get("var")] = table
            elif each.get("path").endswith((".xsd", ".wsdl", ".mxsd")):
                found = self.schemas.add_file(each.get("path"))
                if found is not None:
                    self.files[each.get("var") or each.local] = found

    def _functions(self) -> None:
        """Find functions in place of the Java classes that a map imports."""
        for reference, class_, function in java_functions(self.root):
            found = self.project.function(class_, function)
            if found is None:
                raise CannotMap(f"function {reference} is Java: write {function} in the project's python/")
            self.custom[reference] = found
        for reference, file, function in esql_functions(self.root):
            path = self.project.find(file)
            if path is None:
                raise CannotMap(f"there is no {file} with function {reference}")
            self.custom[reference] = EsqlFunction(self.project.routine(path, function))

    def _inputs(self) -> None:
        for each in [*self.declaration.below("input"), *self.declaration.below("output")]:
            statement = statement_of(each.get("path"), self.tables)
            if statement is not None:
                self.statements[each.get("var")] = statement
        for each in self.declaration.all("input"):
            path, variable = each.get("path"), each.get("var")
            if variable in self.statements:
                continue
            if _MESSAGE.search(path):
                self.inputs.append((variable, "assembly"))
            elif _ENVIRONMENT.search(path):
                self.inputs.append((variable, "environment"))
            else:
                self.inputs.append((variable, "part"))

    def _outputs(self) -> None:
        for each in self.declaration.all("output"):
            path, variable = each.get("path"), each.get("var")
            if variable in self.statements:
                continue
            if _ENVIRONMENT.search(path):
                self.targets[variable] = ("Environment",)
            else:
                self.targets[variable] = ()
                if self.output is None:
                    self.output = self._message(each)
        if self.output is None:
            self.output = TargetMessage("", self.schemas)

    def _message(self, each: Element) -> TargetMessage:
        found = _MESSAGE.search(each.get("path"))
        if found is None:  # of a submap: the caller's message
            return TargetMessage("", self.schemas)
        words = [word.strip() for word in found.group(1).split(",")]
        variable = each.get("path").partition("/")[0].removeprefix("$")
        file = self.files.get(variable) or self.files.get("output")
        domain = next((word for word in words if word in DOMAINS), "")
        if not domain:
            domain = "DFDL" if file is not None and file.name in self.schemas.has_dfdl else "XMLNSC"
        made = TargetMessage(domain, self.schemas, words[0])
        if domain in _MODELLED:
            if file is None:
                raise CannotMap(f"there is no schema for the output in {domain}")
            name, made.model = self.project.model(file)
            made.properties = {"MessageSet": name, "MessageType": words[0]}
        for cast in each.all("cast"):
            if cast.get("qualifier").endswith(_JSON_ARRAY):
                made.arrays.add(self._cast_steps(cast))
        return made

    def _cast_steps(self, cast: Element) -> tuple[str, ...]:
        variable, _, path = cast.get("path").partition("/")
        steps = steps_of(path if variable.startswith("$") else cast.get("path"))
        return tuple(each for each in steps if each != "any")

    # -- for the transforms ----------------------------------------------------------------

    def target_steps(self, path: str) -> tuple[bool, tuple[str, ...]]:
        """Return whether an output path begins at the root of the output, and its steps."""
        if not path.startswith("$"):
            return False, steps_of(path, self.prefixes)
        variable, _, below = path[1:].partition("/")
        known = self.targets.get(variable)
        if known is None:
            if variable in self.statements or self._is_returned(variable):
                return False, ()
            raise CannotMap(f"${variable} is no output of the map")
        return not self.is_submap, (*known, *steps_of(below, self.prefixes))

    @cached_property
    def inner_targets(self) -> frozenset[str]:
        """The variables of outputs inside the map's transforms."""
        found = {each.get("var") for each in self.declaration.below("output")}
        return frozenset(found - self.targets.keys() - self.statements.keys() - {""})

    def _is_returned(self, variable: str) -> bool:
        return any(each.get("var") == variable for each in self.root.all("output"))

    @property
    def is_submap(self) -> bool:
        """Whether another map calls it."""
        return bool(self.within)

    def statement(self, name: str) -> Statement:
        """Return a database statement by the name of its variable."""
        found = self.statements.get(name)
        if found is None:
            raise CannotMap(f"statement {name} is not declared")
        return found

    def submap(self, reference: str) -> Callable[[Run, list[Sequence], Spot], None]:
        """Return the function that runs another map."""
        name = f"{reference.rpartition(':')[2]}.map"
        path = self.project.find(name)
        if path is None:
            raise CannotMap(f"there is no submap {name}")
        if name in self.within or len(self.within) > SUBMAPS_MAX:
            raise CannotMap(f"submap {name} contains itself")
        root = read_xml(path.read_bytes(), name).root
        inner = Declarations(root, name, self.project, (*self.within, self.name, name))
        body = Compiler(inner).children(inner.declaration)

        def call(run: Run, given: list[Sequence], target: Spot) -> None:
            kept = dict(run.variables)
            for (variable, _), items in zip(inner.inputs, given, strict=False):
                run.variables[variable] = items
            body(run, given[0] if given else [], target)
            run.variables = kept

        return call


class GraphicalMap:
    """A map that can be run; `uses_tables` and `changes_tables` say what it does to databases.

    `uses_cache` says whether it reads or writes the global cache, `calls_esql` whether it calls ESQL.
    """

    def __init__(self, declared: Declarations, body: Callable[[Run, Sequence, Spot], None]) -> None:
        assert declared.output is not None
        self.name = declared.name
        self.target = declared.output
        self._declared = declared
        self._body = body
        kinds = {each.kind for each in declared.statements.values()}
        self.uses_tables = bool(kinds)
        self.changes_tables = bool(kinds - {"select"})
        self.calls_esql = any(isinstance(each, EsqlFunction) for each in declared.custom.values())
        words = ("cacheGet", "cachePut")
        self.uses_cache = any(True for word in words for _ in declared.declaration.below(word))

    def run(self, assembly: Assembly, at: NodeContext, context: Any, data_source: str) -> Assembly:
        """Map one message; return what is sent on."""
        run, output = Run(assembly, at, context, data_source), MapResult(assembly, self.target)
        whole = AssemblyPlace(assembly)
        for variable, kind in self._declared.inputs:
            is_environment = kind == "environment"
            environment = assembly.invocation.environment.reference()
            run.variables[variable] = [environment] if is_environment else [whole]
        self._body(run, [whole], Spot(output))
        _ = output.body  # a map that writes nothing still makes a message
        return output.sent()


def java_functions(root: Element) -> Iterator[tuple[str, str, str]]:
    """Yield the functions of a map that are Java: as the map calls them, their class and their name."""
    prefixes = {each.get("prefix"): each.get("uri") for each in root.below("namespace")}
    classes = {each.get("namespace"): each.get("location") for each in root.below("import")}
    named = {each.get("ref"): None for each in root.below("customFunction")}
    for word in ("code", "test", "filter"):
        for each in root.below(word):
            named.update(dict.fromkeys(re.findall(r"\b([A-Za-z_]\w*:[A-Za-z_]\w*)\s*\(", each.text)))
    for reference in named:
        prefix, _, function = reference.partition(":")
        if prefix not in _OURS and not prefixes.get(prefix, "").endswith(_ESQL):
            location = classes.get(prefixes.get(prefix, prefix)) or prefixes.get(prefix, prefix)
            class_ = location.removesuffix(".java").replace("/", ".").rpartition("://")[2].strip(".")
            yield reference, class_, function


def esql_functions(root: Element) -> Iterator[tuple[str, str, str]]:
    """Yield the functions of a map that are ESQL: as the map calls them, their file and their name."""
    prefixes = {each.get("prefix"): each.get("uri") for each in root.below("namespace")}
    for each in root.below("customFunction"):
        prefix, _, function = each.get("ref").partition(":")
        file = prefixes.get(prefix, "")
        if file.endswith(_ESQL):
            yield each.get("ref"), file.lstrip("/"), function


def read_graphical_map(data: bytes, name: str, project: MapSurroundings) -> GraphicalMap:
    """Read a map; 8304 if it is none or cannot be run, 8361 if it is not XML."""
    root = read_xml(data, name).root
    try:
        declared = Declarations(root, name, project)
        return GraphicalMap(declared, Compiler(declared).children(declared.declaration))
    except CannotMap as raised:
        raise error(mq.PSRC_FLOW_MAPPING, f"the map {name} cannot be run: {raised}") from None


def _schema_file(name: str, project: MapSurroundings) -> Path | None:
    """Return the file of a schema as a map names it: `/a/b.xsd`, `lib://Library/a.xsd`, `../a.xsd`."""
    plain = re.sub(r"^[a-z]+:/*(//)?[^/]*/", "", name) if "://" in name else name
    if name.startswith("jar:"):
        return None
    return project.find(plain.replace("../", "").lstrip("/"))
