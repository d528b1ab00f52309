"""Masking of bodies by rules: what the console hides from everybody, in pages, searches, exports and tests.

`web/masking.yaml` of the home has a list of rules: `queues`, a pattern of names (or topics), and `fields`,
names of fields of XML and JSON bodies and of properties, `pattern`, a regular expression, or `whole: true`.
A rule also counts for dead letters that were going to its queues. A body that is no text in its character set
is hidden as a whole, because nothing can be found in it; so is every body while the file cannot be read. The
messages themselves are not changed: whoever has the authority can browse them elsewhere.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml

from penstock.model import ccsid as character_sets
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store.home import penstock_home
from penstock.tools import dead_letters

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from penstock.model.message import Message
    from penstock.model.peeked import Peeked

log = logging.getLogger(__name__)
NAME = "masking.yaml"
HIDDEN = "***"
NOTE = "Some of this body is hidden by the rules of web/masking.yaml."
KEYS = {"queues", "fields", "pattern", "whole"}
LINE = re.compile(r"(?P<path>[~+\- ] \S+?)(?: = |: )", re.DOTALL)
STEP = re.compile(r"(?:^|[.}@ ])([\w-]+)(?=\[\d+\]|\.|$)")
CUT_CHARACTER_MAX = 3  # bytes of a character that a cut body may end within


@dataclass(frozen=True)
class Rule:
    """What is hidden in the bodies of some queues."""

    queues: str
    patterns: tuple[tuple[re.Pattern[str], str], ...] = ()
    fields: frozenset[str] = frozenset()
    whole: bool = False


EVERYTHING = (Rule("*", whole=True),)


def rules() -> tuple[Rule, ...]:
    """Return the rules of this home, as the file has them now."""
    path = penstock_home() / "web" / NAME
    try:
        changed = path.stat().st_mtime_ns
    except FileNotFoundError:
        return ()
    return _read(path, changed)


@lru_cache(4)
def _read(path: Path, _changed: int) -> tuple[Rule, ...]:
    try:
        return rules_of(path.read_text("utf-8"))
    except (OSError, ValueError, MQError) as failure:
        log.error("masking_failed file=%s error=%s; all bodies are hidden", path, failure)
        return EVERYTHING


def rules_of(text: str) -> tuple[Rule, ...]:
    """Return the rules in a text; 8012 for what is no rule."""
    try:
        found = yaml.safe_load(text)
        return tuple(_rule(each) for each in found or ())
    except (yaml.YAMLError, re.error, TypeError, AttributeError) as failure:
        raise error(mq.PSRC_INI_ERROR, f"{NAME}: {failure}") from failure


def _rule(given: dict[str, Any]) -> Rule:
    unknown = given.keys() - KEYS
    if unknown or not isinstance(given.get("queues"), str):
        what = f"unknown: {', '.join(sorted(unknown))}" if unknown else "a rule names its queues"
        raise error(mq.PSRC_INI_ERROR, f"{NAME}: {what}")
    names = [str(each) for each in given.get("fields", ())]
    patterns = [pair for name in names for pair in _of_field(name)]
    if "pattern" in given:
        patterns.append((re.compile(str(given["pattern"])), HIDDEN))
    if not patterns and not given.get("whole"):
        raise error(mq.PSRC_INI_ERROR, f"{NAME}: the rule for {given['queues']} hides nothing")
    return Rule(given["queues"], tuple(patterns), frozenset(names), bool(given.get("whole")))


def _of_field(name: str) -> Iterable[tuple[re.Pattern[str], str]]:
    """Yield what finds the values of a field: of an XML element, of an attribute, in JSON; also cut ones."""
    own = re.escape(name)
    yield (
        re.compile(rf"(<(?:[\w.-]+:)?{own}(?:\s[^>]*)?>)(?:<!\[CDATA\[.*?(?:\]\]>|\Z)|[^<])+", re.DOTALL),
        (rf"\1{HIDDEN}"),
    )
    yield re.compile(rf"(\s(?:[\w.-]+:)?{own}\s*=\s*)(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z))"), rf'\1"{HIDDEN}"'
    value = r"(?:\"(?:[^\"\\]|\\.)*(?:\"|\Z)|[^\s\"\[{,}\]][^,}\]]*)"
    yield re.compile(rf'("{own}"\s*:\s*){value}', re.DOTALL), rf'\1"{HIDDEN}"'


def masked_rows(rows: Iterable[Peeked], queue: str) -> list[Peeked]:
    """Return messages of a queue as people may see them."""
    own = rules()
    return [masked_row(row, queue, own) for row in rows] if own else list(rows)


def masked_row(row: Peeked, queue: str, own: tuple[Rule, ...]) -> Peeked:
    """Return one of them."""
    message = masked(row.message, queue, own, row.length)
    return row if message is row.message else row._replace(message=message)


def masked(message: Message, queue: str, own: tuple[Rule, ...], length: int = 0) -> Message:
    """Return a message with what is to be hidden replaced; the message itself if nothing is."""
    letter = dead_letters.read(message)
    names = {queue, letter.destination}
    wanted = [rule for rule in own if any(fnmatchcase(name, rule.queues) for name in names if name)]
    if not wanted:
        return message
    body = bytes(message.body or b"")
    head = body[: len(body) - len(letter.body)]
    about = message.descriptor if letter.header is None else letter.header
    shown = _hidden(letter.body, (about.ccsid, about.encoding), length > len(body), wanted)
    properties = {**(message.properties or {})}
    for name in properties.keys() & {name for rule in wanted for name in rule.fields}:
        properties[name] = HIDDEN
    if shown == letter.body and properties == (message.properties or {}):
        return message
    made = message.snapshot()
    made.body, made.properties = head + shown, properties or None
    return made


def masked_lines(lines: list[str]) -> list[str]:
    """Return lines, about fields (`path = value`, `path: old -> new`) or others, without what is hidden.

    Such lines belong to no queue: the rules of all queues count.
    """
    own = rules()
    if any(rule.whole for rule in own):
        return [HIDDEN if each else "" for each in lines]
    names = {name for rule in own for name in rule.fields}
    return [_masked_line(each, own, names) for each in lines]


def _masked_line(line: str, own: tuple[Rule, ...], names: set[str]) -> str:
    found = LINE.match(line)
    if found is not None and STEP.findall(found["path"])[-1:] and STEP.findall(found["path"])[-1] in names:
        return f"{found['path']} = {HIDDEN}"
    for rule in own:
        for pattern, replacement in rule.patterns:
            line = pattern.sub(replacement, line)
    return line


def _hidden(body: bytes, form: tuple[int, int], is_cut: bool, wanted: list[Rule]) -> bytes:
    text = _text(body, form, is_cut)
    if text is None or any(rule.whole for rule in wanted):
        return HIDDEN.encode() if body else body
    shown = text
    for rule in wanted:
        for pattern, replacement in rule.patterns:
            shown = pattern.sub(replacement, shown)
    return body if shown == text else _encoded(shown, form)


def _text(body: bytes, form: tuple[int, int], is_cut: bool) -> str | None:
    """Return a body as text; None if it is none."""
    for missing in range(CUT_CHARACTER_MAX + 1 if is_cut else 1):
        try:
            text = _decoded(body[: len(body) - missing], form)
        except (UnicodeDecodeError, MQError):
            continue
        return None if "\0" in text else text
    return None


def _decoded(body: bytes, form: tuple[int, int]) -> str:
    known = character_sets.is_known(form[0])
    return character_sets.decode(body, *form) if known else body.decode("utf-8")


def _encoded(text: str, form: tuple[int, int]) -> bytes:
    known = character_sets.is_known(form[0])
    return character_sets.encode(text, *form) if known else text.encode("utf-8")
