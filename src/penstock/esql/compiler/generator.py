"""Writes the Python of one file: the state that the modules for statements and expressions share.

It has the file's layout, the names in scope, the imports and the used paths; the modules that register in
`dispatch` write statements and expressions.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.esql.compiler.bindings import TREE_TYPES, UNKNOWN_VALUE, Binding, Block
from penstock.esql.compiler.dispatch import STATEMENTS, VALUES
from penstock.esql.compiler.literals import is_plain
from penstock.esql.compiler.names import Names
from penstock.esql.compiler.text import Text
from penstock.esql.runtime.values.literals import literal_source
from penstock.esql.syntax.statements import Body, Empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.esql.checker.catalogue import Variable
    from penstock.esql.compiler.layout import FileLayout, Layout, ScopeLayout
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.node import Node
    from penstock.esql.syntax.program import Routine
    from penstock.esql.syntax.statements import Statement

RUNTIME = "penstock.esql.runtime"
COMMENT_CHARACTERS_MAX = 120  # of the ESQL line above each statement


class Uncompilable(Exception):
    """A node that cannot be compiled; becomes a finding with code E401."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message


@dataclass(slots=True)
class Function:
    """The Python function being written.

    `prologue` are lines for its beginning: trees and scopes that it uses. `loops` are labels from the
    outermost inwards, with their Python loops. `outs` are what it returns besides its value.
    """

    names: Names
    routine: Routine | None = None
    prologue: dict[str, str] = field(default_factory=dict)
    loops: list[Any] = field(default_factory=list)
    outs: list[str] = field(default_factory=list)
    handlers: int = 0


