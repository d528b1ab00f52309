"""Grammar of a message selector: tokens to a tree of nodes.

Precedence climbing, so that one nesting level costs three Python frames; chains of AND, OR and
arithmetic are flat nodes, so that only parentheses nest. It does not evaluate and does not know
messages. Called by `selector`. Invariant: a tree is at most `NESTING_MAX` deep, operands of AND,
OR and NOT are conditions, operands of arithmetic and of ordering are not strings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from penstock.qmgr.selectors.lexer import Token, syntax_error, tokens

if TYPE_CHECKING:
    from penstock.model.errors import MQError

NESTING_MAX = 100
INTEGER_MIN, INTEGER_MAX = -(2**63), 2**63 - 1

OR, AND, NOT, PREDICATE, SUM, PRODUCT = 1, 2, 3, 4, 5, 6
LEVELS: dict[object, int] = {
    "OR": OR,
    "AND": AND,
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN", "LIKE", "IS", "NOT"), PREDICATE),
    "+": SUM,
    "-": SUM,
    "*": PRODUCT,
    "/": PRODUCT,
}
ORDERINGS = frozenset(("<", "<=", ">", ">="))

LiteralValue: TypeAlias = str | int | float | bool | bytes


class Literal(NamedTuple):
    """A value written in the selector."""

    value: LiteralValue
    position: int


class Name(NamedTuple):
    """A property, as it was written."""

    name: str
    position: int


class Negative(NamedTuple):
    """Unary minus."""

    operand: Node


class Arithmetic(NamedTuple):
    """A chain of operators of one level, worked off from left to right."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


class Compare(NamedTuple):
    """One of = <> < <= > >= between two values."""

    operator: str
    left: Node
    right: Node


class Between(NamedTuple):
    """`operand [NOT] BETWEEN low AND high`."""

    operand: Node
    low: Node
    high: Node
    negated: bool


class In(NamedTuple):
    """`name [NOT] IN ('a', 'b')`."""

    name: Name
    values: frozenset[str]
    negated: bool


class Like(NamedTuple):
    """`name [NOT] LIKE 'pattern' [ESCAPE 'c']`."""

    name: Name
    pattern: str
    escape: str
    negated: bool


class IsNull(NamedTuple):
    """`name IS [NOT] NULL`."""

    name: Name
    negated: bool


class Not(NamedTuple):
    """Logical negation."""

    operand: Node


class And(NamedTuple):
    """All of these."""

    terms: tuple[Node, ...]


class Or(NamedTuple):
    """Any of these."""

    terms: tuple[Node, ...]


Node: TypeAlias = (
    Literal | Name | Negative | Arithmetic | Compare | Between | In | Like | IsNull | Not | And | Or
)
CONDITIONS = (Compare, Between, In, Like, IsNull, Not, And, Or)


def parse(text: str) -> Node:
    """Return the tree of a selector, or raise 2459."""
    return _Parser(text).selector()


