"""Routines of ESQL that are written in another language: which a module may call, and which are missing.

They are found in the text of the files, because files with errors have no syntax tree. A routine counts as
called if its name is followed by a parenthesis in a file that the module's file can reach.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
_ROUTINE = re.compile(r"\bCREATE\s+(?:FUNCTION|PROCEDURE)\s+(\w+)\s*\(", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"\bCREATE\s+(?:FUNCTION|PROCEDURE)\s+(?P<name>\w+)\s*\((?P<parameters>[^;]*?)\)"
    r"(?:(?!\bBEGIN\b|\bCREATE\b|;).)*?\bLANGUAGE\s+(?P<language>JAVA|PYTHON|CLR|\.NET)\b"
    r"(?:(?!\bBEGIN\b|\bCREATE\b|;).)*?\bEXTERNAL\s+NAME\s+[\"'](?P<external>[^\"']+)[\"']",
    re.IGNORECASE | re.DOTALL,
)
_CALL = re.compile(r"\b(\w+)\s*\(")
_PARAMETER = re.compile(r"\s*(?:(?:IN|OUT|INOUT)\s+)?(\w+)", re.IGNORECASE)


class Outside(NamedTuple):
    """A routine in another language."""

    name: str
    language: str
    external: str
    parameters: tuple[str, ...]


def plain(text: str) -> str:
    """Return ESQL without its comments."""
    return _COMMENT.sub(" ", text)


def outside_routines(text: str) -> Iterator[Outside]:
    """Yield the routines of a plain text that are in another language."""
    for found in _OUTSIDE.finditer(text):
        given = [_PARAMETER.match(each) for each in found["parameters"].split(",")]
        names = tuple(each.group(1) for each in given if each is not None)
        yield Outside(found["name"], found["language"].upper(), found["external"].strip(), names)


def called_outside(file: str, texts: dict[str, str]) -> list[Outside]:
    """Return the routines in other languages that a file may call; `texts` are those of all files it sees."""
    owners: dict[str, set[str]] = {}
    for name, text in texts.items():
        for routine in _ROUTINE.findall(text):
            owners.setdefault(routine.upper(), set()).add(name)
    reached, waiting = {file}, [file]
    while waiting:
        here = waiting.pop()
        for called in _calls(texts.get(here, "")):
            found_in = owners.get(called, set())
            new = set() if here in found_in else found_in - reached  # its own routine comes first
            reached |= new
            waiting += sorted(new)
    calls = {each for name in reached for each in _calls(texts.get(name, ""))}
    found = [each for name in sorted(reached) for each in outside_routines(texts.get(name, ""))]
    return [each for each in found if each.name.upper() in calls]


def _calls(text: str) -> Iterable[str]:
    """Return the names that are called in a text, in capitals; a declaration is not a call."""
    return {each.upper() for each in _CALL.findall(_ROUTINE.sub(" ", text))}
