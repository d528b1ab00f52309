"""Declarations and statements of Java source."""

from __future__ import annotations

from penstock.flow.java.expressions import ExpressionReader
from penstock.flow.java.reader import PRIMITIVES
from penstock.flow.java.syntax import (
    Block,
    Class,
    Do,
    Field,
    ForEach,
    If,
    Labelled,
    Leave,
    Local,
    Loop,
    Marks,
    Method,
    NewArray,
    Node,
    Return,
    Switch,
    Throw,
    Try,
    Unit,
)

_MODIFIERS = (
    *("public", "protected", "private", "static", "final", "abstract", "synchronized", "native"),
    *("transient", "volatile", "strictfp", "default"),
)


def parsed(source: str) -> Unit:
    """Return the syntax tree of a file."""
    return _Parser(source).unit()


class _Parser(ExpressionReader):
    marks: Marks = {}  # the annotations of the last modifiers

    def unit(self) -> Unit:
        found = Unit("", [], [])
        marks = self.annotations()
        if self.take("package"):
            found.package = self.qualified()
            found.marks, marks = marks, {}
            self.need(";")
        while self.take("import"):
            names = found.statics if self.take("static") else found.imports
            name = self.qualified()
            if self.take("."):
                self.need("*")
                name += ".*"
            names.append(name)
            self.need(";")
        while self.token.kind != "end":
            if not self.take(";"):
                self.modifiers()
                self.marks = {**marks, **self.marks}
                found.classes.append(self.class_())
                marks = {}
        return found

    def modifiers(self) -> set[str]:
        """Take modifiers, with the annotations among them."""
        found: set[str] = set()
        self.marks = {}
        while True:
            self.marks.update(self.annotations())
            word = self.take(*_MODIFIERS)
            if not word:
                return found
            found.add(word)

    # -- classes -----------------------------------------------------------------------------

    def class_(self) -> Class:
        line = self.token.line
        if self.take("@"):
            self.need("interface")
            raise self.wrong("declarations of annotations are not supported")
        kind = self.take("class", "interface", "enum")
        if not kind:
            raise self.wrong(f"a class is expected, not {self.token.text}")
        found = Class(line, self.name(), kind, "", marks=self.marks)
        self.type_arguments()
        if self.take("extends"):
            found.base = self.type()
            while self.take(","):
                found.interfaces.append(self.type())
        if self.take("implements"):
            found.interfaces.append(self.type())
            while self.take(","):
                found.interfaces.append(self.type())
        if kind == "enum":
            raise self.wrong("enums are not supported")
        self.class_body(found)
        return found

    def class_body(self, owner: Class) -> None:
        self.need("{")
        while not self.take("}"):
            self.member(owner)

    def member(self, owner: Class) -> None:
        if self.take(";"):
            return
        words = self.modifiers()
        line = self.token.line
        if self.sees("{"):
            owner.initialisers.append(("static" in words, self.block()))
            return
        if self.sees("class", "interface", "enum", "@"):
            inner = self.class_()
            inner.is_static = "static" in words or "interface" in (inner.kind, owner.kind)
            owner.inner.append(inner)
            return
        marks = self.marks
        self.type_arguments()
        if self.token.text == owner.name and self.ahead().text == "(":
            self.place += 1
            owner.constructors.append(self.method(line, "<init>", "void", False))
            return
        type_ = self.type()
        items = self.items
        name = self.name()
        is_static = "static" in words or owner.kind == "interface"
        if self.sees("("):
            method = self.method(line, name, type_, "static" in words)
            method.marks = marks
            owner.methods.append(method)
            return
        for each, one, value in self.variables(type_, name):
            owner.fields.append(Field(line, each, one, value, is_static, items, marks))
        self.need(";")

    def method(self, line: int, name: str, result: str, is_static: bool) -> Method:
        self.need("(")
        parameters: list[tuple[str, str]] = []
        takes_rest = False
        while not self.sees(")"):
            self.modifiers()
            type_ = self.type()
            if self.take("..."):
                takes_rest = True
                type_ += "[]"
            one = self.name()
            parameters.append((type_ + self.dimensions(), one))
            if not self.take(","):
                break
        self.need(")")
        result += self.dimensions()
        if self.take("throws"):
            self.type()
            while self.take(","):
                self.type()
        body = None if self.take(";") else self.block()
        return Method(line, name, result, parameters, body, is_static, takes_rest)

    def variables(self, type_: str, name: str) -> list[tuple[str, str, Node | None]]:
        """Read the rest of a declaration of variables: `name = value, other`."""
        found: list[tuple[str, str, Node | None]] = []
        while True:
            own = type_ + self.dimensions()
            value: Node | None = None
            if self.take("="):
                line = self.token.line
                inner = own.removesuffix("[]")
                value = (
                    NewArray(line, inner, [], self.array_items(inner))
                    if self.sees("{")
                    else self.expression()
                )
            found.append((own, name, value))
            if not self.take(","):
                return found
            name = self.name()

    # -- statements --------------------------------------------------------------------------

    def block(self) -> Block:
        line = self.need("{")
        found: list[Node] = []
        while not self.take("}"):
            found.append(self.statement())
        return Block(line, found)

    def statement(self) -> Node:
        self.deeper()
        line = self.token.line
        rules = {
            "if": self._if,
            "while": self._while,
            "do": self._do,
            "for": self._for,
            "return": self._return,
            "throw": self._throw,
            "try": self._try,
            "switch": self._switch,
            "break": self._leave,
            "continue": self._leave,
            "synchronized": self._synchronized,
        }
        rule = rules.get(self.token.text) if self.token.kind == "keyword" else None
        found: Node
        if rule is not None:
            self.place += 1
            found = rule(line)
        elif self.sees("{"):
            found = self.block()
        elif self.take(";"):
            found = Block(line, [])
        elif self.sees("class", "interface", "enum", "abstract", "static"):
            raise self.wrong("classes inside methods are not supported")
        elif self.sees("assert"):
            raise self.wrong("assert is not supported")
        elif self.token.kind == "name" and self.ahead().text == ":" and self.ahead().kind == "symbol":
            label = self.name()
            self.need(":")
            found = Labelled(line, label, self.statement())
        else:
            found = self.simple(line)
            self.need(";")
        self.depth -= 1
        return found

    def simple(self, line: int) -> Node:
        """Read a declaration of variables or an expression, without the semicolon."""
        begun = self.tried(self._declared)
        if begun is not None:
            return Local(line, self.variables(*begun))
        return Do(line, self.expression())

    def _declared(self) -> tuple[str, str]:
        """Read the type and first name of a declaration, if it is one."""
        is_final = self.take("final")
        self.annotations()
        if not is_final and self.token.kind != "name" and self.token.text not in PRIMITIVES:
            raise self.wrong("this is no declaration")
        found = self.type(), self.name()
        if not (self.sees("=", ";", ",", ":") or (self.sees("[") and self.ahead().text == "]")):
            raise self.wrong("this is no declaration")
        return found

    def condition(self) -> Node:
        self.need("(")
        found = self.expression()
        self.need(")")
        return found

    def _if(self, line: int) -> Node:
        test = self.condition()
        then = self.statement()
        return If(line, test, then, self.statement() if self.take("else") else None)

    def _while(self, line: int) -> Node:
        test = self.condition()
        return Loop(line, [], test, [], self.statement())

    def _do(self, line: int) -> Node:
        body = self.statement()
        self.need("while")
        test = self.condition()
        self.need(";")
        return Loop(line, [], test, [], body, tests_first=False)

    def _for(self, line: int) -> Node:
        self.need("(")
        begun = self.tried(self._declared)
        if begun is not None and self.take(":"):
            source = self.expression()
            self.need(")")
            return ForEach(line, *begun, source, self.statement())
        start: list[Node] = []
        if begun is not None:
            start.append(Local(line, self.variables(*begun)))
        elif not self.sees(";"):
            start = self._expressions(line)
        self.need(";")
        test = None if self.sees(";") else self.expression()
        self.need(";")
        after = [] if self.sees(")") else self._expressions(line)
        self.need(")")
        return Loop(line, start, test, after, self.statement())

    def _expressions(self, line: int) -> list[Node]:
        found: list[Node] = [Do(line, self.expression())]
        while self.take(","):
            found.append(Do(line, self.expression()))
        return found

    def _return(self, line: int) -> Node:
        value = None if self.sees(";") else self.expression()
        self.need(";")
        return Return(line, value)

    def _throw(self, line: int) -> Node:
        value = self.expression()
        self.need(";")
        return Throw(line, value)

    def _leave(self, line: int) -> Node:
        word = self.tokens[self.place - 1].text
        label = "" if self.sees(";") else self.name()
        self.need(";")
        return Leave(line, word, label)

    def _synchronized(self, line: int) -> Node:
        self.condition()
        return self.block()  # instances of a flow are processes: nobody else is here

    def _try(self, line: int) -> Node:
        resources: list[Node] = []
        if self.take("("):
            while not self.sees(")"):
                resources.append(self.simple(line))
                if not self.take(";"):
                    break
            self.need(")")
        body = self.block()
        catches: list[tuple[list[str], str, Node]] = []
        while self.take("catch"):
            self.need("(")
            self.modifiers()
            types = [self.type()]
            while self.take("|"):
                types.append(self.type())
            name = self.name()
            self.need(")")
            catches.append((types, name, self.block()))
        return Try(line, resources, body, catches, self.block() if self.take("finally") else None)

    def _switch(self, line: int) -> Node:
        subject = self.condition()
        self.need("{")
        cases: list[tuple[list[Node | None], list[Node]]] = []
        while not self.take("}"):
            labels: list[Node | None] = []
            while self.sees("case", "default"):
                labels.append(None if self.take("default") else self._case())
                self.need(":")
            if not labels:
                raise self.wrong(f"case is expected, not {self.token.text}")
            body: list[Node] = []
            while not self.sees("case", "default", "}"):
                body.append(self.statement())
            cases.append((labels, body))
        return Switch(line, subject, cases)

    def _case(self) -> Node:
        self.need("case")
        return self.conditional()
