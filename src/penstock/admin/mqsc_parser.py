"""From a command's text to verb, object, name and parameters.

The shape of a command and nothing more: which attributes an object has is checked by the command that
uses them, through `Parameters`, which records what was used and reports what was not.
Unquoted words are in upper case afterwards, quoted ones as they were written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.admin import syntax
from penstock.admin.mqsc_lexer import (
    CLOSE,
    COMMA,
    COMMAND_LENGTH_MAX,
    COMMAND_LINES_MAX,
    END,
    OPEN,
    QUOTED,
    WORD,
    CommandText,
    Token,
    tokens,
)
from penstock.admin.syntax import SyntaxFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Word:
    """A value as given: folded to upper case unless it was quoted."""

    text: str
    quoted: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """A word with or without values in parentheses: SHARE, MAXDEPTH(5), NAMES(A,B)."""

    name: str
    values: tuple[Word, ...] | None
    start: int
    end: int
    close: int

    def fault(self, text: str, hint: str = "") -> SyntaxFault:
        """Return a fault that points at this parameter's word."""
        return SyntaxFault(text, self.start, self.end, hint)

    def value_fault(self, text: str, hint: str = "") -> SyntaxFault:
        """Return a fault that points at this parameter's value."""
        if not self.values:
            return self.fault(text, hint)
        return SyntaxFault(text, self.values[0].start, self.values[-1].end, hint)

    @property
    def text(self) -> str:
        """The one value; empty parentheses are a blank. SyntaxFault when there are several or none."""
        if self.values is None:
            raise self.fault(f"{self.name} needs a value: {self.name}( ... )")
        if len(self.values) > 1:
            raise self.value_fault(f"{self.name} takes one value; quote it if it holds blanks or commas")
        return self.values[0].text if self.values else ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command that has MQSC's shape."""

    verb: str
    noun: str
    name: Parameter
    parameters: tuple[Parameter, ...]
    source: CommandText

    @property
    def given_name(self) -> str:
        """The name in the parentheses of the object, empty if there is none."""
        return self.name.values[0].text if self.name.values else ""

    @property
    def object_name(self) -> str:
        """The name in the parentheses of the object; SyntaxFault when there is none."""
        if self.name.values is None or not self.name.text:
            raise self.name.fault(f"{self.noun} needs a name: {self.noun}( name )")
        return self.name.text


def parse(source: CommandText) -> Command:
    """Parse one command; SyntaxFault contains the mistake and its position."""
    if source.too_long:
        text = f"a command has at most {COMMAND_LENGTH_MAX} characters, on at most {COMMAND_LINES_MAX} lines"
        raise SyntaxFault(text, min(COMMAND_LENGTH_MAX, source.length), source.length)
    words = list(tokens(source.text))
    verb = syntax.verb_of(words[0].text.upper()) if words[0].kind == WORD else None
    if verb is None:
        hint = syntax.near(words[0].text.upper(), syntax.VERBS)
        raise SyntaxFault(syntax.unknown_verb(words[0].text), words[0].start, words[0].end, hint)
    parameters = list(_parameters(words[1:]))
    if not parameters:
        nouns = ", ".join(syntax.nouns_of(verb))
        raise SyntaxFault(f"{verb} needs an object: one of {nouns}", words[-1].start, words[-1].end)
    first = parameters[0]
    noun = syntax.noun_of(first.name)
    if noun is None or noun not in syntax.nouns_of(verb):
        hint = syntax.near(first.name, syntax.nouns_of(verb))
        raise first.fault(f"{verb} {first.name} is not an MQSC command", hint)
    command = Command(verb, noun, first, tuple(parameters[1:]), source)
    _check_where(command)
    return command


def _check_where(command: Command) -> None:
    if command.verb == "DISPLAY" and command.noun in syntax.ONE_ROW:
        for parameter in command.parameters:
            if parameter.name == "WHERE":
                raise parameter.fault(f"DISPLAY {command.noun} takes no WHERE")


def _parameters(words: list[Token]) -> Iterator[Parameter]:
    position = 0
    while words[position].kind != END:
        token = words[position]
        if token.kind == COMMA:
            position += 1
            continue
        if token.kind != WORD:
            what = (
                "this text belongs in parentheses"
                if token.kind == QUOTED
                else f"{token.text} is not expected here"
            )
            raise SyntaxFault(what, token.start, token.end)
        position += 1
        values: tuple[Word, ...] | None = None
        close = token.end
        if words[position].kind == OPEN:
            values, position = _values(words, position)
            close = words[position - 1].end
        yield Parameter(token.text.upper(), values, token.start, token.end, close)


def _values(words: list[Token], opening: int) -> tuple[tuple[Word, ...], int]:
    found: list[Word] = []
    position = opening + 1
    while True:
        token = words[position]
        position += 1
        if token.kind == CLOSE:
            return tuple(found), position
        if token.kind == WORD:
            found.append(Word(token.text.upper(), False, token.start, token.end))
        elif token.kind == QUOTED:
            found.append(Word(token.text, True, token.start, token.end))
        elif token.kind == OPEN:
            raise SyntaxFault("a value that holds parentheses must be quoted", token.start, token.end)
        elif token.kind == END:
            place = words[opening]
            raise SyntaxFault("the parenthesis that opens here is never closed", place.start, place.end)


class Parameters:
    """The parameters of one command, to be taken one by one; what is left over is a fault."""

    def __init__(self, command: Command) -> None:
        self._left: dict[str, Parameter] = {}
        for parameter in command.parameters:
            if parameter.name in self._left:
                raise parameter.fault(f"{parameter.name} is given twice")
            self._left[parameter.name] = parameter

    def take(self, name: str) -> Parameter | None:
        """Return and use up a parameter, or None."""
        return self._left.pop(name, None)

    def put_back(self, parameter: Parameter) -> None:
        """Give back a parameter that was taken."""
        self._left[parameter.name] = parameter

    def take_word(self, name: str) -> bool:
        """Return whether a word without value (ALL, REPLACE) is present, and consume it."""
        parameter = self._left.pop(name, None)
        if parameter is not None and parameter.values is not None:
            raise parameter.fault(f"{name} takes no value")
        return parameter is not None

    def take_keyword(self, name: str, allowed: Iterable[str], default: str = "") -> str:
        """Return one of some words that a parameter may have, or the default if it is missing."""
        parameter = self._left.pop(name, None)
        if parameter is None:
            return default
        word = parameter.text.upper()
        allowed = list(allowed)
        if word not in allowed:
            text = f"{name}({parameter.text}): allowed is one of {', '.join(allowed)}"
            raise parameter.value_fault(text, syntax.near(word, allowed))
        return word

    def take_number(self, name: str, default: int, minimum: int, maximum: int) -> int:
        """Return a whole number within limits, or the default if the parameter is missing."""
        parameter = self._left.pop(name, None)
        if parameter is None:
            return default
        text = parameter.text.strip()
        if not (text.isascii() and text.isdigit() and len(text) < 16 and minimum <= int(text) <= maximum):
            raise parameter.value_fault(
                f"{name}({text}): allowed is a whole number from {minimum} to {maximum}"
            )
        return int(text)

    def rest(self) -> list[Parameter]:
        """Return and use up everything that is left, in the order in which it was given."""
        left = list(self._left.values())
        self._left.clear()
        return left

    def end(self, known: Iterable[str] = ()) -> None:
        """Report the first parameter that was not used."""
        for parameter in self._left.values():
            hint = syntax.near(parameter.name, known)
            raise parameter.fault(f"{parameter.name} does not belong to this command", hint)
