"""Compiled ESQL, ready to run: a Library of related files, and the Modules in it.

Room `flow` gets a Library from `compiler.compile.compile_sources`, keeps it as long as a flow is deployed,
and calls `Module.run(context)` for every message. Running needs no parser and no compiler. Threads may share
a Library; the data of a message is in its Context. Compiled through `library.pxd`.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.tracing import traced
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.runtime.context import Context

MAIN = "MAIN"


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A module (or, with an empty name, a schema's routines) and the Python functions of its routines."""

    name: str
    schema: str
    kind: str
    routines: dict[str, str]


@dataclass(frozen=True, slots=True)
class CompiledFile:
    """A compiled file: Python text, its code, the ESQL line of each Python line, its modules.

    `shared` are the names of its SHARED variables.
    """

    file: str
    python: str
    code: CodeType
    lines: tuple[int, ...]
    entries: tuple[EntryPoint, ...]
    shared: tuple[str, ...] = ()

    def parts(self) -> tuple[Any, ...]:
        """Return everything as plain values, for the cache."""
        entries = [(each.name, each.schema, each.kind, each.routines) for each in self.entries]
        return (self.file, self.python, self.code, self.lines, entries, self.shared)


class Module:
    """A module of ESQL that can be run.

    `name` is as written, `schema` the dotted name of its schema, `kind` COMPUTE, FILTER, DATABASE or
    DATABASEEVENT.
    """

    def __init__(self, entry: EntryPoint, file: str, functions: dict[str, Callable[..., Any]]) -> None:
        self.name = entry.name
        self.schema = entry.schema
        self.kind = entry.kind
        self.file = file
        self.functions = functions
        self._main = functions.get(MAIN)

    @property
    def full_name(self) -> str:
        """The name with its schema in front."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    def run(self, context: Context) -> bool | None:
        """Run Main on one message; return its result: TRUE, FALSE or, for UNKNOWN, None.

        An error carries the ESQL line and routine in its `fields`; trees are as the failing statement left
        them.
        """
        if self._main is None:
            raise error(mq.PSRC_ESQL_ROUTINE, f"module {self.full_name} has no function Main")
        try:
            answer: bool | None = self._main(context)
        except (MQError, RecursionError) as raised:
            raise traced(raised, context) from None
        return answer

    def call(self, context: Context, routine: str, *arguments: Any) -> Any:
        """Call another routine of the module, such as those of a DATABASEEVENT module."""
        function = self.functions.get(routine.upper())
        if function is None:
            raise error(mq.PSRC_ESQL_ROUTINE, f"module {self.full_name} has no routine {routine}")
        try:
            return function(context, *arguments)
        except (MQError, RecursionError) as raised:
            raise traced(raised, context) from None

    def __repr__(self) -> str:
        return f"<Module {self.full_name} of {self.file}>"


class Library:
    """Files that were compiled together."""

    def __init__(self, files: list[CompiledFile]) -> None:
        self.files = {each.file: each for each in files}
        self._python: dict[str, ModuleType] = {each.file: ModuleType(each.file) for each in files}
        self.modules: dict[str, Module] = {}
        for each in files:
            space = self._python[each.file].__dict__
            space.update(library=self._python, __builtins__=builtins, __file__=each.file)
            exec(each.code, space)  # noqa: S102  (what the compiler wrote)
        for each in files:
            self._enter(each)

    def _enter(self, file: CompiledFile) -> None:
        space = self._python[file.file].__dict__
        for entry in file.entries:
            functions = {name: space[python] for name, python in entry.routines.items() if python in space}
            if entry.name:
                module = Module(entry, file.file, functions)
                self.modules.setdefault(module.full_name, module)

    def module(self, name: str) -> Module:
        """Return a module by its name, with or without its schema, without regard to case."""
        wanted = name.upper()
        found = [
            module
            for module in self.modules.values()
            if wanted in (module.full_name.upper(), module.name.upper())
        ]
        exact = [module for module in found if module.full_name.upper() == wanted]
        if len(exact or found) == 1:
            return (exact or found)[0]
        known = ", ".join(sorted(self.modules)) or "none"
        problem = "there are several of them" if found else f"there is none of that name; there are: {known}"
        raise error(mq.PSRC_ESQL_ROUTINE, f"module {name}: {problem}", module=name)

    def function(self, file: str, routine: str) -> Callable[..., Any]:
        """Return the Python function of a routine at schema level."""
        for entry in self.files[file].entries:
            if not entry.name and routine.upper() in entry.routines:
                found: Callable[..., Any] = getattr(self._python[file], entry.routines[routine.upper()])
                return found
        raise error(mq.PSRC_ESQL_ROUTINE, f"there is no routine {routine} in {file}")
