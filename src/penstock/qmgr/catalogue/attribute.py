"""What an attribute of an object is, and how one value of it is checked.

The tables beside this file are built with the small constructors at the end. An attribute knows its
MQSC name, the values it takes, its default and its MQIA_/MQCA_ number, and whether setting it changes
anything here (`stored`, `refusing`). It does not know objects, and it does not parse MQSC text: the
parser hands over words, `check` answers with the value that is stored.
Invariant: a value that `check` returned is accepted, unchanged, by `check` again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Value = int | str | tuple[str, ...]

INTEGER_MAX = 999_999_999
NAME_LENGTH = 48
NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/%")
YES_NO: dict[str, int] = {"NO": 0, "YES": 1}
HEXADECIMAL = frozenset("0123456789ABCDEFabcdef")
ANY_VALUE = "*"  # in `refuses`: every value but the default


class ValueRefused(CommandError):
    """A value that an attribute does not accept; the detail lists what it accepts."""

    @property
    def attribute(self) -> str:
        """The attribute or kind of object that was given the value."""
        return str(self.fields["attribute"])


def refused(attribute: str, detail: str, reason: int = mq.MQRCCF_ATTR_VALUE_ERROR) -> ValueRefused:
    """Return the error for a value that cannot be; the caller raises it."""
    return ValueRefused(reason, detail, {"attribute": attribute})


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of one kind of object.

    `kind` is integer, string, keyword, flag or names. `values` maps the words it takes to MQ's integers;
    an integer may take words too (AUTO, NOLIMIT), and names with `values` is a list of keywords.
    `applies` holds the subtypes (CHLTYPE, AUTHTYPE ...) that have it; empty means all. `inert` says why
    setting it changes nothing here: to any value but the default, or only to one of `inert_values`.
    `refuses` has the values that are not taken, with the reason, because they would promise protection.
    """

    name: str
    kind: str
    default: Value
    minimum: int = 0
    maximum: int = INTEGER_MAX
    length: int = 0
    values: Mapping[str, int] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    read_only: bool = False
    number: int = 0
    applies: frozenset[str] = frozenset()
    characters: str = ""
    own_line: bool = False
    secret: bool = False
    inert: str = ""
    inert_values: frozenset[str] = frozenset()
    refuses: Mapping[str, str] = field(default_factory=dict)
    why_not: Callable[[str], str] | None = None  # returns why a text other than the default is refused

    def refusal(self, value: Value) -> str:
        """Return why a value that was checked cannot be set; empty when it can."""
        if self.why_not is not None and value != self.default:
            cause = self.why_not(str(value))
            return f"{self.name}({value}) is refused: {cause}" if cause else ""
        if self.refuses and value != self.default:
            for word in value if isinstance(value, tuple) else (str(value),):
                why = self.refuses.get(word) or self.refuses.get(ANY_VALUE)
                if why:
                    return f"{self.name}({word}) is refused: {why}"
        return ""

    def has_effect(self, value: Value) -> bool:
        """Return whether this value has the same effect as in MQ; a default has, because it does nothing."""
        if not self.inert or value == self.default:
            return True
        words = value if isinstance(value, tuple) else (value,)
        return bool(self.inert_values) and self.inert_values.isdisjoint(words)

    @property
    def allowed(self) -> str:
        """Return the accepted values, for error texts."""
        words = ", ".join(self.values)
        if self.kind == "integer":
            span = f"a whole number from {self.minimum} to {self.maximum}"
            return f"{span} or {words}" if words else span
        if self.kind in ("keyword", "flag"):
            return f"one of {words}"
        if self.kind == "names":
            return (
                f"a list of {words}" if words else f"a list of texts, each of up to {self.length} characters"
            )
        return f"{_CHARACTERS_SAID[self.characters]} of up to {self.length} characters"

    def check(self, given: Value) -> Value:
        """Return the value to store for a given one; ValueRefused lists the accepted values."""
        if self.kind == "integer":
            return self._integer(given)
        if self.kind == "names":
            return self._names(given)
        text = str(given)
        if self.kind == "string":
            return self._string(text)
        return self._keyword(text)

    def to_integer(self, value: Value) -> int:
        """Return MQ's integer for a stored value, as MQINQ answers it."""
        if isinstance(value, int):
            return value
        if isinstance(value, tuple):
            return sum(self.values.get(word, 0) for word in value)
        return self.values[value]

    def from_integer(self, number: int) -> Value:
        """Return the stored value for MQ's integer, as MQSET gives it; ValueRefused when it means nothing."""
        for word, value in self.values.items():
            if value == number:
                return word
        if self.kind == "integer":
            return self._integer(number)
        raise refused(self.name, f"{self.name}({number}): allowed is {self.allowed}")

    def _integer(self, given: Value) -> Value:
        if isinstance(given, str):
            word = given.strip().upper()
            word = self.synonyms.get(word, word)
            if word in self.values:
                return word
            digits = word[1:] if word[:1] in ("-", "+") else word
            if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
                raise self._refused(given)
            given = int(word)
        if not isinstance(given, int) or not self.minimum <= given <= self.maximum:
            raise self._refused(given)
        return int(given)

    def _keyword(self, text: str) -> str:
        word = text.strip().upper()
        word = self.synonyms.get(word, word)
        if word not in self.values:
            raise self._refused(text)
        return word

    def _string(self, text: str) -> str:
        text = text.rstrip(" ")
        if len(text) > self.length:
            raise refused(self.name, f"{self.name} holds {len(text)} characters: allowed is {self.allowed}")
        if self.characters == "name" and not NAME_CHARACTERS.issuperset(text):
            raise self._refused(text)
        if self.characters == "hex" and (len(text) % 2 or not HEXADECIMAL.issuperset(text)):
            raise self._refused(text)
        return text.upper() if self.characters == "hex" else text

    def _names(self, given: Value) -> tuple[str, ...]:
        items = [str(item).rstrip(" ") for item in (given if isinstance(given, tuple) else (given,))]
        items = [item for item in items if item]
        if len(items) > self.maximum:
            raise refused(self.name, f"{self.name} holds {len(items)} items: allowed are {self.maximum}")
        for position, item in enumerate(items):
            if self.values:
                items[position] = self._keyword(item)
            elif len(item) > self.length or (
                self.characters == "name" and not NAME_CHARACTERS.issuperset(item)
            ):
                raise self._refused(item)
        return tuple(items)

    def _refused(self, given: Value) -> ValueRefused:
        shown = "'********'" if self.secret else given
        return refused(self.name, f"{self.name}({shown}): allowed is {self.allowed}")


