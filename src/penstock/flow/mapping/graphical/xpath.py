"""Expressions of maps: the part of XPath 2 that the editor's maps use, compiled to functions.

`expression(text, known)` returns a function of a run and the current items. Names of functions are looked up
when it is compiled, so that an unknown one is the map's error before it runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.flow.mapping.graphical.durations import moved
from penstock.flow.mapping.graphical.functions import FUNCTIONS
from penstock.flow.mapping.graphical.places import attributes, children, is_place
from penstock.flow.mapping.graphical.problem import CannotMap
from penstock.flow.mapping.graphical.running import PLACES_MAX
from penstock.flow.mapping.graphical.tokens import Token, tokens_of
from penstock.flow.mapping.graphical.values import (
    Sequence,
    as_type,
    atoms,
    compared,
    first,
    number_of,
    together,
    truth,
)
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model.dfdl.expression_functions import calculated

if TYPE_CHECKING:
    from penstock.flow.mapping.graphical.running import Run

Compiled = Callable[["Run", Sequence], Sequence]
DEPTH_MAX = 40
_COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
_WORDS = ("or", "and", "div", "idiv", "mod", "to", "return", "then", "else", "in", "union", *_COMPARE)


def expression(text: str, custom: dict[str, Any] | None = None) -> Compiled:
    """Compile an expression; CannotMap for what is not understood. `custom` are functions by name."""
    parser = _Parser(tokens_of(text), text, custom or {})
    made = parser.expression()
    parser.expect("end", "")
    return made


class _Parser:
    def __init__(self, tokens: list[Token], text: str, custom: dict[str, Any]) -> None:
        self.tokens = tokens
        self.text = text
        self.custom = custom
        self.at = 0
        self.depth = 0

    # -- words -----------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def is_next(self, *words: str) -> bool:
        return self.token.kind in ("symbol", "name") and self.token.text in words

    def taken(self, *words: str) -> str:
        if not self.is_next(*words):
            return ""
        self.at += 1
        return self.tokens[self.at - 1].text

    def expect(self, kind: str, text: str) -> None:
        if self.token.kind != kind or (text and self.token.text != text):
            raise self.wrong()
        self.at += 1

    def wrong(self) -> CannotMap:
        return CannotMap(
            f"expression {self.text.strip()!r:.100}: {self.token.text or 'its end'!r} is not understood"
        )

    # -- operators, weakest first ----------------------------------------------------------

    def expression(self) -> Compiled:
        """Read an expression with commas."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise CannotMap(f"an expression is nested more than {DEPTH_MAX} deep")
        parts = [self.single()]
        while self.taken(","):
            parts.append(self.single())
        self.depth -= 1
        return (
            parts[0] if len(parts) == 1 else lambda run, here: [x for each in parts for x in each(run, here)]
        )

    def single(self) -> Compiled:
        if self.token == Token("name", "for"):
            return self.loop()
        if self.token == Token("name", "if") and self.tokens[self.at + 1].text == "(":
            return self.choice()
        return self.either()

    def loop(self) -> Compiled:
        self.at += 1
        names: list[tuple[str, Compiled]] = []
        while not names or self.taken(","):
            name = self.token.text
            self.expect("variable", "")
            self.expect("name", "in")
            names.append((name, self.single()))
        self.expect("name", "return")
        return _loop(names, self.single())

    def choice(self) -> Compiled:
        self.at += 1
        self.expect("symbol", "(")
        test = self.expression()
        self.expect("symbol", ")")
        self.expect("name", "then")
        yes = self.single()
        self.expect("name", "else")
        no = self.single()
        return lambda run, here: (yes if truth(test(run, here)) else no)(run, here)

    def either(self) -> Compiled:
        left = self.both()
        while self.taken("or"):
            left = partial(_either, left, self.both())
        return left

    def both(self) -> Compiled:
        left = self.comparison()
        while self.taken("and"):
            left = partial(_both, left, self.comparison())
        return left

    def comparison(self) -> Compiled:
        left = self.range()
        word = self.taken(*_COMPARE)
        return partial(_compare, _COMPARE[word], left, self.range()) if word else left

    def range(self) -> Compiled:
        left = self.sum()
        return partial(_range, left, self.sum()) if self.taken("to") else left

    def sum(self) -> Compiled:
        left = self.product()
        while word := self.taken("+", "-"):
            left = partial(_calculate, word, left, self.product())
        return left

    def product(self) -> Compiled:
        left = self.unary()
        while word := self.taken("*", "div", "idiv", "mod"):
            left = partial(_calculate, word, left, self.unary())
        return left

    def unary(self) -> Compiled:
        if self.taken("-"):
            return partial(_calculate, "-", lambda *_: [0], self.unary())
        self.taken("+")
        return self.path()

    # -- paths -----------------------------------------------------------------------------

    def path(self) -> Compiled:
        made = self.step()
        while word := self.taken("/", "//"):
            if word == "//":
                made = partial(_each, made, _all_below)
            made = partial(_each, made, self.step())
        return made

    def step(self) -> Compiled:
        made = self.primary()
        while self.taken("["):
            made = partial(_filtered, made, self.expression())
            self.expect("symbol", "]")
        return made

    def primary(self) -> Compiled:
        token = self.token
        self.at += 1
        if token.kind == "number":
            number: Any = float(token.text) if "e" in token.text.lower() else Decimal(token.text)
            value = int(token.text) if token.text.isdigit() else number
            return lambda *_: [value]
        if token.kind == "text":
            return lambda *_: [token.text]
        if token.kind == "variable":
            return partial(_variable, token.text)
        if token.kind == "name" and self.is_next("("):
            return self.call(token.text)
        if token.kind == "name":
            return partial(_children, token.text.rpartition(":")[2])
        if token.text == "*":
            return partial(_children, "*")
        if token.text == "@":
            name = self.token.text
            self.at += 1
            return partial(_attributes, name.rpartition(":")[2])
        if token.text == ".":
            return lambda _, here: here
        if token.text == "(":
            inner = (lambda *_: []) if self.is_next(")") else self.expression()
            self.expect("symbol", ")")
            return inner
        self.at -= 1
        raise self.wrong()

    def call(self, name: str) -> Compiled:
        self.expect("symbol", "(")
        arguments: list[Compiled] = []
        while not self.is_next(")"):
            arguments.append(self.single())
            if not self.taken(","):
                break
        self.expect("symbol", ")")
        return called(name, arguments, self.custom)


