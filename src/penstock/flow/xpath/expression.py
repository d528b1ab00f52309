"""Compiles an XPath expression into a function: recursive descent, one method per rule of the grammar.

All errors that can be found without a message are found here: unknown functions, variables, prefixes and
axes, wrong numbers of arguments, too deep nesting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

from penstock.flow.xpath.axes import AXES, Test, Visits
from penstock.flow.xpath.evaluation import At, Constant, Variable, evaluated
from penstock.flow.xpath.functions import FUNCTIONS
from penstock.flow.xpath.operators import arithmetic, both, comparison, either, negative, union
from penstock.flow.xpath.paths import filtered, path_from, walk
from penstock.flow.xpath.problem import problem
from penstock.flow.xpath.tokens import Token, tokens_of
from penstock.flow.xpath.values import truth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.flow.xpath.evaluation import Evaluate
    from penstock.flow.xpath.paths import Step
    from penstock.flow.xpath.values import Value
    from penstock.model.errors import MQError
    from penstock.tree import Reference

DEPTH_MAX = 50
_NODE_TESTS = ("text", "node")
_ANYWHERE: Step = ("descendant-or-self", Test("node"), [])


@cython.cclass
class XPath:
    """An expression ready to run; `used` are the variables that it names."""

    def __init__(self, text: str, evaluate: Evaluate, used: frozenset[str]) -> None:
        self.text = text
        self.used = used
        self._evaluate = evaluate

    def value(self, context: Reference, variables: dict[str, Reference | None]) -> Value:
        """Return the value: a list of fields and texts, a text, a number or a Boolean."""
        return evaluated(self._evaluate, At(context, 1, 1, variables, Visits()))

    def holds(self, context: Reference, variables: dict[str, Reference | None]) -> bool:
        """Return the value as a Boolean."""
        return truth_of(self.value(context, variables))


def compile_xpath(text: str, variables: frozenset[str], namespaces: Mapping[str, str] | None = None) -> XPath:
    """Return the function of an expression; 8308 with the column of an error.

    `variables` are the names that may follow `$`; their values are given to each evaluation.
    """
    reader = _Reader(text, variables, namespaces or {})
    evaluate = reader.all()
    return XPath(text, evaluate, frozenset(reader.used))


class _Reader:
    def __init__(self, text: str, variables: frozenset[str], namespaces: Mapping[str, str]) -> None:
        self.text = text
        self.variables = variables
        self.namespaces = namespaces
        self.tokens = tokens_of(text)
        self.place = 0
        self.depth = 0
        self.used: set[str] = set()

    # -- words -----------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def take(self, *texts: str) -> str:
        """Take the next token if it is one of these symbols or operators; else return nothing."""
        token = self.token
        if token.kind in ("symbol", "operator") and token.text in texts:
            self.place += 1
            return token.text
        return ""

    def need(self, text: str) -> None:
        if not self.take(text):
            raise self.wrong(f"{text} is missing here")

    def wrong(self, why: str, token: Token | None = None) -> MQError:
        return problem(self.text, (token or self.token).column, why)

    # -- expressions, from the loosest binding to the tightest --------------------------------

    def all(self) -> Evaluate:
        found = self.expression()
        if self.token.kind != "end":
            raise self.wrong(f"{self.token.text!r} does not belong here")
        return found

    def expression(self) -> Evaluate:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.wrong(f"expressions within each other: at most {DEPTH_MAX}")
        left = self.conjunction()
        while self.take("or"):
            left = either(left, self.conjunction())
        self.depth -= 1
        return left

    def conjunction(self) -> Evaluate:
        left = self.equality()
        while self.take("and"):
            left = both(left, self.equality())
        return left

    def equality(self) -> Evaluate:
        return self._binary(self.relation, comparison, "=", "!=")

    def relation(self) -> Evaluate:
        return self._binary(self.sum, comparison, "<", "<=", ">", ">=")

    def sum(self) -> Evaluate:
        return self._binary(self.product, arithmetic, "+", "-")

    def product(self) -> Evaluate:
        return self._binary(self.signed, arithmetic, "*", "div", "mod")

    def _binary(
        self,
        operand: Callable[[], Evaluate],
        made: Callable[[str, Evaluate, Evaluate], Evaluate],
        *operators: str,
    ) -> Evaluate:
        left = operand()
        while operator := self.take(*operators):
            left = made(operator, left, operand())
        return left

    def signed(self) -> Evaluate:
        signs = 0
        while self.take("-"):
            signs += 1
        found = self.union()
        return negative(found, signs) if signs else found

    def union(self) -> Evaluate:
        left = self.path()
        while self.take("|"):
            left = union(left, self.path())
        return left

    # -- paths -----------------------------------------------------------------------------

    def path(self) -> Evaluate:
        if self._begins_primary():
            start = self._filtered(self.primary())
            steps = self._further_steps()
            return path_from(start, steps) if steps else start
        if self.take("//"):
            return path_from(_root, [_ANYWHERE, *self.relative()])
        if self.take("/"):
            return path_from(_root, self.relative() if self._begins_step() else [])
        return path_from(None, self.relative())

    def _begins_primary(self) -> bool:
        token, following = self.token, self.tokens[min(self.place + 1, len(self.tokens) - 1)]
        if token.kind in ("number", "literal", "variable") or token.text == "(":
            return True
        return token.kind == "name" and following.text == "(" and token.text not in _NODE_TESTS

    def _begins_step(self) -> bool:
        token = self.token
        return token.kind in ("name", "axis") or token.text in (".", "..", "@", "*")

    def _further_steps(self) -> list[Step]:
        if self.take("//"):
            return [_ANYWHERE, *self.relative()]
        return self.relative() if self.take("/") else []

    def relative(self) -> list[Step]:
        steps = [self.step()]
        while True:
            if self.take("//"):
                steps.append(_ANYWHERE)
            elif not self.take("/"):
                return steps
            steps.append(self.step())

    def step(self) -> Step:
        if self.take("."):
            return "self", Test("node"), []
        if self.take(".."):
            return "parent", Test("node"), []
        axis = "attribute" if self.take("@") else "child"
        if self.token.kind == "axis":
            axis = self.token.text
            if axis not in AXES:
                raise self.wrong(f"axis {axis} is not supported")
            self.place += 1
        return axis, self.node_test(), self.predicates()

    def node_test(self) -> Test:
        token = self.token
        if token.text == "*":
            self.place += 1
            return Test("name")
        if token.kind not in ("name", "operator"):
            raise self.wrong("a step needs a name here")
        self.place += 1
        if token.text in _NODE_TESTS and self.take("("):
            self.need(")")
            return Test(token.text)
        return self._named(token)

    def _named(self, token: Token) -> Test:
        prefix, colon, name = token.text.rpartition(":")
        if not colon:
            return Test("name", name, "")
        if prefix not in self.namespaces:
            raise self.wrong(f"prefix {prefix} has no namespace", token)
        return Test("name", None if name == "*" else name, self.namespaces[prefix])

    def predicates(self) -> list[Evaluate]:
        found = []
        while self.take("["):
            found.append(self.expression())
            self.need("]")
        return found

    def _filtered(self, start: Evaluate) -> Evaluate:
        for predicate in self.predicates():
            start = filtered(start, predicate)
        return start

    # -- expressions other than paths ------------------------------------------------------

    def primary(self) -> Evaluate:
        token = self.token
        self.place += 1
        if token.kind == "number":
            return Constant(float(token.text))
        if token.kind == "literal":
            return Constant(token.text[1:-1])
        if token.kind == "variable":
            return self._variable(token)
        if token.text == "(":
            inner = self.expression()
            self.need(")")
            return inner
        return self._call(token)

    def _variable(self, token: Token) -> Evaluate:
        name = token.text[1:]
        if name not in self.variables:
            known = ", ".join(f"${each}" for each in sorted(self.variables))
            raise self.wrong(f"there is no variable ${name}; there are: {known}", token)
        self.used.add(name)
        return Variable(name)

    def _call(self, token: Token) -> Evaluate:
        function = FUNCTIONS.get(token.text)
        if function is None:
            raise self.wrong(f"there is no function {token.text}()", token)
        self.need("(")
        arguments: list[Evaluate] = []
        while not self.take(")"):
            if arguments:
                self.need(",")
            arguments.append(self.expression())
        if not function.least <= len(arguments) <= function.most:
            raise self.wrong(f"{token.text}() does not take {len(arguments)} arguments", token)
        call, wants_nodes = function.call, function.nodes
        text, column, name = self.text, token.column, token.text

        def evaluate(at: At) -> Value:
            given = [each(at) for each in arguments]
            if wants_nodes and given and not isinstance(given[0], list):
                raise problem(text, column, f"{name}() takes fields, not a value")
            value: Value = call(at, *given)
            return value

        return evaluate


def _root(at: At) -> Value:
    item = at.item
    if isinstance(item, str):
        return []
    return walk([item], [("ancestor-or-self", Test("node"), [])], at)[:1]
