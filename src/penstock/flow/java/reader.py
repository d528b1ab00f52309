"""The words of a file in turn, and the types among them: the base of the parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.tokens import Token, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.java.syntax import Marks

PRIMITIVES = frozenset(("boolean", "byte", "char", "double", "float", "int", "long", "short"))
DEPTH_MAX = 200
T = TypeVar("T")


class Reader:
    """Takes words from the front."""

    def __init__(self, source: str) -> None:
        self.tokens = tokens_of(source)
        self.place = 0
        self.depth = 0
        self.items: tuple[str, ...] = ()  # the arguments of the last type

    @property
    def token(self) -> Token:
        """The next word."""
        return self.tokens[self.place]

    def ahead(self, count: int = 1) -> Token:
        """Return a word behind the next."""
        return self.tokens[min(self.place + count, len(self.tokens) - 1)]

    def sees(self, *texts: str) -> bool:
        """Return whether the next word is one of these symbols or keywords."""
        return self.token.kind in ("symbol", "keyword") and self.token.text in texts

    def take(self, *texts: str) -> str:
        """Take the next word if it is one of these symbols or keywords; else return nothing."""
        if not self.sees(*texts):
            return ""
        self.place += 1
        return self.tokens[self.place - 1].text

    def need(self, text: str) -> int:
        """Take a symbol or keyword that has to be here; returns its line."""
        if not self.take(text):
            raise self.wrong(f"{text} is expected, not {self.token.text}")
        return self.tokens[self.place - 1].line

    def name(self) -> str:
        """Take a name."""
        if self.token.kind != "name":
            raise self.wrong(f"a name is expected, not {self.token.text}")
        self.place += 1
        return self.tokens[self.place - 1].text

    def wrong(self, text: str) -> JavaProblem:
        """Return a problem at the next word."""
        return JavaProblem(self.token.line, text)

    def deeper(self) -> None:
        """Count what is inside each other."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.wrong(f"more than {DEPTH_MAX} levels inside each other")

    def tried(self, rule: Callable[[], T]) -> T | None:
        """Apply a rule; where it does not fit, take nothing and return None."""
        place, depth = self.place, self.depth
        try:
            return rule()
        except JavaProblem:
            self.place, self.depth = place, depth
            return None

    # -- types ---------------------------------------------------------------------------------

    def qualified(self) -> str:
        """Take a name with dots."""
        found = [self.name()]
        while self.sees(".") and self.ahead().kind == "name":
            self.place += 1
            found.append(self.name())
        return ".".join(found)

    def type(self) -> str:
        """Take a type; its arguments are in `items` until the next one."""
        self.annotations()
        items: tuple[str, ...] = ()
        if self.token.text in PRIMITIVES or self.token.text == "void":
            found = self.token.text
            self.place += 1
        else:
            found = self.qualified()
            items = self.type_arguments()
            while self.take("."):
                found = f"{found}.{self.name()}"
                items = self.type_arguments()
        self.items = items
        return found + self.dimensions()

    def dimensions(self) -> str:
        """Take pairs of brackets."""
        found = ""
        while self.sees("[") and self.ahead().text == "]":
            self.place += 2
            found += "[]"
        return found

    def type_arguments(self) -> tuple[str, ...]:
        """Take `<...>`, if it is here; returns the types in it."""
        found: list[str] = []
        if not self.take("<"):
            return ()
        while not self.sees(">"):
            if self.take("?"):
                found.append(self.type() if self.take("extends", "super") else "Object")
            else:
                found.append(self.type())
                while self.take("extends", "&"):
                    self.type()
            if not self.take(",") and not self.sees(">"):
                raise self.wrong("these are no type arguments")
        self.need(">")
        return tuple(found)

    def annotations(self) -> Marks:
        """Take `@Name(...)`; returns the names with their arguments."""
        found: Marks = {}
        while self.sees("@") and self.ahead().text != "interface":
            self.place += 1
            name = self.qualified().rpartition(".")[2]
            found[name] = self.annotation_arguments() if self.sees("(") else {}
        return found

    def annotation_arguments(self) -> dict[str, Any]:
        """Take `(name = value)`; the parser of expressions returns the values."""
        self.skip_pair("(", ")")
        return {}

    def skip_pair(self, opening: str, closing: str) -> None:
        """Skip everything up to the parenthesis that closes the next one."""
        level = 0
        while self.token.kind != "end":
            level += self.sees(opening)
            level -= self.sees(closing)
            self.place += 1
            if level == 0:
                return
        raise self.wrong(f"{closing} is missing")