def called(name: str, arguments: list[Compiled], custom: dict[str, Any]) -> Compiled:
    """Return the call of a function by its name."""
    prefix, _, local = name.rpartition(":")
    if local == "text" and not prefix:
        return lambda _, here: here
    if local in ("spath", "type") and not prefix:  # the editor's: a name once more; any type
        if local == "type":
            return lambda _, here: here
        return lambda run, here: [
            x for each in here for x in children(each, str(first(arguments[0](run, here))))
        ]
    if local == "position" and not prefix:
        return lambda run, here: run.variables.get("position()", [1])
    if local == "last" and not prefix:
        return lambda run, here: run.variables.get("last()", [len(here)])
    if name in custom:
        return partial(_custom, custom[name], arguments)
    if prefix == "xs":
        return lambda run, here: [as_type(each, local) for each in atoms(arguments[0](run, here))[:1]]
    function = FUNCTIONS.get(local)
    if function is None or prefix not in ("", "fn", "iib"):
        raise CannotMap(f"function {name} is not known")
    if not arguments and local in ("string", "number", "string-length", "normalize-space"):
        arguments = [lambda _, here: here]
    return partial(_called, function, name, arguments)


def _called(function: Any, name: str, arguments: list[Compiled], run: Run, here: Sequence) -> Sequence:
    try:
        found: Sequence = function(run, *(each(run, here) for each in arguments))
    except (TypeError, ValueError, ArithmeticError) as raised:
        raise error(mq.PSRC_FLOW_MAPPING, f"function {name}: {raised}") from raised
    return found


