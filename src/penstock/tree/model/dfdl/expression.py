"""DFDL expressions: the subset of XPath for tests and variables of schemas, parsed once.

`read_expression` makes an `Expression` from the text between braces; `checking` evaluates it at a position of
a message. There are literals, paths, variables, comparisons, arithmetic, `if` and the functions of
`expression_functions`. An expression is limited in length and depth, and evaluating one changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.tree.model.dfdl.expression_functions import FUNCTIONS, Failure, arithmetic, compared, one, truth

if TYPE_CHECKING:
    from penstock.tree.model._scanned_element import ScannedElement
    from penstock.tree.model.dfdl.checking import Checking

LENGTH_MAX = 10_000
DEPTH_MAX = 60
INDEX_MAX = 2**31 - 1
Run = Callable[["Context"], Any]
_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|(?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<name>[^\W\d][\w.-]*(?::[^\W\d][\w.-]*)?)|(?P<sign>!=|<=|>=|\.\.|[-=<>+*/()\[\],.$]))""",
    re.VERBOSE,
)
_EQUAL = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_WORDS = ("eq", "ne", "lt", "le", "gt", "ge")
_ENDLESS = "expressions are nested too deeply"


class Context:
    """The position where an expression is evaluated."""

    __slots__ = ("checking", "place")

    def __init__(self, place: ScannedElement, checking: Checking) -> None:
        self.place, self.checking = place, checking


class Expression:
    """A parsed expression; `evaluate` raises `Failure` where it has no value."""

    __slots__ = ("run", "text")

    def __init__(self, text: str, run: Run) -> None:
        self.text, self.run = text, run

    def evaluate(self, place: ScannedElement, checking: Checking) -> Any:
        """Return the single value of the expression at a position."""
        return self._result(one, place, checking)

    def holds(self, place: ScannedElement, checking: Checking) -> bool:
        """Return whether a test is true at a position."""
        return bool(self._result(truth, place, checking))

    def _result(self, taken: Callable[[Any], Any], place: ScannedElement, checking: Checking) -> Any:
        try:
            return taken(self.run(Context(place, checking)))
        except (ArithmeticError, TypeError, ValueError) as problem:
            raise Failure(f"{self.text} cannot be worked out: {problem}") from problem


def read_expression(text: str, variable: Callable[[str], str]) -> Expression:
    """Return the expression in braces; `variable` resolves the name of a variable, or raises.

    Raises ValueError with the problem.
    """
    inner = text.strip()
    if not (inner.startswith("{") and inner.endswith("}")) or inner.startswith("{{"):
        raise ValueError("an expression must be between { and }")
    if len(inner) > LENGTH_MAX:
        raise ValueError(f"an expression has at most {LENGTH_MAX} characters")
    reader = _Reader(inner[1:-1], variable)
    return Expression(inner, reader.whole())


