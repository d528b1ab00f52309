"""Output of lists: columns for people, JSON for programs; the same facts in both.

Plain text, because a list is often the input of `grep` or `awk`: nothing is cut or wrapped.
"""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

GAP = "  "
RATED_MESSAGES_MIN = 100
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # Unicode's control and format characters, and its line ends


LINES = "\n\t"


def show_json(value: Any) -> None:
    """Print a value as indented JSON; bytes become hexadecimal text."""
    print(json.dumps(value, indent=2, default=plain))


def show_json_list(values: Iterable[Any]) -> None:
    """Print values as an indented JSON list, each when it arrives."""
    before = "["
    for value in values:
        text = json.dumps(value, indent=2, default=plain)
        print(before + "\n  " + text.replace("\n", "\n  "), end="", flush=True)
        before = ","
    print("[]" if before == "[" else "\n]")


def show_json_line(value: Any) -> None:
    """Print a value as one line of JSON, for streams."""
    print(json.dumps(value, default=plain))


def show_columns(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows under their headings, each column as wide as its widest value."""
    lines = [[str(column).upper() for column in columns]]
    lines += [["" if value is None else visible(str(value)) for value in row] for row in rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    for line in lines:
        cells = (value.ljust(width) for value, width in zip(line, widths, strict=True))
        print(GAP.join(cells).rstrip())


def show_facts(facts: Mapping[str, Any], indent: str = "") -> None:
    """Print names and values, one per line; groups of facts are indented under their name."""
    width = max((len(name) for name in facts), default=0)
    for name, value in facts.items():
        if isinstance(value, dict):
            print(f"{indent}{name}")
            show_facts(value, indent + GAP)
        elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
            print(f"{indent}{name}")
            for each in value:
                show_facts(each, indent + GAP)
        else:
            print(f"{indent}{name.ljust(width)}{GAP}{visible(str(value), kept=LINES)}")


def visible(text: str, kept: str = "") -> str:
    """Return a text that moves no cursor: control characters are escaped, except those in `kept`.

    >>> print(visible("a\\x1b[31mred\\n"))
    a\\x1b[31mred\\n
    """
    if text.isprintable():
        return text
    return "".join(
        each if each in kept or unicodedata.category(each) not in HIDDEN else ascii(each)[1:-1]
        for each in text
    )


def plain(value: Any) -> Any:
    """Return a JSON value in place of one that JSON does not have."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)


def rated(messages: int, rate: float) -> str:
    """Return a rate for people; nothing for few messages, where it would mostly show the start.

    >>> rated(2, 0.3), rated(5000, 812.4)
    ('', ', 812 a second')
    """
    return f", {rate:.0f} a second" if messages >= RATED_MESSAGES_MIN else ""


def counted(number: int, word: str) -> str:
    """Return a number with its word, one or more: `1 message`, `2 messages`, `2 batches`."""
    plural = f"{word}es" if word.endswith(("ch", "s", "x")) else f"{word}s"
    return f"{number} {word if number == 1 else plural}"