class _Parser:
    """One pass over the tokens of one selector."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._at = 0
        self._depth = 0

    def selector(self) -> Node:
        node = self._condition(self._expression(OR), self._tokens[0])
        if self._next.kind != "end":
            raise self._error(self._next, f"unexpected {self._next.value}")
        return node

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _accept(self, value: str) -> bool:
        token = self._next
        if token.kind in ("keyword", "operator") and token.value == value:
            self._at += 1
            return True
        return False

    def _expect(self, value: str) -> None:
        if not self._accept(value):
            found = "the end" if self._next.kind == "end" else repr(self._next.value)
            raise self._error(self._next, f"expected {value}, found {found}")

    def _error(self, token: Token, what: str, hint: str = "") -> MQError:
        return syntax_error(self._text, token.position, what, hint)

    def _expression(self, level: int) -> Node:
        """Read operators of this level and of those that bind closer."""
        self._depth += 1
        if self._depth > NESTING_MAX:
            raise self._error(self._next, f"nested deeper than {NESTING_MAX} levels")
        start = self._next
        left = self._operand()
        while (found := self._operator()) >= level:
            if found in (OR, AND):
                left = self._logical(left, start, found)
            elif found == PREDICATE:
                left = self._predicate(left, start)
            else:
                left = self._arithmetic(left, start, found)
        self._depth -= 1
        return left

    def _operator(self) -> int:
        """The level of the operator that comes next, 0 when there is none."""
        token = self._next
        return LEVELS.get(token.value, 0) if token.kind in ("keyword", "operator") else 0

    def _operand(self) -> Node:
        token = self._take()
        if token.kind == "literal":
            return self._literal(token, token.value)
        if token.kind == "name":
            return Name(str(token.value), token.position)
        if token.kind == "operator" and token.value in ("-", "+"):
            return self._signed(token)
        if token.kind == "operator" and token.value == "(":
            node = self._expression(OR)
            self._expect(")")
            return node
        if token.kind == "keyword" and token.value == "NOT":
            return self._negation()
        found = "the end" if token.kind == "end" else str(token.value)
        raise self._error(token, f"expected a value or a name, found {found}")

    def _literal(self, token: Token, value: object) -> Literal:
        assert isinstance(value, str | int | float | bytes)
        if isinstance(value, int) and not INTEGER_MIN <= value <= INTEGER_MAX:
            raise self._error(token, "the number needs more than 64 bits")
        return Literal(value, token.position)

    def _signed(self, token: Token) -> Node:
        """Read signs before an operand; a sign before a number belongs to the number."""
        negative = token.value == "-"
        while self._next.kind == "operator" and self._next.value in ("-", "+"):
            negative ^= self._take().value == "-"
        following = self._next
        if following.kind == "literal" and type(following.value) in (int, float):
            assert isinstance(following.value, int | float)
            return self._literal(self._take(), -following.value if negative else following.value)
        operand = self._number(self._operand(), following)
        return Negative(operand) if negative else operand

    def _negation(self) -> Node:
        negated = True
        while self._accept("NOT"):
            negated = not negated
        start = self._next
        operand = self._condition(self._expression(PREDICATE), start)
        return Not(operand) if negated else Not(Not(operand))

    def _logical(self, left: Node, start: Token, level: int) -> Node:
        terms = [self._condition(left, start)]
        while self._operator() == level:
            self._take()
            start = self._next
            terms.append(self._condition(self._expression(level + 1), start))
        return Or(tuple(terms)) if level == OR else And(tuple(terms))

    def _arithmetic(self, left: Node, start: Token, level: int) -> Node:
        first = self._number(left, start)
        rest: list[tuple[str, Node]] = []
        while self._operator() == level:
            operator = str(self._take().value)
            start = self._next
            rest.append((operator, self._number(self._expression(level + 1), start)))
        return Arithmetic(first, tuple(rest))

    def _predicate(self, left: Node, start: Token) -> Node:
        token = self._take()
        self._value(left, start)
        if token.value == "IS":
            negated = self._accept("NOT")
            self._expect("NULL")
            return IsNull(self._name(left, start, "IS NULL"), negated)
        negated = token.value == "NOT"
        if negated:
            token = self._take()
        if token.value == "BETWEEN":
            return self._between(left, start, negated)
        if token.value == "IN":
            return self._in(left, start, negated)
        if token.value == "LIKE":
            return self._like(left, start, negated)
        if negated:
            raise self._error(token, "expected BETWEEN, IN or LIKE after NOT")
        return self._comparison(left, start, token)

    def _comparison(self, left: Node, start: Token, token: Token) -> Node:
        after = self._next
        right = self._value(self._expression(SUM), after)
        if token.value in ORDERINGS:
            self._number(left, start)
            self._number(right, after)
        return Compare(str(token.value), left, right)

    def _between(self, left: Node, start: Token, negated: bool) -> Node:
        operand = self._number(left, start)
        start = self._next
        low = self._number(self._expression(SUM), start)
        self._expect("AND")
        start = self._next
        high = self._number(self._expression(SUM), start)
        return Between(operand, low, high, negated)

    def _in(self, left: Node, start: Token, negated: bool) -> Node:
        name = self._name(left, start, "IN")
        self._expect("(")
        values = [self._string("IN takes a list of strings")]
        while self._accept(","):
            values.append(self._string("IN takes a list of strings"))
        self._expect(")")
        return In(name, frozenset(values), negated)

    def _like(self, left: Node, start: Token, negated: bool) -> Node:
        name = self._name(left, start, "LIKE")
        at = self._next
        pattern = self._string("LIKE takes a string")
        escape = ""
        if self._accept("ESCAPE"):
            token = self._next
            escape = self._string("ESCAPE takes one character")
            if len(escape) != 1:
                raise self._error(token, "ESCAPE takes one character")
        if escape and pattern.replace(escape * 2, "").endswith(escape):
            raise self._error(at, "the pattern ends with its escape character")
        return Like(name, pattern, escape, negated)

    def _string(self, what: str) -> str:
        token = self._take()
        if token.kind != "literal" or not isinstance(token.value, str):
            raise self._error(token, what)
        return token.value

    def _name(self, node: Node, start: Token, what: str) -> Name:
        if not isinstance(node, Name):
            raise self._error(start, f"{what} needs a property name on its left")
        return node

    def _condition(self, node: Node, start: Token) -> Node:
        if isinstance(node, (*CONDITIONS, Name)) or (
            isinstance(node, Literal) and isinstance(node.value, bool)
        ):
            return node
        raise self._error(start, "expected a condition, found a value")

    def _value(self, node: Node, start: Token) -> Node:
        if isinstance(node, CONDITIONS):
            raise self._error(start, "expected a value, found a condition", "join conditions by AND or OR")
        return node

    def _number(self, node: Node, start: Token) -> Node:
        self._value(node, start)
        if isinstance(node, Literal) and type(node.value) not in (int, float):
            hint = "strings, bytes and booleans compare by = and <> only"
            raise self._error(start, "expected a number", hint)
        return node
