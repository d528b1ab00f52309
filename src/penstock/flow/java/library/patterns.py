"""java.util.regex."""

from __future__ import annotations

import re

from penstock.flow.java.library.thing import Thing
from penstock.flow.java.throwables import thrown

_GROUP = re.compile(r"\\(.)|\$(\d)|\$\{(\w+)\}")
_NAMED = re.compile(r"\(\?<([A-Za-z]\w*)>")


def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern as Python has it."""
    try:
        return re.compile(_NAMED.sub(r"(?P<\1>", pattern).replace(r"\p{Alnum}", "[A-Za-z0-9]"), flags)
    except re.error as raised:
        raise thrown("PatternSyntaxException", f"{raised}: {pattern}") from None


class Pattern(Thing):
    """A regular expression."""

    packages = ("java.util.regex",)
    constants = {"CASE_INSENSITIVE": 2, "MULTILINE": 8, "DOTALL": 32}
    abstract = True

    def __init__(self, text: str, flags: int) -> None:
        known = {2: re.IGNORECASE, 8: re.MULTILINE, 32: re.DOTALL}
        self.text = text
        self.compiled = compiled(text, sum(each for bit, each in known.items() if flags & bit))

    @staticmethod
    def compile(text: str, flags: int = 0) -> Pattern:
        return Pattern(text, flags)

    @staticmethod
    def matches(text: str, value: str) -> bool:
        return compiled(text).fullmatch(value) is not None

    @staticmethod
    def quote(text: str) -> str:
        return re.escape(text)

    def matcher(self, value: str) -> Matcher:
        return Matcher(self.compiled, value)

    def pattern(self) -> str:
        return self.text

    def toString(self) -> str:
        return self.text


class Matcher(Thing):
    """A pattern at work on a text."""

    packages = ("java.util.regex",)
    abstract = True

    def __init__(self, pattern: re.Pattern[str], value: str) -> None:
        self._pattern = pattern
        self._value = value
        self._found: re.Match[str] | None = None
        self._at = 0

    def find(self) -> bool:
        self._found = self._pattern.search(self._value, self._at) if self._at <= len(self._value) else None
        if self._found is not None:
            self._at = self._found.end() + (self._found.end() == self._found.start())
        return self._found is not None

    def matches(self) -> bool:
        self._found = self._pattern.fullmatch(self._value)
        return self._found is not None

    def lookingAt(self) -> bool:
        self._found = self._pattern.match(self._value)
        return self._found is not None

    def _match(self) -> re.Match[str]:
        if self._found is None:
            raise thrown("IllegalStateException", "No match found")
        return self._found

    def group(self, which: int | str = 0) -> str | None:
        try:
            return self._match().group(which)
        except IndexError:
            raise thrown("IndexOutOfBoundsException", f"No group {which}") from None

    def groupCount(self) -> int:
        return self._pattern.groups

    def start(self, which: int = 0) -> int:
        return self._match().start(which)

    def end(self, which: int = 0) -> int:
        return self._match().end(which)

    def reset(self) -> Matcher:
        self._found, self._at = None, 0
        return self

    def replaceAll(self, new: str) -> str:
        return self._pattern.sub(lambda found: _expanded(new, found), self._value)

    def replaceFirst(self, new: str) -> str:
        return self._pattern.sub(lambda found: _expanded(new, found), self._value, count=1)


def _expanded(new: str, found: re.Match[str]) -> str:
    return _GROUP.sub(
        lambda place: place[1] if place[1] else found.group(int(place[2]) if place[2] else place[3]) or "",
        new,
    )
