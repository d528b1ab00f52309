"""Whether the bodies that ESQL writes can become bytes: their domains exist, and so do their models.

Called by `check_flow`. Reads the text of a node's own module, and of routines only which paths they name;
what a program works out while it runs is not known here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from penstock.esql.reach import names_in_paths
from penstock.esql.syntax.expressions import Call, Literal
from penstock.esql.syntax.functions import AsBitStream
from penstock.esql.syntax.paths import FieldReference, PlainName
from penstock.esql.syntax.statements import Set
from penstock.esql.syntax.tree_statements import CreateField, DeleteField, ParseClause
from penstock.flow.graph.validation import Finding
from penstock.flow.new_messages import MODELLED
from penstock.flow.nodes.compute import Compute
from penstock.model.errors import MQError
from penstock.tree import domain_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.esql.checker.walks import Placed
    from penstock.esql.syntax.node import Node as SyntaxNode
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.node import Node

ROOT = "OUTPUTROOT"
NAMING = frozenset(("MessageSet", "MessageType"))  # the fields of Properties that name a model
XML = ("XMLNSC", "XMLNS", "XML")
ROOT_AT = 2  # the place of the root element in OutputRoot.DFDL.Order
INSIDE = 3  # the first step that is inside the root element: OutputRoot, XMLNSC and the root are before it
ONLY_BEFORE_ROOT = ("XmlDeclaration", "DocumentType", "XmlDecl", "DocTypeDecl")
NAMELESS = ("NamespaceDecl", "Attribute")
_ASK_THEMSELVES = ("PythonCompute", "Mapping")  # nodes that may name a model in their own way


def check_bodies(flow: CompiledFlow) -> list[Finding]:
    """Return the folders below OutputRoot that no message can have, and the models that are not there."""
    found: dict[Finding, None] = {}
    computes = [(label, each) for label, each in flow.flat.nodes.items() if isinstance(each, Compute)]
    is_named = _is_model_named(flow)
    for label, node in computes:
        for text in _wrong(flow, node, is_named):
            found[Finding("error", label, text)] = None
    return list(found)


def _wrong(flow: CompiledFlow, node: Compute, is_named: bool) -> Iterator[str]:
    module = node.esql_module(flow.project)
    known = {*domain_names(), "Properties"}
    placed = _placed(flow, module.file, module.name)
    written, settled = _folders(placed)
    for name in sorted(written - settled):
        if name not in known:
            yield f"its ESQL writes OutputRoot.{name}, which is no domain: no message can have this folder"
        elif name in MODELLED and not is_named and not _is_known(flow, name, placed):
            yield (
                f"its ESQL writes a body in {name}, and nothing in the flow names its model: "
                "set OutputRoot.Properties.MessageSet or MessageType"
            )
    for each in placed:
        if isinstance(each.statement, (Set, CreateField)):
            yield from _impossible(each.statement.target)
    for name, type_ in sorted(_models(placed)):
        try:
            flow.project.model(name, type_)
        except MQError as raised:
            yield f"its ESQL names the model {name}: {raised.detail}"


def _is_known(flow: CompiledFlow, domain: str, placed: list[Placed]) -> bool:
    """Return whether the root elements that statements write in DFDL name a schema, or may do so."""
    if domain != "DFDL":
        return False
    found = [_root_element(each.statement) for each in placed]
    roots = {each for each in found if each is not None}
    try:
        for name in roots - {""}:
            flow.project.model("", name)
    except MQError:
        return False
    return bool(roots)


def _root_element(node: SyntaxNode) -> str | None:
    """Return the name of the root element that a statement writes in DFDL; nothing if it copies a body."""
    if not isinstance(node, (Set, CreateField)) or _folder(node.target) != "DFDL":
        return None
    steps = node.target.steps
    root = steps[ROOT_AT].name if len(steps) > ROOT_AT else None
    if isinstance(root, PlainName):
        return root.text
    if isinstance(node, CreateField) and node.place != "FIELD" and _text(node.name):
        return _text(node.name)
    return "" if isinstance(node, Set) and isinstance(node.value, FieldReference) else None


def _placed(flow: CompiledFlow, file: str, module: str) -> list[Placed]:
    """Return the statements of a module."""
    from penstock.esql.checker.walks import place_statements
    from penstock.esql.files import read_source
    from penstock.esql.parser.program import parse

    program = parse(read_source(Path(file))).program
    return [
        each
        for each in place_statements(program)
        if each.around.module is not None and each.around.module.name == module
    ]


def _folders(placed: list[Placed]) -> tuple[set[str], set[str]]:
    """Return the folders below OutputRoot that statements write, and those that need no domain of their name.

    Statements remove the latter, or give them a domain.
    """
    written: set[str] = set()
    settled: set[str] = set()
    for each in placed:
        statement = each.statement
        if isinstance(statement, Set):
            is_null = isinstance(statement.value, Literal) and statement.value.kind == "NULL"
            (settled if is_null else written).add(_folder(statement.target))
        elif isinstance(statement, DeleteField):
            settled.add(_folder(statement.target))
        elif isinstance(statement, CreateField):
            written.add(_created(statement))
            if statement.domain is not None or statement.source is not None:
                settled.add(_text(statement.name))
    return written - {""}, settled


def _folder(path: FieldReference) -> str:
    """Return the name of the folder below OutputRoot that a path begins with, or nothing."""
    if (path.root or "").upper() != ROOT or len(path.steps) < 2:
        return ""
    name = path.steps[1].name
    return name.text if isinstance(name, PlainName) and path.steps[1].type is None else ""


def _created(node: CreateField) -> str:
    """Return the domain of the folder that a CREATE adds below OutputRoot, or nothing."""
    if node.parse is not None or node.source is not None:
        return ""
    if (node.target.root or "").upper() != ROOT or len(node.target.steps) > 1 or node.domain is not None:
        return _folder(node.target) if node.domain is None else ""
    return _text(node.name)


def _impossible(path: FieldReference) -> Iterator[str]:
    """Find what XML cannot say inside an element, and steps that name no field."""
    if _folder(path) not in XML:
        return
    for step in path.steps[INSIDE:]:
        type_ = step.type.steps[-1].plain if isinstance(step.type, FieldReference) else None
        if type_ in ONLY_BEFORE_ROOT:
            yield f"its ESQL writes a {type_} inside an element: it belongs directly below {_folder(path)}"
        elif type_ in NAMELESS and step.name is None and step is not path.steps[-1]:
            yield f"its ESQL writes a {type_} without a name: write the name behind the type, without a dot"


def _models(placed: list[Placed]) -> Iterator[tuple[str, str]]:
    """Yield SET and TYPE of ASBITSTREAM and PARSE, where they are literals."""
    for each in placed:
        for node in each.nodes:
            if isinstance(node, (AsBitStream, ParseClause)):
                name, type_ = _text(node.options.set), _text(node.options.type)
                if name:
                    yield name, type_


def _text(node: SyntaxNode | None) -> str:
    """Return the text of a literal, or of a COALESCE that begins with one."""
    if isinstance(node, Call) and node.name.upper() == "COALESCE" and node.arguments:
        node = node.arguments[0]
    return node.text if isinstance(node, Literal) and node.kind == "CHARACTER" else ""


def _is_model_named(flow: CompiledFlow) -> bool:
    """Return whether anything in a flow may name the model of a body."""
    return any(_may_name(each, flow) for each in flow.flat.nodes.values())


def _may_name(node: Node, flow: CompiledFlow) -> bool:
    said = node.properties()
    if any(said.get(each) for each in ("model", "message_type")) or type(node).__name__ in _ASK_THEMSELVES:
        return True
    if type(node).__name__ in ("MQInput", "MQGet") and said.get("domain") in ("", "BLOB", *MODELLED):
        return True  # an MQRFH2 can name it
    if not isinstance(node, Compute):
        return False
    return not NAMING.isdisjoint(names_in_paths(node.esql_module(flow.project)))
