"""Statements in DFDL schemas: assert, discriminator, setVariable, newVariableInstance, defineVariable.

`Statements` knows the variables of all documents and returns the `Checks` for the annotations of a part.
Elements set variables after their content, groups before it; patterns are tested before, expressions after
(DFDL 1.0, 9.5). Invalid statements are refused with file and line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model.dfdl.checking import (
    Checks,
    EndInstance,
    Instance,
    NewInstance,
    SetVariable,
    Step,
    Test,
)
from penstock.tree.model.dfdl.expression import Expression, read_expression
from penstock.tree.model.dfdl.expression_functions import FUNCTIONS, Failure
from penstock.tree.model.dfdl.properties import DFDL, Properties, annotated, elements_of
from penstock.tree.model.schema_documents import wrong

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.tree.model.schema_documents import Documents, Node

_ABOVE = re.compile(r"(?<![\w./\])])\.\./")  # at the begin of a path
_TESTS = ("assert", "discriminator")
_PREDEFINED = {"encoding": "UTF-8", "byteOrder": "bigEndian", "binaryFloatRep": "ieee", "outputNewLine": "\n"}


class Statements:
    """The variables of a schema, and the statements at its parts."""

    def __init__(self, documents: Documents, given: Mapping[str, str]) -> None:
        self.given = given
        self.variables = {DFDL + name: _constant(text) for name, text in _PREDEFINED.items()}
        self.types: dict[str, str] = {}
        self.constants: dict[str, str] = {DFDL + "outputNewLine": "%LF;"}
        self.notes: list[tuple[Node, str]] = []
        defined = [
            said
            for document in documents.all
            for said in annotated(document.root)
            if said.tag == DFDL + "defineVariable"
        ]
        for said in defined:
            self._declare(said)
        for said in defined:
            self._define(said)
        self.assumed: dict[str, str] = {}  # variables that a property was read with
        unknown = given.keys() - {name.rpartition("}")[2] for name in self.types}
        if unknown:
            raise error(mq.PSRC_ARGUMENT_ERROR, f"the schema has no variable {min(unknown)!r}")

    def _declare(self, said: Node) -> None:
        name = said.document.own(said.get("name"))
        if not said.get("name") or name in self.variables:
            raise wrong(said, f"defineVariable {said.get('name')!r} has no name of its own")
        self.variables[name] = Instance()
        self.types[name] = said.qualified(said.get("type", "xs:string")).rpartition("}")[2]

    def _define(self, said: Node) -> None:
        text = self.given.get(said.get("name"), said.get("defaultValue") or said.text.strip())
        if not text:
            return
        name = said.document.own(said.get("name"))
        if text.startswith("{") and not text.startswith("{{"):
            self.variables[name] = Instance(default=self._expression(said, text))
        else:
            self.constants[name] = text
            self.variables[name] = _constant(self._typed(said, name, text.replace("{{", "{", 1)))

    def _typed(self, said: Node, name: str, text: str) -> Any:
        """Return the value of a literal; its type is the variable's."""
        kind = self.types.get(name, "string")
        known = FUNCTIONS.get(f"xs:{kind}")
        if known is None:
            raise wrong(said, f"variables of type xs:{kind} are not supported")
        try:
            return known[2](None, text)
        except Failure as problem:
            raise wrong(said, f"{text!r} is no xs:{kind}: {problem}") from problem

    def constant(self, node: Node, text: str) -> str | None:
        """Return the value of a property that is only a variable: its default; None for anything else."""
        found = re.fullmatch(r"\{\s*\$([\w.:-]+)\s*\}", text)
        name = self._variable(node, found[1]) if found is not None else ""
        if name in self.constants and not name.startswith(DFDL):
            self.assumed[name] = self.constants[name]
        return self.constants.get(name)

    def differs(self, name: str, value: Any) -> str:
        """Return how the value of a variable differs from the one used for properties."""
        assumed = self.assumed.get(name)
        if assumed is None or _literal(assumed) == _literal(str(value)):
            return ""
        local = name.rpartition("}")[2]
        advice = f"import the schema with variables={{{local!r}: ...}}"
        return f"{local} is {value!r}, but the model was made for {assumed!r}; {advice}"

    def count(self, said: Properties) -> Expression:
        """Return the expression of occursCount, for the place of the field that holds the element."""
        text = said.get("occursCount", "")
        return self._expression(said.node, _ABOVE.sub("./", text), text)

    def at(self, nodes: Iterable[Node], *, is_group: bool) -> Checks | None:
        """Return the checks at a part: of its use, its declaration and its types; None if there are none."""
        enter: list[Step] = []
        before: list[Step] = []
        sets: list[Step] = []
        tests: list[Step] = []
        ends: list[Step] = []
        for said in (each for node in nodes for each in annotated(node)):
            kind = said.tag.removeprefix(DFDL)
            if kind in _TESTS:
                test = self._test(said, kind)
                if test is not None:
                    (enter if test.pattern is not None else tests).append(test)
            elif kind == "newVariableInstance":
                if not is_group:
                    raise wrong(said, "newVariableInstance is only allowed at sequences, choices and groups")
                before.append(self._new(said))
                ends.append(EndInstance(self._referred(said)))
            elif kind == "setVariable":
                sets.append(self._set(said))
        leave = [*tests, *ends] if is_group else [*sets, *tests, *ends]
        enter += [*before, *(sets if is_group else [])]
        return Checks(tuple(enter), tuple(leave)) if enter or leave else None

    def dispatch(self, node: Node, key: str, branch: str) -> Checks:
        """Return the test that a branch of a choice matches its dispatch key."""
        shown = " or ".join(f"xs:string({key.strip()[1:-1]}) eq '{each}'" for each in branch.split())
        expression = self._expression(node, "{" + shown.replace("\n", " ") + "}")
        test = Test("discriminator", _where(node), f"the dispatch key is not {branch}", expression)
        return Checks(enter=(test,))

    def _test(self, said: Node, kind: str) -> Test | None:
        if said.get("failureType", "processingError") == "recoverableError":
            self.notes.append((said, f"{kind} with failureType recoverableError is not tested"))
            return None
        own = said.attributes | elements_of(said)
        message: str | Expression = own.get("message", "")
        if isinstance(message, str) and message.startswith("{") and not message.startswith("{{"):
            message = self._expression(said, message)
        if own.get("testKind", "expression") == "pattern":
            pattern = own.get("testPattern") or said.text.strip()
            try:
                return Test(kind, _where(said), message, pattern=re.compile(pattern, re.DOTALL))
            except re.error as problem:
                raise wrong(said, f"{kind}: the pattern {pattern!r} cannot be read: {problem}") from problem
        text = own.get("test") or said.text.strip()
        if not text:
            raise wrong(said, f"{kind} without a test")
        return Test(kind, _where(said), message, self._expression(said, text))

    def _set(self, said: Node) -> SetVariable:
        text = said.get("value") or said.text.strip()
        name = self._referred(said)
        if name.startswith(DFDL):
            raise wrong(said, f"setVariable: {said.get('ref')} is what the format of the data says")
        return SetVariable(name, self._value(said, name, text), _where(said), self.differs)

    def _new(self, said: Node) -> NewInstance:
        text = said.get("defaultValue") or said.text.strip()
        name = self._referred(said)
        return NewInstance(name, self._value(said, name, text) if text else self.variables[name].default)

    def _value(self, said: Node, name: str, text: str) -> Expression:
        if text.startswith("{") and not text.startswith("{{"):
            return self._expression(said, text)
        value = self._typed(said, name, text.replace("{{", "{", 1))
        return Expression(text, lambda x: value)

    def _referred(self, said: Node) -> str:
        name = self._variable(said, said.get("ref"))
        if name not in self.variables:
            raise wrong(said, f"the variable {said.get('ref')!r} is not defined")
        return name

    def _variable(self, node: Node, name: str) -> str:
        """Return the full name of a variable; without a prefix, or with an undeclared one, it may be the
        document's own, or the only one of its name.
        """
        full = node.qualified(name)
        prefix, _, local = name.rpartition(":")
        if full in self.variables or (prefix and prefix in node.spaces):
            return full
        own = node.document.own(local)
        known = [each for each in self.variables if each.rpartition("}")[2] == local]
        return known[0] if own not in self.variables and len(known) == 1 else own

    def _expression(self, said: Node, text: str, shown: str = "") -> Expression:
        def variable(name: str) -> str:
            full = self._variable(said, name)
            if full not in self.variables:
                raise ValueError(f"the variable ${name} is not defined")
            return full

        try:
            return read_expression(text, variable)
        except ValueError as problem:
            raise wrong(said, f"{(shown or text)!r}: {problem}") from problem


def _constant(value: Any) -> Instance:
    return Instance(default=Expression(str(value), lambda x: value))


def _literal(text: str) -> str:
    """Return the first of the characters in a list of literals."""
    said = Properties()
    return said.decoded("", text.split(maxsplit=1)[0]) if text.split() else text


def _where(said: Node) -> str:
    return f"{said.document.path}, line {said.line}"
