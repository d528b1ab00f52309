"""Field references: from `Corr.(Type)ns:Name[index]` to a Reference, a Path and its open indexes.

A path with only known names becomes a constant; one with `{names}` is looked up in a cache at run time.
Indexes that are expressions are open in the path and passed with the call, so that the tree's cursors keep
loops over them linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.esql.checker.builtins import TREES
from penstock.esql.checker.type_of import type_of
from penstock.esql.compiler.generator import Uncompilable
from penstock.esql.compiler.literals import known_value
from penstock.esql.syntax.paths import AnyName, ComputedName, FieldReference, Index, PlainName, Step
from penstock.tree import TYPE_CONSTANTS

if TYPE_CHECKING:
    from penstock.esql.compiler.bindings import Binding
    from penstock.esql.compiler.generator import Generator
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.paths import Name

# The attribute of the context, and the steps from its root, for each tree that programs can name.
_LAST_FOLDER = Step(0, None, None, AnyName(0), Index(0, "<", None))
_PROPERTIES = Step(0, None, None, PlainName(0, "Properties"), None)
CONTEXT_TREES: dict[str, tuple[str, str, tuple[Step, ...]]] = {
    "INPUTROOT": ("InputRoot", "input_root", ()),
    "INPUTBODY": ("InputRoot", "input_root", (_LAST_FOLDER,)),
    "INPUTPROPERTIES": ("InputRoot", "input_root", (_PROPERTIES,)),
    "INPUTLOCALENVIRONMENT": ("InputLocalEnvironment", "input_local_environment", ()),
    "INPUTDESTINATIONLIST": ("InputLocalEnvironment", "input_local_environment", ()),
    "INPUTEXCEPTIONLIST": ("InputExceptionList", "input_exception_list", ()),
    "OUTPUTROOT": ("OutputRoot", "output_root", ()),
    "OUTPUTLOCALENVIRONMENT": ("OutputLocalEnvironment", "output_local_environment", ()),
    "OUTPUTDESTINATIONLIST": ("OutputLocalEnvironment", "output_local_environment", ()),
    "OUTPUTEXCEPTIONLIST": ("OutputExceptionList", "output_exception_list", ()),
    "ENVIRONMENT": ("Environment", "environment", ()),
    "CONTEXT": ("Context", "context_tree", ()),
    "ROOT": ("Root", "input_root", ()),
    "BODY": ("Root", "input_root", (_LAST_FOLDER,)),
    "PROPERTIES": ("Root", "input_root", (_PROPERTIES,)),
    "LOCALENVIRONMENT": ("LocalEnvironment", "input_local_environment", ()),
    "DESTINATIONLIST": ("LocalEnvironment", "input_local_environment", ()),
    "EXCEPTIONLIST": ("ExceptionList", "input_exception_list", ()),
}
_ATTRIBUTE = TYPE_CONSTANTS["XMLNSC"]["ATTRIBUTE"]


@dataclass(frozen=True, slots=True)
class FieldTarget:
    """A field: the Reference, the Path (empty for the Reference itself) and the open indexes."""

    base: str
    path: str = ""
    indexes: str = ""
    is_list: bool = False

    def call(self, method: str, *arguments: str) -> str:
        """Return a call with the path, more arguments, and the indexes last if there are any."""
        given = [each for each in (self.path or "HERE", *arguments, self.indexes) if each]
        return f"{self.base}.{method}({', '.join(given)})"

    @property
    def is_bare(self) -> bool:
        """Whether it is the Reference itself."""
        return not self.path


def field_target(g: Generator, node: FieldReference) -> FieldTarget:
    """Return the target of a reference into a tree; a scalar is refused."""
    return path_place(g, *start_of(g, node))


def start_of(g: Generator, node: FieldReference) -> tuple[str, tuple[Step, ...]]:
    """Return the Reference that a path starts from and the steps from there."""
    binding = g.variable(node)
    if binding is not None:
        if not binding.is_tree:
            raise Uncompilable(node, f"{node.root} is {binding.type} and has no fields")
        return binding.python, node.steps[1:]
    root = (node.root or "").upper()
    if root in TREES and node.steps[0].namespace is None:
        name, attribute, first = CONTEXT_TREES[root]
        return g.in_prologue(name, f"ctx.{attribute}"), (*first, *node.steps[1:])
    raise Uncompilable(node, f"{node.root or 'this'} is no tree and no variable")


def is_tree(g: Generator, node: Expression) -> bool:
    """Whether an expression is a reference into a tree."""
    if not isinstance(node, FieldReference):
        return False
    binding = g.variable(node)
    if binding is not None:
        return binding.is_tree
    return (node.root or "").upper() in TREES and node.steps[0].namespace is None


def scalar_of(g: Generator, node: Expression) -> Binding | None:
    """Return the scalar variable that an expression names, or None."""
    if isinstance(node, FieldReference) and len(node.steps) == 1:
        binding = g.variable(node)
        if binding is not None and not binding.is_tree:
            return binding
    return None


def path_place(g: Generator, base: str, steps: tuple[Step, ...]) -> FieldTarget:
    """Return the target of steps from a Reference."""
    if not steps:
        return FieldTarget(base)
    indexes: list[str] = []
    codes = [step_code(g, step, indexes) for step in steps]
    is_list = steps[-1].is_list
    given = indexes[0] if len(indexes) == 1 else f"({', '.join(indexes)})" if indexes else ""
    return FieldTarget(base, path_code(g, codes), given, is_list)


def path_code(g: Generator, codes: list[tuple[str, bool]]) -> str:
    """Return the Python for a path of steps: a constant, or a lookup if a step is computed."""
    inside = ", ".join(code for code, _ in codes)
    if all(known for _, known in codes):
        return g.path(inside)
    if len(codes) == 1:
        return f"{g.use('trees.paths', 'named_path')}({inside.removeprefix('computed_step(')}"
    return f"{g.use('trees.paths', 'dynamic_path')}({inside})"


def list_parts(g: Generator, base: str, steps: tuple[Step, ...]) -> tuple[FieldTarget, str]:
    """Return the parent of a list and the path of its one last step."""
    parent = path_place(g, base, steps[:-1])
    last = steps[-1]
    return parent, path_code(g, [step_code(g, Step(last.at, last.type, last.namespace, last.name, None), [])])


def step_code(g: Generator, step: Step, indexes: list[str]) -> tuple[str, bool]:
    """Return the Python for one step and whether it is constant; open indexes are added to `indexes`."""
    name = _name_code(g, step.name)
    namespace = _namespace_code(g, step)
    index = _index_code(g, step, indexes)
    kind = None if step.type is None else _step_type_code(g, step.type)
    known = _is_known(name) and _is_known(namespace) and (kind is None or kind.isdigit())
    plain = _plain_step(name, namespace, kind) if known else None
    if plain is not None:
        return (plain if index == "None" else f"({plain}, {index})"), True
    if known:
        g.use_from("penstock.tree", "Step")
        shown = f"Step({name}, {namespace}, {index}, type={kind})"
        return shown, True
    return f"{g.use('trees.paths', 'computed_step')}({name}, {namespace}, {index}, {kind})", False


def _is_known(code: str) -> bool:
    return code == "None" or code[:1] in "'\""


def _plain_step(name: str, namespace: str, kind: str | None) -> str | None:
    """Return the short form of a step, if it has one."""
    if kind is not None and int(kind) != _ATTRIBUTE:
        return None
    if name == "None":
        return "'*'" if namespace == "None" and kind is None else None
    text = name[1:-1]
    if text[:1] in ("@", "{", "") or text == "*" or "\\" in text:
        return None
    sign = "@" if kind is not None else ""
    if namespace == "''":
        return f"{name[0]}{sign}{text}{name[0]}" if sign else name
    if namespace == "None":
        return f"'{sign}{{*}}{text}'" if name[0] == "'" else None
    if "}" in namespace or namespace[0] != "'" or name[0] != "'":
        return None
    return f"'{sign}{{{namespace[1:-1]}}}{text}'"


def _name_code(g: Generator, name: Name | None) -> str:
    if name is None or isinstance(name, AnyName):
        return "None"
    if isinstance(name, PlainName):
        return repr(name.text)
    value = known_value(name.value)
    if isinstance(value, str):
        return repr(value)
    return f"{g.use('trees.paths', 'name_text')}({g.value(name.value)})"


def _namespace_code(g: Generator, step: Step) -> str:
    namespace = step.namespace
    if namespace is None:
        return "None" if step.name is None or isinstance(step.name, AnyName) else "''"
    if isinstance(namespace, PlainName):
        found = g.unit.variables.get(id(namespace))
        binding = g.find(namespace.text) if found is None else g.binding(found)
        if binding is None:  # an undeclared prefix (W302) is used as the namespace itself
            return repr(namespace.text)
        return (
            repr(binding.value or "")
            if binding.is_known
            else f"{g.use('trees.paths', 'name_text')}({binding.python})"
        )
    if isinstance(namespace, ComputedName):
        value = known_value(namespace.value)
        if isinstance(value, str):
            return repr(value)
        return f"{g.use('trees.paths', 'name_text')}({g.value(namespace.value)})"
    return "None"


def _index_code(g: Generator, step: Step, indexes: list[str]) -> str:
    """Return the index of a step: None, a number, or `...` with its expression added to `indexes`."""
    index = step.index
    if index is None or not index.direction:
        return "None"
    sign = "-" if index.direction == "<" else ""
    if index.value is None:
        return f"{sign}1"
    value = known_value(index.value)
    if type(value) is int and value > 0:
        return f"{sign}{value}"
    code = g.value(index.value)
    if type_of(g.unit, index.value) != "INTEGER":
        code = f"{g.use('casts.cast', 'to_integer')}({code})"
    name = step.name.text if isinstance(step.name, PlainName) else ""
    indexes.append(f"{sign}{g.use('trees.paths', 'index_number')}({code}, {name!r})")
    return "..."


def _step_type_code(g: Generator, node: Expression) -> str:
    """Return the type of a step; an attribute is one in every domain, whatever its number there."""
    if isinstance(node, FieldReference) and len(node.steps) == 2 and g.variable(node) is None:
        domain, name = ((step.plain or "").upper() for step in node.steps)
        if domain in ("XML", "XMLNS") and name in ("ATTRIBUTE", "ATTR"):
            return str(_ATTRIBUTE)
    return type_code(g, node)


def type_code(g: Generator, node: Expression) -> str:
    """Return the Python for a field type: a number if it is known."""
    number = type_constant(g, node)
    if number is not None:
        return str(number)
    value = known_value(node)
    if type(value) is int:
        return str(value)
    if isinstance(node, FieldReference) and len(node.steps) == 1 and g.variable(node) is None:
        binding = g.find(node.root or "")
        if binding is not None and not binding.is_tree:
            return f"{g.use('casts.cast', 'to_integer')}({binding.python})"
        raise Uncompilable(node, f"there is no field type {node.root}")
    return f"{g.use('casts.cast', 'to_integer')}({g.value(node)})"


def type_constant(g: Generator, node: Expression) -> int | None:
    """Return the number of a field type such as XMLNSC.Attribute, or None if it is none."""
    if not isinstance(node, FieldReference) or g.variable(node) is not None:
        return None
    names = [step.plain for step in node.steps]
    if None in names or not 1 <= len(names) <= 2:
        return None
    domain = (names[0] or "").upper() if len(names) == 2 else ""
    return TYPE_CONSTANTS.get(domain, {}).get((names[-1] or "").upper())
