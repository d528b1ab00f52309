"""Expressions of Java source: recursive descent, one method for each level of binding."""

from __future__ import annotations

from typing import Any

from penstock.flow.java.reader import PRIMITIVES, Reader
from penstock.flow.java.syntax import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Class,
    ClassValue,
    Conditional,
    InstanceOf,
    Item,
    Lambda,
    Literal,
    Member,
    MethodReference,
    Name,
    New,
    NewArray,
    Node,
    Step,
    Unary,
)
from penstock.flow.java.tokens import text_in

LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">=", "instanceof"),
    ("<<", ">>", ">>>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=")
_BEGINNINGS = frozenset(("this", "super", "new", "true", "false", "null", "void"))


class ExpressionReader(Reader):
    """Reads expressions."""

    def block(self) -> Block:
        """Read statements in braces."""
        raise NotImplementedError

    def class_body(self, owner: Class) -> None:
        """Read the members of a class in braces."""
        raise NotImplementedError

    def expression(self) -> Node:
        """Read an expression, which may be an assignment."""
        self.deeper()
        if self.token.kind == "name" and self.ahead().text == "->":
            return self._lambda()
        left = self.conditional()
        line = self.token.line
        operator = self.take(*_ASSIGNING)
        if operator:
            left = Assign(line, operator[:-1], left, self.expression())
        self.depth -= 1
        return left

    def _lambda(self) -> Node:
        """Read `a -> ...` or `(a, b) -> ...`."""
        line = self.token.line
        parameters: list[tuple[str, str]] = []
        if self.take("("):
            while not self.sees(")"):
                self.take("final")
                is_bare = self.ahead().text in (",", ")")
                parameters.append(("" if is_bare else self.type(), self.name()))
                if not self.take(","):
                    break
            self.need(")")
        else:
            parameters.append(("", self.name()))
        self.need("->")
        body = self.block() if self.sees("{") else self.expression()
        self.depth -= 1
        return Lambda(line, parameters, body)

    def _begins_lambda(self) -> bool:
        """Return whether the parenthesis here is that of the parameters of a lambda expression."""
        at = 0
        while self.ahead(at).text != ")" and self.ahead(at).kind != "end":
            at += 1
            if self.ahead(at).text == "(":
                return False
        return self.ahead(at + 1).text == "->"

    def annotation_arguments(self) -> dict[str, Any]:
        self.need("(")
        found: dict[str, Any] = {}
        while not self.sees(")"):
            name = "value"
            if self.token.kind == "name" and self.ahead().text == "=":
                name = self.name()
                self.need("=")
            found[name] = self._annotation_value()
            if not self.take(","):
                break
        self.need(")")
        return found

    def _annotation_value(self) -> Any:
        if self.sees("@"):
            return self.annotations()
        if not self.take("{"):
            return _plain(self.conditional())
        found: list[Any] = []
        while not self.sees("}"):
            found.append(self._annotation_value())
            if not self.take(","):
                break
        self.need("}")
        return found

    def conditional(self) -> Node:
        """Read `a ? b : c`."""
        test = self.binary(0)
        line = self.token.line
        if not self.take("?"):
            return test
        then = self.expression()
        self.need(":")
        return Conditional(line, test, then, self.expression())

    def binary(self, level: int) -> Node:
        """Read operators of a level and what binds tighter."""
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while True:
            line = self.token.line
            operator = self._operator(LEVELS[level])
            if not operator:
                return left
            if operator == "instanceof":
                left = InstanceOf(line, left, self.type())
            else:
                left = Binary(line, operator, left, self.binary(level + 1))

    def _operator(self, wanted: tuple[str, ...]) -> str:
        """Take an operator; `>>` and `>>>` are several words, because they also close type arguments."""
        count = 0
        while self.ahead(count).text == ">" and self.ahead(count).kind == "symbol" and count < 3:
            count += 1
        found = ">" * count if count else self.token.text
        if found not in wanted or self.token.kind not in ("symbol", "keyword"):
            return ""
        self.place += max(count, 1)
        return found

    def unary(self) -> Node:
        """Read signs, increments, casts and what they are applied to."""
        self.deeper()
        line = self.token.line
        found: Node | None
        if operator := self.take("++", "--"):
            found = Step(line, operator, self.unary(), True)
        elif operator := self.take("-", "+", "!", "~"):
            found = Unary(line, operator, self.unary())
        elif self.sees("(") and self._begins_lambda():
            self.deeper()
            found = self._lambda()
        else:
            found = (self.tried(self._cast) if self.sees("(") else None) or self.postfix()
        self.depth -= 1
        return found

    def _cast(self) -> Node:
        line = self.need("(")
        to = self.type()
        self.need(")")
        if to not in PRIMITIVES and not (
            self.token.kind in ("name", "text", "char", "number")
            or self.token.text in _BEGINNINGS
            or self.sees("(", "!", "~")
        ):
            raise self.wrong("this is no cast")
        return Cast(line, to, self.unary())

    def postfix(self) -> Node:
        """Read members, calls, items and increments behind something."""
        found = self.primary()
        while True:
            line = self.token.line
            if self.take("."):
                self.type_arguments()
                if self.take("class"):
                    found = ClassValue(line, found)
                    continue
                if self.sees("new"):
                    raise self.wrong("inner classes with an outer instance are not supported")
                name = self.name()
                is_call = self.sees("(")
                found = Call(line, found, name, self.arguments()) if is_call else Member(line, found, name)
            elif self.sees("["):
                self.place += 1
                found = Item(line, found, self.expression())
                self.need("]")
            elif operator := self.take("++", "--"):
                found = Step(line, operator, found, False)
            elif self.take("::"):
                name = "new" if self.take("new") else self.name()
                found = MethodReference(line, found, name)
            else:
                return found

    def arguments(self) -> list[Node]:
        """Read arguments with their parentheses."""
        self.need("(")
        found: list[Node] = []
        while not self.sees(")"):
            found.append(self.expression())
            if not self.take(","):
                break
        self.need(")")
        return found

    def primary(self) -> Node:
        """Read a literal, a name, something in parentheses, or `new`."""
        token = self.token
        line = token.line
        if token.kind in ("number", "text", "char"):
            self.place += 1
            return literal(token.kind, token.text, line)
        if self.sees("true", "false", "null"):
            self.place += 1
            value = {"true": True, "false": False, "null": None}[token.text]
            return Literal(line, value, "null" if value is None else "boolean")
        if self.take("("):
            found = self.expression()
            self.need(")")
            return found
        if self.take("new"):
            return self.creation(line)
        if self.sees("this", "super"):
            self.place += 1
            if self.sees("("):
                return Call(line, None, token.text, self.arguments())
            return Name(line, token.text)
        if token.text in PRIMITIVES:
            raise self.wrong("classes as values are not supported")
        name = self.name()
        return Call(line, None, name, self.arguments()) if self.sees("(") else Name(line, name)

    def creation(self, line: int) -> Node:
        """Read what follows `new`."""
        self.annotations()
        if self.token.text in PRIMITIVES:
            name = self.token.text
            self.place += 1
        else:
            name = self.qualified()
            self.type_arguments()
        if not self.sees("["):
            made = New(line, name, self.arguments())
            if self.sees("{"):
                made.body = Class(line, f"${self.place}", "class", name, is_static=False)
                self.class_body(made.body)
            return made
        sizes: list[Node] = []
        dimensions = 0
        while self.take("["):
            if not self.sees("]"):
                sizes.append(self.expression())
            self.need("]")
            dimensions += 1
        items = self.array_items(name + "[]" * (dimensions - 1)) if self.sees("{") else None
        return NewArray(line, name + "[]" * (dimensions - 1), sizes, items)

    def array_items(self, type_: str) -> list[Node]:
        """Read `{a, b}`, the items of an array of a type."""
        self.need("{")
        found: list[Node] = []
        while not self.sees("}"):
            if self.sees("{"):
                line = self.token.line
                inner = type_.removesuffix("[]")
                found.append(NewArray(line, inner, [], self.array_items(inner)))
            else:
                found.append(self.expression())
            if not self.take(","):
                break
        self.need("}")
        return found