class _Reader:
    def __init__(self, text: str, variable: Callable[[str], str]) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.depth = 0
        self.variable = variable

    def whole(self) -> Run:
        run = self.expression()
        if self.at < len(self.tokens):
            raise ValueError(f"{self.tokens[self.at][1]!r} is not allowed here")
        return run

    def peek(self) -> str:
        """Return the next symbol or word; "" for anything else."""
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        return text if kind in ("sign", "name") else ""

    def take(self, *texts: str) -> str:
        found = self.peek()
        if not found or found not in texts:
            return ""
        self.at += 1
        return found

    def expect(self, text: str) -> None:
        if not self.take(text):
            got = repr(self.tokens[self.at][1]) if self.at < len(self.tokens) else "the end"
            raise ValueError(f"{text!r} is missing before {got}")

    def expression(self) -> Run:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise ValueError(_ENDLESS)
        run = self._if() if self.peek() == "if" and self._follows("(") else self._or()
        self.depth -= 1
        return run

    def _follows(self, text: str) -> bool:
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1][1] == text

    def _if(self) -> Run:
        self.take("if")
        self.expect("(")
        test = self.expression()
        self.expect(")")
        self.expect("then")
        yes = self.expression()
        self.expect("else")
        no = self.expression()
        return lambda x: yes(x) if truth(test(x)) else no(x)

    def _or(self) -> Run:
        run = self._and()
        while self.take("or"):
            run = _either(run, self._and())
        return run

    def _and(self) -> Run:
        run = self._compared()
        while self.take("and"):
            run = _both(run, self._compared())
        return run

    def _compared(self) -> Run:
        left = self._sum()
        sign = self.take(*_EQUAL, *_WORDS)
        if not sign:
            return left
        right, how = self._sum(), _EQUAL.get(sign, sign)
        return lambda x: compared(how, one(left(x)), one(right(x)))

    def _sum(self) -> Run:
        run = self._product()
        while sign := self.take("+", "-"):
            run = _calculated(sign, run, self._product())
        return run

    def _product(self) -> Run:
        run = self._signed()
        while sign := self.take("*", "div", "idiv", "mod"):
            run = _calculated(sign, run, self._signed())
        return run

    def _signed(self) -> Run:
        minus = False
        while sign := self.take("-", "+"):
            minus ^= sign == "-"
        run = self._path()
        return _calculated("-", lambda x: 0, run) if minus else run

    def _path(self) -> Run:
        if self.take("/"):
            run: Run = lambda x: [x.place.root()]  # noqa: E731
            if not self.peek() or not self._name_next():
                return run
            run = self._step(run)  # the message itself
        else:
            run = self._first()
        while self.take("/"):
            run = self._step(run)
        return run

    def _name_next(self) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][0] == "name"

    def _first(self) -> Run:
        if self.at >= len(self.tokens):
            raise ValueError("the expression ends too early")
        kind, text = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            number: Any = (
                int(text) if text.isdigit() else float(text) if "e" in text.lower() else Decimal(text)
            )
            return lambda x: number
        if kind == "text":
            self.at += 1
            plain = text[1:-1].replace(text[0] * 2, text[0])
            return lambda x: plain
        if self.take("("):
            run = self.expression()
            self.expect(")")
            return run
        if self.take("$"):
            return self._variable()
        if kind == "name" and self._follows("("):
            return self._call()
        return self._step(lambda x: [x.place])

    def _variable(self) -> Run:
        if not self._name_next():
            raise ValueError("a variable has a name")
        name = self.variable(self.tokens[self.at][1])
        self.at += 1
        return lambda x: x.checking.read(name, x.place)

    def _call(self) -> Run:
        name = self.tokens[self.at][1]
        self.at += 2
        arguments: list[Run] = []
        while not self.take(")"):
            if arguments:
                self.expect(",")
            arguments.append(self.expression())
        known = FUNCTIONS.get(name) or FUNCTIONS.get("fn:" + name)
        if known is None:
            raise ValueError(f"the function {name} is not supported")
        least, most, function = known
        if not least <= len(arguments) <= most:
            raise ValueError(f"{name} has {least} to {most} arguments, not {len(arguments)}")
        return lambda x: function(x.place, *(each(x) for each in arguments))

    def _step(self, run: Run) -> Run:
        if self.take("."):
            return run
        if self.take(".."):
            return lambda x: _parents(run(x))
        if not self._name_next():
            got = repr(self.tokens[self.at][1]) if self.at < len(self.tokens) else "the end"
            raise ValueError(f"{got} is no step of a path")
        local = self.tokens[self.at][1].rpartition(":")[2]
        self.at += 1
        index = None
        if self.take("["):
            index = self.expression()
            self.expect("]")
        return _children(run, local, index)


def _tokens(text: str) -> Any:
    at, text = 0, text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or not found.lastgroup:
            raise ValueError(f"{text[at : at + 10]!r} cannot be read")
        yield found.lastgroup, found[found.lastgroup]
        at = found.end()


def _either(left: Run, right: Run) -> Run:
    return lambda x: truth(left(x)) or truth(right(x))


def _both(left: Run, right: Run) -> Run:
    return lambda x: truth(left(x)) and truth(right(x))


def _calculated(sign: str, left: Run, right: Run) -> Run:
    return lambda x: arithmetic(sign, one(left(x)), one(right(x)))


def _parents(places: Any) -> list[ScannedElement]:
    if not isinstance(places, list):
        raise Failure("a value has no parent")
    found = [place.parent() for place in places]
    if None in found:
        raise Failure("a path leads out of the message")
    return [place for place in found if place is not None]


def _children(run: Run, name: str, index: Run | None) -> Run:
    def children(x: Context) -> list[ScannedElement]:
        places = run(x)
        if not isinstance(places, list):
            raise Failure(f"a value has no field {name}")
        if index is None:
            return [child for place in places for child in place.children(name)]
        number = one(index(x))
        if not isinstance(number, int) or not 0 < number <= INDEX_MAX:
            return []
        if len(places) == 1:
            found: list[ScannedElement] = places[0].children(name, number)
            return found
        return [child for place in places for child in place.children(name)][number - 1 : number]

    return children
