"""Words of Java source: names, keywords, literals and symbols, each with its line. Comments are dropped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.java.problem import JavaProblem

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE_MAX = 1_000_000  # characters of a file
KEYWORDS = frozenset(
    [
        "abstract",
        "assert",
        "boolean",
        "break",
        "byte",
        "case",
        "catch",
        "char",
        "class",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extends",
        "final",
        "finally",
        "float",
        "for",
        "if",
        "implements",
        "import",
        "instanceof",
        "int",
        "interface",
        "long",
        "native",
        "new",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "short",
        "static",
        "strictfp",
        "super",
        "switch",
        "synchronized",
        "this",
        "throw",
        "throws",
        "transient",
        "try",
        "void",
        "volatile",
        "while",
        "true",
        "false",
        "null",
    ]
)
_WORDS = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<name>[A-Za-z_$\u0080-\uffff][\w$]*)"
    r"|(?P<number>0[xX][0-9a-fA-F_]+[lL]?|0[bB][01_]+[lL]?"
    r"|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[fFdDlL]?)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<char>'(?:[^'\\\n]|\\u+[0-9a-fA-F]{4}|\\[0-7]{1,3}|\\.)')"
    r"|(?P<symbol>>>>=|<<=|>>=|\.\.\.|->|::|\+\+|--|<<|&&|\|\||[=!<>+\-*/&|^%]=|[-+*/%=<>!~?:;,.(){}\[\]&|^@])",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u+[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " "}


class Token(NamedTuple):
    """A word: `kind` is name, keyword, number, text, char, symbol or end."""

    kind: str
    text: str
    line: int


def tokens_of(source: str) -> list[Token]:
    """Return the words of a file, with one of kind `end` behind them."""
    if len(source) > SOURCE_MAX:
        raise JavaProblem(1, f"the file has {len(source)} characters, at most {SOURCE_MAX}")
    found = list(_tokens(source))
    found.append(Token("end", "the end of the file", source.count("\n") + 1))
    return found


def _tokens(source: str) -> Iterator[Token]:
    at, line = (1 if source.startswith("\ufeff") else 0), 1
    while at < len(source):
        found = _WORDS.match(source, at)
        if found is None:
            raise JavaProblem(line, f"{source[at]!r} is not expected here")
        kind, text = str(found.lastgroup), found.group()
        if kind == "name" and text in KEYWORDS:
            kind = "keyword"
        if kind != "space":
            yield Token(kind, text, line)
        line += text.count("\n")
        at = found.end()


def text_in(literal: str) -> str:
    """Return the value of a text or char literal.

    >>> text_in('"a\\\\tb"')
    'a\\tb'
    """
    return _ESCAPE.sub(_escaped, literal[1:-1])


def _escaped(found: re.Match[str]) -> str:
    what = found[1]
    if what[0] == "u":
        return chr(int(what.lstrip("u"), 16))
    if what[0] in "01234567":
        return chr(int(what, 8))
    return _SHORT.get(what, what)