def _plain(node: Node) -> Any:
    """Return the value of an argument of an annotation: a literal, or the last name of anything else."""
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, ClassValue):
        return dotted(node.name)
    return dotted(node).rpartition(".")[2]


def dotted(node: Node) -> str:
    """Return `a.b.c` of names with dots; empty if there is anything else."""
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Member):
        before = dotted(node.target)
        return f"{before}.{node.name}" if before else ""
    return ""


def literal(kind: str, text: str, line: int) -> Literal:
    """Return a literal with its value and type."""
    if kind == "text":
        return Literal(line, text_in(text), "String")
    if kind == "char":
        return Literal(line, text_in(text), "char")
    plain = text.replace("_", "")
    lower = plain.lower()
    if lower.startswith(("0x", "0b")):
        is_long = lower.endswith("l")
        value = int(plain.rstrip("lL"), 0)
        bits = 64 if is_long else 32
        value = value - (1 << bits) if value >> (bits - 1) == 1 else value
        return Literal(line, value, "long" if is_long else "int")
    if lower.endswith("l"):
        return Literal(line, int(plain[:-1], 8 if len(plain) > 2 and plain[0] == "0" else 10), "long")
    if any(each in lower for each in ".efd"):
        return Literal(line, float(plain.rstrip("fFdD")), "float" if lower.endswith("f") else "double")
    return Literal(line, int(plain, 8 if len(plain) > 1 and plain[0] == "0" else 10), "int")
