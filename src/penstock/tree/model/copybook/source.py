"""The text of a copybook: from lines in either reference format to sentences of words.

Fixed format has text in columns 8 to 72 and an indicator in column 7; free format has it anywhere. Comments,
continued lines and COPY ... REPLACING are processed here; `entries` interprets the words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COPY_DEPTH_MAX = 16
SIZE_MAX = 4 << 20
BOOK_SIZE_MIN = 512  # that a book counts for, so that empty ones come to an end too
_FIXED = re.compile(r"[ \d]{6}[ *\-/Dd]|.{0,6}$")
_MARKED = re.compile(r".{6}[ *\-/Dd]|.{0,6}$")
_WORD = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|==.*?==|[^\s'\"]+", re.DOTALL)
_LISTING = re.compile(r"\s*(EJECT|SKIP[123])\s*\.?\s*(\d{8})?", re.I)  # for the printer
_COMMENT = re.compile(r"\*>.*")
_PICTURE_FOLLOWS = re.compile(r"(?<![\w-])PIC(?:TURE)?(?:\s+IS)?\s*$", re.I)
_NUMBER = re.compile(r"(?<=[\s.])\d{8}\s*$")


class Sentence(NamedTuple):
    """The words before a full stop, and the number of their first line."""

    line: int
    words: list[str]


def sentences(
    text: str, *, free: bool | None = None, copy: Callable[[str], str] | None = None
) -> Iterator[Sentence]:
    """Yield the sentences of a copybook; `copy` returns the text of a book that COPY names."""
    return _Books(free, copy).sentences(text, 0)


class _Books:
    """A copybook with the books that it copies; all of them share one limit."""

    def __init__(self, free: bool | None, copy: Callable[[str], str] | None) -> None:
        self.free, self.copy = free, copy
        self.size = 0

    def sentences(self, text: str, depth: int) -> Iterator[Sentence]:
        self._take(max(len(text), BOOK_SIZE_MIN))
        words: list[str] = []
        began = 1
        for number, line in _lines(text, self.free):
            for word in _WORD.findall(line):
                began = began if words else number
                if word.endswith(".") and word[0] not in "'\"=":
                    words += [word[:-1]] if len(word) > 1 else []
                    yield from self._sentence(Sentence(began, words), depth)
                    words = []
                else:
                    words.append(word)
        if words:
            yield from self._sentence(Sentence(began, words), depth)

    def _take(self, length: int) -> None:
        self.size += length
        if self.size > SIZE_MAX:
            raise error(
                mq.PSRC_MODEL_ERROR,
                f"a copybook of more than {SIZE_MAX} characters, with those that it copies",
            )

    def _sentence(self, found: Sentence, depth: int) -> Iterator[Sentence]:
        if not found.words:
            return
        if found.words[0].upper() != "COPY":
            yield found
            return
        if self.copy is None or depth >= COPY_DEPTH_MAX or len(found.words) < 2:
            raise error(
                mq.PSRC_MODEL_ERROR, f"line {found.line}: COPY of a book that cannot be found or does not end"
            )
        book = self.copy(found.words[1].strip("'\""))
        for old, new in _replacements(found):
            pattern = re.compile(
                rf"(?<![\w-]){re.escape(old)}(?![\w-])" if old[0].isalnum() else re.escape(old), re.I
            )
            if len(new) > len(old):
                self._take(len(new) * sum(1 for _ in pattern.finditer(book)))
            book = pattern.sub(new.replace("\\", r"\\"), book)
        yield from self.sentences(book, depth + 1)


def _replacements(found: Sentence) -> Iterator[tuple[str, str]]:
    """Yield the pairs of REPLACING a BY b, where each is a word, a literal or ==text==."""
    words = found.words[2:]
    if words and words[0].upper() == "REPLACING":
        words = words[1:]
    for at in range(0, len(words) - 2, 3):
        old, by, new = words[at : at + 3]
        if by.upper() != "BY" or not old.strip("="):
            raise error(mq.PSRC_MODEL_ERROR, f"line {found.line}: REPLACING takes pairs with BY between them")
        yield old.strip("="), new.strip("=")


def _lines(text: str, free: bool | None) -> list[tuple[int, str]]:
    """Return the program text of each line with its number; continued lines are joined."""
    raw = text.splitlines()
    lines = [line.expandtabs(8) for line in raw]
    if free is None:
        free = not _is_fixed([line for line in lines if line.strip()])
    found: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("*") and not _is_picture(found):
            continue  # at any position: nothing else begins with one
        if _LISTING.fullmatch(line[6:] if not free else line):
            continue
        if free:
            found.append((number, _COMMENT.sub("", line)))
            continue
        mark, content = line[6:7], _content(line, raw[number - 1])
        if mark in ("*", "/", "D", "d"):
            continue
        if mark == "-" and found:
            found[-1] = (found[-1][0], _continued(found[-1][1], content.lstrip()))
        else:
            found.append((number, _COMMENT.sub("", content)))
    return found


def _is_fixed(lines: list[str]) -> bool:
    """Return whether lines are in fixed format: an indicator or nothing in column 7, and mostly numbers or
    nothing before.

    The first six columns may hold anything, so a line or two with letters there changes nothing.
    """
    numbered = sum(_FIXED.match(line) is not None for line in lines)
    return 2 * numbered > len(lines) and all(_MARKED.match(line) for line in lines)


def _is_picture(found: list[tuple[int, str]]) -> bool:
    """Return whether a picture must follow, which may begin with an asterisk."""
    text = next((text for _, text in reversed(found) if text.strip()), "")
    return _PICTURE_FOLLOWS.search(text) is not None


def _content(line: str, raw: str) -> str:
    """Return the text of a line in fixed format.

    Text continues after column 72 if the line has tabs, after which only a line number keeps to the columns,
    or if a word crosses column 72, because no number in the number columns ends with a full stop.
    """
    if "\t" in raw:
        number = _NUMBER.search(line, 72)
        return line[7 : number.start()] if number else line[7:]
    wide = line[71:73].strip() == line[71:73] != "" and line.rstrip().endswith(".")
    return line[7:] if wide else line[7:72]


def _continued(before: str, more: str) -> str:
    """Join a line and its continuation; a literal continues after its own quotation mark."""
    for mark in "'\"":
        if before.count(mark) % 2 and more.startswith(mark):
            return before.ljust(65) + more[1:]
    return before.rstrip() + more
