"""Prints statements and whole programs, one statement per line.

Lines are not indented: text literals may span several lines and must not change.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from penstock.esql.parser.expressions import ADD
from penstock.esql.printer.expressions import (
    show,
    show_expression,
    show_list,
    show_parser_options,
    show_step,
    show_type,
)
from penstock.esql.printer.names import show_dotted, show_name
from penstock.esql.syntax import database_statements as database
from penstock.esql.syntax import statements as tree
from penstock.esql.syntax import tree_statements as trees
from penstock.esql.syntax.program import Module, Parameter, Program, Routine

if TYPE_CHECKING:
    from penstock.esql.syntax.node import Node


def show_program(program: Program) -> str:
    """Return a whole file."""
    lines: list[str] = []
    if program.schema:
        lines.append(f"BROKER SCHEMA {show_dotted(program.schema)}")
    if program.path:
        lines.append(f"PATH {', '.join([show_dotted(each) for each in program.path])};")
    lines += [show_statement(statement) for statement in program.body]
    return "\n".join([*lines, ""])


def _block(body: tree.Body) -> str:
    return "".join([show_statement(statement) + "\n" for statement in body])


def _clause(word: str, node: Node | None, rank: int = 1) -> str:
    return "" if node is None else f" {word} {show_expression(node, rank)}"


def _label(label: str | None) -> str:
    return "" if label is None else f"{show_name(label)}: "


def _place(place: str) -> str:
    return place if place == trees.FIELD else f"{place} OF"


@singledispatch
def show_statement(node: Node) -> str:
    """Return a statement with its semicolon."""
    raise TypeError(f"no way to print {type(node).__name__}")


@show_statement.register
def _(node: tree.Declare) -> str:
    words = [word for word, on in (("SHARED", node.shared), ("EXTERNAL", node.external)) if on]
    words += ["CONSTANT"] if node.constant else []
    initial = ""
    if node.initial is not None:
        initial = (" TO " if node.type.name == "REFERENCE" else " ") + show_expression(node.initial)
    names = ", ".join([show_name(name) for name in node.names])
    return f"DECLARE {' '.join([names, *words, show_type(node.type)])}{initial};"


@show_statement.register
def _(node: tree.DeclareHandler) -> str:
    states = ", ".join(
        [
            f"SQLSTATE {'LIKE' if each.like else 'VALUE'} {show_expression(each.text, ADD)}"
            f"{_clause('ESCAPE', each.escape, ADD)}"
            for each in node.states
        ]
    )
    return f"DECLARE {node.action} HANDLER FOR {states}\n{_block((node.body,))}".rstrip("\n")


@show_statement.register
def _(node: tree.Set) -> str:
    part = f" {node.part}" if node.part else ""
    return f"SET {show(node.target)}{part} = {show_expression(node.value)};"


@show_statement.register
def _(node: tree.If) -> str:
    parts = [
        f"{'ELSEIF' if number else 'IF'} {show_expression(each.test)} THEN\n{_block(each.body)}"
        for number, each in enumerate(node.branches)
    ]
    otherwise = "" if node.otherwise is None else f"ELSE\n{_block(node.otherwise)}"
    return f"{''.join(parts)}{otherwise}END IF;"


@show_statement.register
def _(node: tree.Case) -> str:
    subject = "" if node.subject is None else " " + show_expression(node.subject)
    parts = [f"WHEN {show_expression(each.test)} THEN\n{_block(each.body)}" for each in node.branches]
    otherwise = "" if node.otherwise is None else f"ELSE\n{_block(node.otherwise)}"
    return f"CASE{subject}\n{''.join(parts)}{otherwise}END CASE;"


@show_statement.register
def _(node: tree.While) -> str:
    return f"{_label(node.label)}WHILE {show_expression(node.test)} DO\n{_block(node.body)}END WHILE;"


@show_statement.register
def _(node: tree.Repeat) -> str:
    return f"{_label(node.label)}REPEAT\n{_block(node.body)}UNTIL {show_expression(node.test)} END REPEAT;"


@show_statement.register
def _(node: tree.Loop) -> str:
    return f"{_label(node.label)}LOOP\n{_block(node.body)}END LOOP;"


@show_statement.register
def _(node: tree.For) -> str:
    head = f"FOR {show_name(node.name)} AS {show_expression(node.source)} DO"
    return f"{_label(node.label)}{head}\n{_block(node.body)}END FOR;"


@show_statement.register
def _(node: tree.Begin) -> str:
    atomic = "" if node.atomic is None else " ATOMIC" if node.atomic else " NOT ATOMIC"
    return f"{_label(node.label)}BEGIN{atomic}\n{_block(node.body)}END;"


@show_statement.register
def _(node: tree.Leave) -> str:
    return f"LEAVE {show_name(node.label)};"


@show_statement.register
def _(node: tree.Iterate) -> str:
    return f"ITERATE {show_name(node.label)};"


@show_statement.register
def _(node: tree.Return) -> str:
    return "RETURN;" if node.value is None else f"RETURN {show_expression(node.value)};"


@show_statement.register
def _(node: tree.CallStatement) -> str:
    options = _clause("IN", node.database_schema) + _clause("EXTERNAL SCHEMA", node.external_schema)
    name = show_dotted((*node.schema, node.name))
    return f"CALL {name}({show_list(node.arguments)}){options}{_clause('INTO', node.into)};"


def _detail(node: tree.ExceptionDetail) -> str:
    words = _clause("SEVERITY", node.severity) + _clause("CATALOG", node.catalog)
    words += _clause("MESSAGE", node.message)
    return words if node.values is None else f"{words} VALUES({show_list(node.values)})"


@show_statement.register
def _(node: tree.Throw) -> str:
    return f"THROW {'USER ' if node.user else ''}EXCEPTION{_detail(node.detail)};"


@show_statement.register
def _(node: tree.Resignal) -> str:
    return "RESIGNAL;"


@show_statement.register
def _(node: tree.Log) -> str:
    target = "USER TRACE" if node.target == "TRACE" else "EVENT"
    exception = f"{' FULL' if node.full else ''} EXCEPTION" if node.exception else ""
    return f"LOG {target}{exception}{_detail(node.detail)};"


@show_statement.register
def _(node: tree.Propagate) -> str:
    words = _clause("TO TERMINAL", node.terminal) + _clause("TO LABEL", node.label)
    words += _clause("ENVIRONMENT", node.environment) + _clause("MESSAGE", node.message)
    words += _clause("EXCEPTION", node.exception)
    words += f" FINALIZE {node.finalize}" if node.finalize else ""
    words += f" DELETE {node.delete}" if node.delete else ""
    return f"PROPAGATE{words};"


@show_statement.register
def _(node: tree.Eval) -> str:
    return f"EVAL({show_expression(node.text)});"


@show_statement.register
def _(node: tree.Sleep) -> str:
    return f"SLEEP({show_expression(node.duration)});"


@show_statement.register
def _(node: tree.Empty) -> str:
    return ";"


@show_statement.register
def _(node: trees.CreateField) -> str:
    words = _clause("AS", node.reference) + _clause("DOMAIN", node.domain)
    words += " REPEAT" if node.repeat else ""
    words += f" IDENTITY {show_step(node.identity)}" if node.identity is not None else ""
    for word in ("TYPE", "NAMESPACE", "NAME", "VALUE"):
        words += _clause(word, getattr(node, word.lower()))
    words += _clause("FROM", node.source)
    if node.parse is not None:
        words += f" PARSE({show_expression(node.parse.data)}{show_parser_options(node.parse.options)})"
    return f"CREATE {_place(node.place)} {show(node.target)}{words};"


@show_statement.register
def _(node: trees.Attach) -> str:
    return f"ATTACH {show(node.reference)} TO {show(node.target)} AS {node.place};"


@show_statement.register
def _(node: trees.Detach) -> str:
    return f"DETACH {show(node.reference)};"


@show_statement.register
def _(node: trees.DeleteField) -> str:
    return f"DELETE {_place(node.place)} {show(node.target)};"


@show_statement.register
def _(node: trees.Move) -> str:
    words = f" {show(node.target)}" if node.target is not None else ""
    for word in ("TYPE", "NAMESPACE", "NAME"):
        words += _clause(word, getattr(node, word.lower()))
    words += f" IDENTITY {show_step(node.identity)}" if node.identity is not None else ""
    words += f" REPEAT {' '.join(node.repeat)}" if node.repeat is not None else ""
    return f"MOVE {show(node.reference)} {node.direction}{words};"


@show_statement.register
def _(node: database.Insert) -> str:
    columns = f" ({show_list(node.columns)})" if node.columns else ""
    return f"INSERT INTO {show(node.table)}{columns} VALUES ({show_list(node.values)});"


@show_statement.register
def _(node: database.Update) -> str:
    columns = ", ".join([f"{show(each.column)} = {show_expression(each.value)}" for each in node.columns])
    name = f" AS {show_name(node.name)}" if node.name is not None else ""
    return f"UPDATE {show(node.table)}{name} SET {columns}{_clause('WHERE', node.where)};"


@show_statement.register
def _(node: database.DeleteFrom) -> str:
    name = f" AS {show_name(node.name)}" if node.name is not None else ""
    return f"DELETE FROM {show(node.table)}{name}{_clause('WHERE', node.where)};"


@show_statement.register
def _(node: database.PassthruStatement) -> str:
    return show(node.call) + ";"


@show_statement.register
def _(node: database.Transaction) -> str:
    return f"{node.action}{' ' + show(node.database) if node.database is not None else ''};"


@show_statement.register
def _(node: Module) -> str:
    name = ".".join([show_name(each) for each in node.name.split(".")])
    return f"CREATE {node.kind} MODULE {name}\n{_block(node.body)}END MODULE;"


@show_statement.register
def _(node: Routine) -> str:
    parameters = ", ".join([_parameter(each) for each in node.parameters])
    name = ".".join([show_name(each) for each in node.name.split(".")])
    words = f" RETURNS {show_type(node.returns)}" if node.returns is not None else ""
    words += _nullable(node.returns_nullable)
    words += f" LANGUAGE {node.language}" if node.language else ""
    words += f" DYNAMIC RESULT SETS {node.result_sets}" if node.result_sets is not None else ""
    if node.external is not None:
        words += ' EXTERNAL NAME "' + node.external.name.replace('"', '""') + '"'
        words += "".join([f" {each.word} {show_expression(each.value)}" for each in node.external.options])
    body = ";" if node.body is None else "\n" + _block((node.body,)).rstrip("\n")
    return f"CREATE {node.kind} {name}({parameters}){words}{body}"


def _parameter(node: Parameter) -> str:
    words = [node.direction] if node.direction else []
    words += [show_name(node.name), *(["CONSTANT"] if node.constant else [])]
    words += [show_type(node.type)] if node.type is not None else []
    return " ".join(words) + _nullable(node.nullable)


def _nullable(nullable: bool | None) -> str:
    return "" if nullable is None else " NULL" if nullable else " NOT NULL"
