"""Resolves every name: variable, tree, constant, function or procedure.

Scopes are those of the language: block, routine, module, schema, then the schemas of PATH. Fills
`unit.variables` and `unit.routines` for later passes and the compiler, and reports unknown names (E201,
E202), use before declaration, and case differences (W301).
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from penstock.esql.checker import builtins
from penstock.esql.checker.catalogue import Names, Scope, Variable, fold, module_scope, variables_of
from penstock.esql.limits import SUGGESTIONS_MAX
from penstock.esql.syntax import database_statements as database
from penstock.esql.syntax.expressions import Call, Cast, Expression, Quantified, RowItem
from penstock.esql.syntax.functions import ContextReference, Passthru
from penstock.esql.syntax.node import Node, children
from penstock.esql.syntax.paths import FieldReference, PlainName, Step
from penstock.esql.syntax.program import Module, Program, Routine
from penstock.esql.syntax.select import Select
from penstock.esql.syntax.statements import Begin, CallStatement, Case, Declare, For, If, Repeat, Statement
from penstock.tree import TYPE_CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.esql.checker.unit import Unit

Block = Names[Variable]
NEARNESS = 0.75  # of 1, as difflib measures it
TYPE_STEPS = 2  # of `XMLNSC.Attribute`


def resolve(unit: Unit) -> None:
    """Resolve all names of a file."""
    _Resolver(unit).program(unit.program)


class _Resolver:
    """Carries the scopes, innermost last, through one file."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.blocks: list[Block] = []
        self.suggestions = 0
        self.open_queries = 0  # inside a query whose tables have computed names, any name may be one
        self.scopes: list[Scope] = []  # module, own schema, PATH
        program = unit.program
        own = unit.catalogue.schema(program.schema)
        paths = [unit.catalogue.schema(name) for name in program.path]
        self.schema_scopes = [scope for scope in (own, *paths) if scope is not None]
        self.unseen_paths = [
            ".".join(name)
            for name, scope in zip(program.path, paths, strict=True)
            if scope is None and fold(name) != ("MQSI",)
        ]

    # Statements
    def program(self, program: Program) -> None:
        self.scopes = self.schema_scopes
        for statement in program.body:
            if isinstance(statement, Module):
                self.scopes = [module_scope(statement), *self.schema_scopes]
                self.body(statement.body)
                self.scopes = self.schema_scopes
            else:
                self.statement(statement)

    def body(self, body: Iterable[Statement]) -> None:
        """Resolve statements in the current scope."""
        for statement in body:
            self.statement(statement)

    def block(self, body: Iterable[Statement], *variables: Variable) -> None:
        """Resolve statements in a new scope."""
        names = Block()
        for variable in variables:
            names.add(variable.name, variable)
        self.blocks.append(names)
        self.body(body)
        self.blocks.pop()

    def statement(self, node: Statement) -> None:
        if isinstance(node, Declare):
            self.declare(node)
        elif isinstance(node, Routine):
            self.routine(node)
        elif isinstance(node, Begin):
            self.block(node.body)
        elif isinstance(node, (If, Case)):
            self.branches(node)
        elif isinstance(node, For):
            self.node(node.source)
            self.block(node.body, Variable(node.name, "REFERENCE", "loop", node.at))
        elif isinstance(node, Repeat):  # UNTIL sees what the body declares
            self.blocks.append(Block())
            self.body(node.body)
            self.node(node.test)
            self.blocks.pop()
        elif isinstance(node, (database.Update, database.DeleteFrom, database.Insert)):
            self.table_statement(node)
        elif isinstance(node, CallStatement):
            self.call(node)
            for part in (*node.arguments, node.external_schema, node.into):
                self.node(part)
        elif (inner := getattr(node, "body", None)) is not None and isinstance(inner, tuple):
            self.parts(node, skip=inner)
            self.block(inner)
        else:
            self.parts(node)

    def declare(self, node: Declare) -> None:
        self.node(node.initial)
        if not self.blocks:
            return  # module and schema level are in the catalogue
        for variable in variables_of(node, "local"):
            taken = self.blocks[-1].add(variable.name, variable)
            if taken is not None:
                line = self.unit.line_of(taken.at)
                self.unit.find("E210", f"{variable.name} is declared already on line {line}", node)

    def routine(self, node: Routine) -> None:
        outer, self.blocks = self.blocks, []
        parameters = [
            Variable(each.name, each.type.name if each.type else "", "parameter", each.at, each.constant)
            for each in node.parameters
        ]
        self.block([] if node.body is None else [node.body], *parameters)
        self.blocks = outer

    def branches(self, node: If | Case) -> None:
        if isinstance(node, Case):
            self.node(node.subject)
        for branch in node.branches:
            self.node(branch.test)
            self.block(branch.body)
        self.block(node.otherwise or ())

    def table_statement(self, node: database.Update | database.DeleteFrom | database.Insert) -> None:
        self.node(node.table)
        if isinstance(node, database.Insert):
            for value in node.values:
                self.node(value)
            return
        with_names = _correlation(node.table, node.name)
        parts: list[Node | None] = [node.where]
        if isinstance(node, database.Update):
            parts += [each.value for each in node.columns]
        self.query(with_names, parts)

    # Expressions
    def parts(self, node: Node, skip: object = None) -> None:
        """Resolve the direct children of a node."""
        for each in children(node):
            if isinstance(skip, tuple) and isinstance(each, Statement):
                continue
            if isinstance(each, Statement):
                self.block([each])
            else:
                self.node(each)

    def node(self, node: Node | None) -> None:
        """Resolve an expression or a part of one."""
        if node is None:
            return
        if isinstance(node, FieldReference):
            self.reference(node)
        elif isinstance(node, Select):
            self.select(node)
        elif isinstance(node, Quantified):
            self.node(node.source)
            self.query([node.name], [node.predicate])
        elif isinstance(node, (Passthru, Cast, ContextReference)):
            self.special(node)
        elif isinstance(node, RowItem):
            self.node(node.value)
            self.target_path(node.name)
        elif isinstance(node, Step):
            self.step(node)
        else:
            if isinstance(node, Call):
                self.call(node)
            self.parts(node)

    def special(self, node: Passthru | Cast | ContextReference) -> None:
        if isinstance(node, Passthru):
            for each in (node.text, *node.values):
                self.node(each)
            self.target_path(node.database)
        elif isinstance(node, Cast):
            for option in (*node.sources, node.ccsid, node.encoding, node.format, node.default):
                self.node(option)
        else:
            self.node(node.name)
            self.node(node.level)

    def select(self, node: Select) -> None:
        names: list[str | None] = []
        self.blocks.append(Block())
        for source in node.sources:
            self.node(source.value)
            found = _correlation(source.value, source.name)
            names += found
            for name in found:
                if name is not None:
                    self.blocks[-1].add(name, Variable(name, "ROW", "correlation", source.at))
        self.blocks.pop()
        self.query(names, [node.where, *(each.value for each in node.items)])
        for item in node.items:
            self.target_path(item.name)

    def query(self, names: Iterable[str | None], parts: Iterable[Node | None]) -> None:
        """Resolve parts that see correlation names; None is one that is computed."""
        block = Block()
        computed = 0
        for name in names:
            if name is None:
                computed = 1
            else:
                block.add(name, Variable(name, "ROW", "correlation", 0))
        self.blocks.append(block)
        self.open_queries += computed
        for part in parts:
            self.node(part)
        self.open_queries -= computed
        self.blocks.pop()

    def target_path(self, node: Expression | None) -> None:
        """Resolve the computed parts of a path that builds names and starts from no variable."""
        if isinstance(node, FieldReference):
            for step in node.steps:
                self.step(step)

    def step(self, step: Step) -> None:
        """Resolve the computed parts of a step: {names}, indexes and types."""
        if isinstance(step.namespace, PlainName):
            self.namespace(step.namespace)
        for part in (step.namespace, step.name, step.index):
            if part is not None and not isinstance(part, PlainName):
                self.parts(part)
        if step.type is not None and not isinstance(step.type, FieldReference):
            self.node(step.type)

    def namespace(self, name: PlainName) -> None:
        found = self.look_up(name.text)
        if found is not None:
            self.unit.variables[id(name)] = found[0]
        elif name.text not in ("xmlns", "xml") and not self.unseen_paths:
            self.unit.find(
                "W302",
                f"namespace prefix {name.text} is not declared",
                name,
                f"declare it with DECLARE {name.text} NAMESPACE 'uri';",
                len(name.text),
            )

    def reference(self, node: FieldReference) -> None:
        first = node.steps[0]
        for step in node.steps:
            self.step(step)
        name = node.root
        if name is None or first.namespace is not None:
            return
        found = self.look_up(name)
        if found is not None:
            variable, written = found
            self.unit.variables[id(node)] = variable
            if written != name:
                self.warn_case(node, name, written)
        elif not self.is_known(name.upper(), len(node.steps)):
            if not self.open_queries:
                self.unknown_variable(node, name)
        elif len(node.steps) == TYPE_STEPS:
            self.field_type(node, name)

    def field_type(self, node: FieldReference, domain: str) -> None:
        """Report `XMLNSC.Foldr`: a type that its domain does not have, and so no value."""
        types, said = TYPE_CONSTANTS.get(domain.upper()), node.steps[1].plain
        if not types or said is None or said.upper() in types or domain.upper() not in builtins.DOMAINS:
            return
        likely = self.near(said.upper(), list(types))
        self.unit.find("E201", f"{domain} has no field type {said}", node, likely, len(domain))

    def look_up(self, name: str) -> tuple[Variable, str] | None:
        """Find a variable, from the innermost scope outwards; the exact name anywhere comes first."""
        near: tuple[Variable, str] | None = None
        for names in (*reversed(self.blocks), *(scope.variables for scope in self.scopes)):
            found = names.get(name)
            if found is not None and found[1] == name:
                return found
            near = near or found
        if near is not None and self.is_known(name.upper(), 1):
            return None
        return near

    def is_known(self, name: str, steps: int) -> bool:
        """Whether the language itself declares a name (in capitals)."""
        if name in builtins.TREES or name in builtins.LABELS or name in builtins.BARE_FUNCTIONS:
            return True
        return builtins.is_constant(name) or (steps > 1 and name in builtins.DOMAINS)

    def unknown_variable(self, node: FieldReference, name: str) -> None:
        if name.upper() in self.unit.parsed.lost:
            return
        if self.unseen_paths:
            message = (
                f"{name} may be declared in {' or '.join(self.unseen_paths)}, which is not among the files"
            )
            self.unit.find("W303", message, node, "", len(name))
            return
        known = [each for block in self.blocks for each in block.exact]
        known += [each for scope in self.scopes for each in scope.variables.exact]
        likely = self.near(name, [*known, *_TREE_NAMES])
        if self.unit.source.text[node.at] == '"':
            likely = likely or f"a text is written in single quotes: '{name}'"
        self.unit.find("E201", f"{name} is not declared", node, likely, len(name))

    # Routines
    def call(self, node: Call | CallStatement) -> None:
        found = self.find_routine(node)
        if found is not None:
            routine, written = found
            self.unit.routines[id(node)] = routine
            if written != node.name:
                self.warn_case(node, node.name, written)
            return
        if node.schema or node.name.upper() not in builtins.FUNCTIONS:
            self.unknown_routine(node)

    def find_routine(self, node: Call | CallStatement) -> tuple[Routine, str] | None:
        if node.schema:
            schema = self.unit.catalogue.schema(node.schema)
            return schema.routines.get(node.name) if schema else None
        if node.name.upper() in builtins.FUNCTIONS and isinstance(node, Call):
            scopes: list[Scope] = [s for s in self.scopes if node.name in s.routines.exact]
        else:
            scopes = self.scopes
        for scope in scopes:
            found = scope.routines.get(node.name)
            if found is not None:
                return found
        return None

    def unknown_routine(self, node: Call | CallStatement) -> None:
        if node.name.upper() in self.unit.parsed.lost:
            return
        name = ".".join((*node.schema, node.name))
        unseen = self.unseen_paths
        if node.schema:
            unseen = [] if self.unit.catalogue.schema(node.schema) else [".".join(node.schema)]
        if unseen:
            message = f"{name} may be in {' or '.join(unseen)}, which is not among the files"
            self.unit.find("W303", message, node)
            return
        known = [*builtins.FUNCTIONS, *(each for scope in self.scopes for each in scope.routines.exact)]
        likely = builtins.OTHER_SQL.get(node.name.upper(), "")
        likely = likely or self.near(node.name, known) or self.other_module(node.name)
        if name.upper() in builtins.BARE_FUNCTIONS:
            likely = f"write {name} without parentheses"
        self.unit.find("E202", f"there is no function or procedure {name}", node, likely)

    def other_module(self, name: str) -> str:
        """Report a routine of another module, which cannot be called from outside."""
        for scope in self.schema_scopes:
            for module in scope.modules.exact.values():
                if any(isinstance(each, Routine) and each.name == name for each in module.body):
                    return f"it is in module {module.name}; routines of a module can only be called there"
        return ""

    def near(self, name: str, known: list[str]) -> str:
        """Return a suggestion: the known name closest to `name`."""
        self.suggestions += 1
        if self.suggestions > SUGGESTIONS_MAX:
            return ""
        found = difflib.get_close_matches(name, dict.fromkeys(known), 1, NEARNESS)
        return f"did you mean {found[0]}?" if found else ""

    def warn_case(self, node: Node, name: str, written: str) -> None:
        self.unit.find(
            "W301", f"{name} is declared as {written}", node, "names are case-sensitive", len(name)
        )


_TREE_NAMES = ("InputRoot", "InputBody", "OutputRoot", "InputLocalEnvironment", "OutputLocalEnvironment",
               "Environment", "InputExceptionList", "OutputExceptionList", "InputProperties")  # fmt: skip


def _correlation(source: Expression, name: str | None) -> list[str | None]:
    """Return the correlation name of a source in a query; [None] if it is computed."""
    if name is not None:
        return [name]
    if isinstance(source, FieldReference):
        last = source.steps[-1].name
        if isinstance(last, PlainName):
            return [last.text]
    return [None]