_CHARACTERS_SAID = {
    "": "a text",
    "name": "a name (letters, digits and . _ / %)",
    "hex": "an even number of hexadecimal digits, in all",
}


def _subtypes(on: str) -> frozenset[str]:
    return frozenset(on.split())


def integer(
    name: str,
    number: int,
    default: Value,
    minimum: int = 0,
    maximum: int = INTEGER_MAX,
    *,
    words: Mapping[str, int] | None = None,
    on: str = "",
    read_only: bool = False,
) -> Attribute:
    """Describe a whole number; `words` are the words it takes besides."""
    return Attribute(
        name,
        "integer",
        default,
        minimum,
        maximum,
        values=words or {},
        number=number,
        applies=_subtypes(on),
        read_only=read_only,
    )


def keyword(
    name: str,
    number: int,
    default: str,
    values: Mapping[str, int],
    *,
    synonyms: Mapping[str, str] | None = None,
    on: str = "",
    read_only: bool = False,
) -> Attribute:
    """Describe an attribute that takes one of some words; `synonyms` are further spellings of them."""
    return Attribute(
        name,
        "keyword",
        default,
        values=values,
        synonyms=synonyms or {},
        number=number,
        applies=_subtypes(on),
        read_only=read_only,
    )


def string(
    name: str,
    number: int,
    length: int,
    default: str = "",
    *,
    on: str = "",
    characters: str = "",
    aliases: tuple[str, ...] = (),
    read_only: bool = False,
    secret: bool = False,
    own_line: bool = False,
) -> Attribute:
    """Describe a text of limited length; `characters` is "", "name" or "hex"."""
    return Attribute(
        name,
        "string",
        default,
        length=length,
        number=number,
        applies=_subtypes(on),
        characters=characters,
        aliases=aliases,
        read_only=read_only,
        secret=secret,
        own_line=own_line,
    )


def name_of(
    name: str, number: int, length: int = NAME_LENGTH, default: str = "", **more: object
) -> Attribute:
    """Describe an attribute that holds an object's name."""
    return string(name, number, length, default, characters="name", **more)  # type: ignore[arg-type]


def flag(name: str, number: int, default: str, *, read_only: bool = False) -> Attribute:
    """Describe a word without a value, with NO before it for the opposite (SHARE, NOSHARE)."""
    return Attribute(name, "flag", default, values=YES_NO, number=number, read_only=read_only)


def names(
    name: str,
    number: int,
    length: int,
    maximum: int,
    *,
    values: Mapping[str, int] | None = None,
    default: tuple[str, ...] = (),
    on: str = "",
    characters: str = "",
    own_line: bool = False,
    read_only: bool = False,
) -> Attribute:
    """Describe a list of texts, or of keywords when `values` is given."""
    return Attribute(
        name,
        "names",
        default,
        maximum=maximum,
        length=length,
        values=values or {},
        number=number,
        applies=_subtypes(on),
        characters=characters,
        own_line=own_line,
        read_only=read_only,
    )


def stored(why: str, attribute: Attribute, *values: str) -> Attribute:
    """Declare that an attribute, or some values of it, is stored and shown without effect, and why."""
    return replace(attribute, inert=why, inert_values=frozenset(values))


def refusing(why: str, attribute: Attribute, *values: str) -> Attribute:
    """Declare that some values, or all but the default, are refused: they promise missing protection."""
    return replace(attribute, refuses=dict.fromkeys(values or (ANY_VALUE,), why))


def checking(why_not: Callable[[str], str], attribute: Attribute) -> Attribute:
    """Declare that a text is refused for the reason that a function returns; no reason means accepted."""
    return replace(attribute, why_not=why_not)


def moment(name: str, number: int) -> Attribute:
    """Describe a date or time that the queue manager writes (ALTDATE, CRTIME ...)."""
    return string(name, number, 12, read_only=True)


ALTERED = (moment("ALTDATE", 2027), moment("ALTTIME", 2028))
CREATED = (moment("CRDATE", 2004), moment("CRTIME", 2005))