class Generator:
    """State and services while one file is written."""

    def __init__(self, layout: Layout, file: FileLayout) -> None:
        self.layout = layout
        self.file = file
        self.unit = file.unit
        self.module = ""
        self.text = Text()
        self.imports: dict[str, set[str]] = {}
        self.paths: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        self.libraries: dict[str, str] = {}
        self.blocks: list[Block] = []
        self.function = Function(Names(file.names))
        self.aggregates: dict[int, str] = {}
        self.selects = 0

    # Dispatch
    def value(self, node: Expression) -> str:
        """Return the Python expression for the value of a node; NULL is None."""
        writer = VALUES.get(type(node))
        if writer is None:
            raise Uncompilable(node, f"{type(node).__name__} is not allowed here")
        return writer(self, node)

    def statement(self, node: Statement) -> None:
        """Write a statement, with the line of the ESQL in front of it as a comment."""
        if isinstance(node, Empty):
            return
        line = self.unit.line_of(node.at)
        self.text.line = line
        self.text.write(
            f"# {line}: {_shown(self.unit.source.around(node.at, COMMENT_CHARACTERS_MAX).strip())}"
        )
        writer = STATEMENTS.get(type(node))
        if writer is None:
            raise Uncompilable(node, f"a {type(node).__name__.lower()} cannot be declared inside a routine")
        writer(self, node)

    def body(self, body: Body) -> None:
        """Write statements one after another."""
        for node in body:
            self.statement(node)

    @contextmanager
    def block(self, **names: Binding) -> Iterator[Block]:
        """Open a block of names."""
        self.blocks.append(dict(names))
        yield self.blocks[-1]
        self.blocks.pop()

    def write(self, code: str) -> None:
        """Write a line of Python."""
        self.text.write(code)

    # Names
    def use(self, module: str, name: str) -> str:
        """Return a name of the runtime and import it."""
        return self.use_from(f"{RUNTIME}.{module}", name)

    def use_from(self, module: str, name: str) -> str:
        """Return a name of any Python module and import it."""
        others = [other for other, names in self.imports.items() if name in names and other != module]
        assert not others, f"{name} comes from {module} and from {others[0]}"
        self.imports.setdefault(module, set()).add(name)
        return name

    def local(self, wanted: str) -> str:
        """Return a name that is free in the function being written."""
        return self.function.names.give(wanted)

    def in_prologue(self, name: str, code: str) -> str:
        """Add `name = code` to the beginning of the function; return the name."""
        self.function.prologue.setdefault(name, code)
        return name

    def path(self, steps: str) -> str:
        """Return the constant for a path whose steps are known."""
        self.use_from("penstock.tree", "Path")
        if steps not in self.paths:
            self.paths[steps] = f"P{len(self.paths) + 1}"
        return self.paths[steps]

    def constant(self, value: Any) -> str:
        """Return the Python for a known value: a literal, or a constant."""
        if is_plain(value):
            return f"({value!r})" if type(value) in (int, float) and value < 0 else repr(value)
        code = literal_source(value)
        for name, home in _HOMES.items():
            if code.startswith(f"{name}("):
                self.use_from(home, name)
        if code not in self.constants:
            self.constants[code] = f"K{len(self.constants) + 1}"
        return self.constants[code]

    def library(self, file: str) -> str:
        """Return the import name of another file's Python; empty for the current file."""
        if file == self.file.file:
            return ""
        name = self.libraries.setdefault(file, f"lib_{len(self.libraries) + 1}")
        return f"{name}."

    # Variables
    def find(self, name: str) -> Binding | None:
        """Return the meaning of a name in the current blocks, innermost first."""
        for block in reversed(self.blocks):
            if name in block:
                return block[name]
        return None

    def variable(self, node: Node) -> Binding | None:
        """Return the variable that the checker resolved; None for trees and names of the language."""
        found = self.unit.variables.get(id(node))
        return None if found is None else self.binding(found)

    def binding(self, variable: Variable) -> Binding | None:
        """Return the Python of a resolved variable."""
        found = self.find(variable.name)
        if found is not None:
            return found
        if variable.level == "module":
            return self.scope_variable(self.file, self.module, variable.name)
        file = self.unit.catalogue.files.get(id(variable))
        if variable.level != "schema" or file is None:
            return None
        return self.scope_variable(self.layout.files[file], "", variable.name)

    def scope_variable(self, file: FileLayout, module: str, name: str) -> Binding | None:
        """Return a variable of a module or schema: a constant, or an attribute of its scope."""
        scope = file.scopes[module]
        place = scope.variables.get(name)
        if place is None:
            return None
        kind = place.declare.type.name
        kind = "CHARACTER" if kind in ("NAMESPACE", "NAME") else kind
        if place.value is not UNKNOWN_VALUE:
            return Binding(self.constant(place.value), kind, "", place.value)
        holder = self.scope_name(file, scope, place.is_shared)
        python = f"{holder}.{place.attribute}"
        return Binding(
            python,
            kind,
            f"{python}_moved" if kind == "REFERENCE" else "",
            qualifier=place.declare.type.qualifier,
        )

    def scope_name(self, file: FileLayout, scope: ScopeLayout, shared: bool) -> str:
        """Return the local name of the object that holds a scope's variables."""
        kind = scope.shared_class if shared else scope.run_class
        code = f"ctx.{'deployed' if shared else 'scope'}({self.library(file.file)}{kind})"
        for name, known in self.function.prologue.items():
            if known == code:
                return name
        return self.in_prologue(self.local("shared" if shared else "run"), code)

    def declare(self, name: str, kind: str, qualifier: tuple[str, ...] = ()) -> Binding:
        """Declare a local variable in the current block; return its binding."""
        python = self.local(name)
        moved = self.local(f"{name}_moved") if kind == "REFERENCE" else ""
        made = Binding(
            python, "CHARACTER" if kind in ("NAMESPACE", "NAME") else kind, moved, qualifier=qualifier
        )
        self.blocks[-1][name] = made
        return made

    def is_tree_type(self, kind: str) -> bool:
        """Whether values of a type are positions in trees."""
        return kind in TREE_TYPES


def _shown(text: str) -> str:
    """Return a line as the text of a Python comment: one line, without characters that no file can hold."""
    return text if text.isprintable() else "".join(each if each.isprintable() else " " for each in text)


_HOMES = {
    "Decimal": "decimal",
    "Bits": f"{RUNTIME}.values.types",
    "PointLiteral": f"{RUNTIME}.values.arithmetic",
    "Interval": f"{RUNTIME}.values.interval",
    "LabelName": f"{RUNTIME}.terminals",
}
