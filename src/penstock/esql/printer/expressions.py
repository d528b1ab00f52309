"""Prints expressions, with parentheses where the precedence needs them."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from penstock.esql.parser.expressions import ADD, COMPARE, NOT, OR, RANKS, UNARY
from penstock.esql.printer.names import show_dotted, show_name, show_text
from penstock.esql.syntax import expressions as tree
from penstock.esql.syntax import functions as special
from penstock.esql.syntax import paths
from penstock.esql.syntax.select import Select, SelectItem, SelectSource

if TYPE_CHECKING:
    from penstock.esql.syntax.node import Node
    from penstock.esql.syntax.types import DataType

_ATOM = UNARY + 1
_PLAIN_LITERALS = frozenset(("INTEGER", "FLOAT", "BOOLEAN", "NULL"))


def show_expression(node: Node | None, rank: int = OR) -> str:
    """Return an expression as ESQL, in parentheses if it binds less tightly than `rank`."""
    if node is None:
        return ""
    text = show(node)
    return f"({text})" if _rank(node) < rank else text


def _rank(node: Node) -> int:
    if isinstance(node, tree.Chain):
        return RANKS[node.operators[0]]
    if isinstance(node, tree.Unary):
        return NOT if node.operator == "NOT" else UNARY
    if isinstance(node, (tree.Comparison, tree.Is, tree.In, tree.Like, tree.Between)):
        return COMPARE
    return _ATOM


def show_list(nodes: tuple[Node, ...]) -> str:
    """Return expressions with commas between them."""
    return ", ".join([show_expression(node) for node in nodes])


def _clause(word: str, node: Node | None, rank: int = OR) -> str:
    return "" if node is None else f" {word} {show_expression(node, rank)}"


@singledispatch
def show(node: Node) -> str:
    """Return a node as ESQL, regardless of its surroundings."""
    raise TypeError(f"no way to print {type(node).__name__}")


@show.register
def _(node: tree.Literal) -> str:
    if node.kind in _PLAIN_LITERALS and not (node.kind == "INTEGER" and not node.text.isdigit()):
        return node.text
    if node.kind == "HEX":
        return "0x" + node.text
    if node.kind == "CHARACTER":
        return show_text(node.text)
    if node.kind in ("BLOB", "BIT"):
        return f"{'X' if node.kind == 'BLOB' else 'B'}'{node.text}'"
    qualifier = " " + " TO ".join(node.qualifier) if node.qualifier else ""
    return f"{node.kind} {show_text(node.text)}{qualifier}"


@show.register
def _(node: tree.Unary) -> str:
    return f"{node.operator} {show_expression(node.operand, NOT if node.operator == 'NOT' else UNARY)}"


@show.register
def _(node: tree.Chain) -> str:
    rank = RANKS[node.operators[0]] + 1
    parts = [show_expression(node.operands[0], rank)]
    for operator, operand in zip(node.operators, node.operands[1:], strict=True):
        parts.append(f"{operator} {show_expression(operand, rank)}")
    return " ".join(parts)


@show.register
def _(node: tree.Comparison) -> str:
    return f"{show_expression(node.left, ADD)} {node.operator} {show_expression(node.right, ADD)}"


@show.register
def _(node: tree.Is) -> str:
    return f"{show_expression(node.operand, ADD)} IS {'NOT ' if node.negated else ''}{node.what}"


@show.register
def _(node: tree.Between) -> str:
    words = f"{'NOT ' if node.negated else ''}BETWEEN {'SYMMETRIC ' if node.symmetric else ''}"
    limits = f"{show_expression(node.low, ADD)} AND {show_expression(node.high, ADD)}"
    return f"{show_expression(node.operand, ADD)} {words}{limits}"


@show.register
def _(node: tree.In) -> str:
    words = "NOT IN" if node.negated else "IN"
    return f"{show_expression(node.operand, ADD)} {words} ({show_list(node.choices)})"


@show.register
def _(node: tree.Like) -> str:
    words = "NOT LIKE" if node.negated else "LIKE"
    pattern = show_expression(node.pattern, ADD)
    return f"{show_expression(node.operand, ADD)} {words} {pattern}{_clause('ESCAPE', node.escape, ADD)}"


@show.register
def _(node: tree.IntervalOf) -> str:
    return f"({show_expression(node.operand)}) {' TO '.join(node.qualifier)}"


@show.register
def _(node: tree.CaseExpression) -> str:
    subject = "" if node.subject is None else " " + show_expression(node.subject)
    branches = "".join(
        [f" WHEN {show_expression(each.test)} THEN {show_expression(each.result)}" for each in node.branches]
    )
    return f"CASE{subject}{branches}{_clause('ELSE', node.otherwise)} END"


@show.register
def _(node: tree.Cast) -> str:
    options = "".join(
        [
            _clause(word, value, ADD)
            for word, value in (
                ("CCSID", node.ccsid),
                ("ENCODING", node.encoding),
                ("FORMAT", node.format),
                ("DEFAULT", node.default),
            )
        ]
    )
    return f"CAST({show_list(node.sources)} AS {show_type(node.type)}{options})"


@show.register
def _(node: tree.Star) -> str:
    return "*"


@show.register
def _(node: tree.Missing) -> str:
    return ""


@show.register
def _(node: tree.Call) -> str:
    word = "DISTINCT " if node.distinct else "ALL " if node.every else ""
    return f"{show_dotted((*node.schema, node.name))}({word}{show_list(node.arguments)})"


@show.register
def _(node: tree.RowConstructor) -> str:
    return (
        f"ROW({', '.join([show_expression(each.value) + _clause('AS', each.name) for each in node.items])})"
    )


@show.register
def _(node: tree.ListConstructor) -> str:
    return f"LIST{{{show_list(node.items)}}}"


@show.register
def _(node: tree.Quantified) -> str:
    name = f" AS {show_name(node.name)}" if node.name else ""
    word = f"FOR {node.quantifier}".strip()
    return f"{word} {show_expression(node.source, ADD)}{name} ({show_expression(node.predicate)})"


@show.register
def _(node: special.Substring) -> str:
    anchor = _clause(node.side, node.anchor)
    return f"SUBSTRING({show_expression(node.operand)}{anchor}{_clause('FOR', node.length)})"


@show.register
def _(node: special.Trim) -> str:
    if not node.side:
        return f"TRIM({show_expression(node.operand)})"
    singleton = "" if node.singleton is None else " " + show_expression(node.singleton)
    return f"TRIM({node.side}{singleton} FROM {show_expression(node.operand)})"


@show.register
def _(node: special.Position) -> str:
    options = _clause("FROM", node.start) + _clause("REPEAT", node.count)
    return f"POSITION({show_expression(node.wanted, ADD)} IN {show_expression(node.operand)}{options})"


@show.register
def _(node: special.Overlay) -> str:
    options = _clause("FROM", node.start) + _clause("FOR", node.length)
    return f"OVERLAY({show_expression(node.operand)} PLACING {show_expression(node.text)}{options})"


@show.register
def _(node: special.Extract) -> str:
    return f"EXTRACT({node.part} FROM {show_expression(node.operand)})"


@show.register
def _(node: special.Round) -> str:
    return f"ROUND({show_expression(node.operand)}, {show_expression(node.places)} MODE {node.mode})"


@show.register
def _(node: special.AsBitStream) -> str:
    return f"ASBITSTREAM({show_expression(node.field)}{show_parser_options(node.options)})"


@show.register
def _(node: special.ContextReference) -> str:
    if node.name is None:
        return f"CONTEXTINVOCATIONNODE({node.part})"
    part = f" {node.part}" if node.part else ""
    level = _clause("LEVELNAME", node.level)
    return f"CONTEXTREFERENCE(NODENAME {show_expression(node.name)}{level}{part})"


@show.register
def _(node: special.Passthru) -> str:
    database = _clause("TO", node.database)
    values = f" VALUES({show_list(node.values)})" if node.values else ""
    return f"PASSTHRU({show_expression(node.text)}{database}{values})"


@show.register
def _(node: Select) -> str:
    items = ", ".join([_item(each) for each in node.items])
    sources = ", ".join([_source(each) for each in node.sources])
    where = _clause("WHERE", node.where)
    return f"(SELECT {'ITEM ' if node.item else ''}{items} FROM {sources}{where})"


@show.register
def _(node: paths.FieldReference) -> str:
    return ".".join([show_step(step) for step in node.steps])


@show.register
def _(node: paths.ResultField) -> str:
    return ".".join([show(node.call), *[show_step(step) for step in node.steps]])


def show_step(step: paths.Step) -> str:
    """Return one element of a path."""
    kind = f"({show_expression(step.type)})" if step.type is not None else ""
    namespace = f"{_name(step.namespace)}:" if step.namespace is not None else ""
    name = _name(step.name) if step.name is not None else ""
    return f"{kind}{namespace}{name}{_index(step.index)}"


def _name(name: paths.Name) -> str:
    if isinstance(name, paths.PlainName):
        return show_name(name.text)
    return "*" if isinstance(name, paths.AnyName) else f"{{{show_expression(name.value)}}}"


def _index(index: paths.Index | None) -> str:
    if index is None:
        return ""
    return f"[{index.direction.strip('=')}{show_expression(index.value)}]"


def _item(item: SelectItem) -> str:
    name = _clause("AS", item.name)
    return f"{show_expression(item.value)}{name}{' INSERT' if item.insert else ''}"


def _source(source: SelectSource) -> str:
    name = f" AS {show_name(source.name)}" if source.name is not None else ""
    return show_expression(source.value, ADD) + name


def show_parser_options(node: special.ParserOptions) -> str:
    """Return the options of ASBITSTREAM and PARSE."""
    words = ("OPTIONS", "ENCODING", "CCSID", "SET", "TYPE", "FORMAT")
    return "".join([_clause(word, getattr(node, word.lower()), ADD) for word in words])


def show_type(node: DataType) -> str:
    """Return a data type."""
    size = f"({', '.join([str(each) for each in node.size])})" if node.size else ""
    qualifier = " " + " TO ".join(node.qualifier) if node.qualifier else ""
    return f"{node.name}{size}{qualifier}"