def _custom(function: Any, arguments: list[Compiled], run: Run, here: Sequence) -> Sequence:
    before = (run.context,) if isinstance(function, EsqlFunction) else ()
    made = function(*before, *(first(each(run, here)) for each in arguments))
    return [] if made is None else list(made) if isinstance(made, (list, tuple)) else [made]


class EsqlFunction:
    """A routine of the project's ESQL, which gets the context of the map's node."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *given: Any) -> Any:
        return self._function(*given)


def _loop(names: list[tuple[str, Compiled]], body: Compiled) -> Compiled:
    def run_loop(run: Run, here: Sequence) -> Sequence:
        found: Sequence = []

        def go(level: int) -> None:
            if level == len(names):
                found.extend(body(run, here))
                return
            name, of = names[level]
            kept = run.variables.get(name)
            for item in of(run, here):
                run.variables[name] = [item]
                go(level + 1)
            run.variables[name] = kept if kept is not None else []

        go(0)
        return found

    return run_loop


def _either(left: Compiled, right: Compiled, run: Run, here: Sequence) -> Sequence:
    return [truth(left(run, here)) or truth(right(run, here))]


def _both(left: Compiled, right: Compiled, run: Run, here: Sequence) -> Sequence:
    return [truth(left(run, here)) and truth(right(run, here))]


def _compare(of: Any, left: Compiled, right: Compiled, run: Run, here: Sequence) -> Sequence:
    """Compare every value with every other: one pair for which it holds is enough."""
    others = atoms(right(run, here))
    for one in atoms(left(run, here)):
        for other in others:
            a, b = compared(one, other)
            if of(a, b):
                return [True]
    return [False]


def _range(left: Compiled, right: Compiled, run: Run, here: Sequence) -> Sequence:
    low, high = first(left(run, here)), first(right(run, here))
    if low is None or high is None:
        return []
    begin, end = int(number_of(low)), int(number_of(high))
    if end - begin > PLACES_MAX:
        raise error(mq.PSRC_FLOW_MAPPING, f"a range has more than {PLACES_MAX} numbers")
    return list(range(begin, end + 1))


def _calculate(word: str, left: Compiled, right: Compiled, run: Run, here: Sequence) -> Sequence:
    one, other = first(left(run, here)), first(right(run, here))
    if one is None or other is None:
        return []
    try:
        distant = moved(word, one, other) if word in ("+", "-") else None
        if distant is not None:
            return [distant]
        a, b = together(one, other)
        return [calculated(word, a, b)]
    except (ArithmeticError, ValueError) as raised:
        raise error(mq.PSRC_FLOW_MAPPING, f"{one} {word} {other}: {raised}") from raised


def _each(start: Compiled, step: Compiled, run: Run, here: Sequence) -> Sequence:
    return [found for item in start(run, here) for found in step(run, [item])]


def _filtered(of: Compiled, test: Compiled, run: Run, here: Sequence) -> Sequence:
    found: Sequence = []
    items = of(run, here)
    for position, item in enumerate(items, 1):
        run.variables["position()"], run.variables["last()"] = [position], [len(items)]
        told = test(run, [item])
        is_number = bool(told) and not is_place(told[0]) and not isinstance(told[0], (bool, str))
        if told[0] == position if is_number else truth(told):
            found.append(item)
    return found


def _variable(name: str, run: Run, _: Sequence) -> Sequence:
    found = run.variables.get(name)
    if found is None:
        raise error(mq.PSRC_FLOW_MAPPING, f"variable ${name} has no value here")
    return found


def _all_below(_: Run, here: Sequence) -> Sequence:
    """Return places with everything below them, in the order of the document."""
    found: Sequence = []
    waiting = here[::-1]
    while waiting:
        item = waiting.pop()
        found.append(item)
        waiting.extend(reversed(list(children(item, "*"))))
    return found


def _children(name: str, _: Run, here: Sequence) -> Sequence:
    return [found for item in here for found in children(item, name)]


def _attributes(name: str, _: Run, here: Sequence) -> Sequence:
    return [found for item in here for found in attributes(item, name)]
