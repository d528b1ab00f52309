"""Topic strings and the patterns that subscriptions are made with.

A topic string is text in levels joined by `/`; empty levels count. A pattern is one of two schemes: by
level (`+` for one, `#` for any number, each alone in its level) or by character (`*` any run, `?` one,
`%` before a literal one). Pure functions; `topic_matcher` finds the patterns that fit a topic.
Invariant: what a publisher names has no wildcards; `#` and `+` are ordinary letters there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.limits import TOPIC_STRING_LENGTH
from penstock.model.names import is_storable

LEVELS_MAX = 1000  # of one topic string; ours, so that one publish grows a bounded branch
SEARCHED_LEVELS_MAX = 32  # of a pattern, behind its first #: each is tried at every level of a topic
SEARCHED_LETTERS_MAX = 256  # of a pattern by character, behind its first asterisk
ONE, MANY = "+", "#"
BY_TOPIC, BY_CHARACTER = "TOPIC", "CHAR"


@dataclass(frozen=True, slots=True)
class Pattern:
    """The topic or pattern of a subscription.

    `literal` is the topic when there is no wildcard; `fixed` is the topic of the whole levels before the
    first wildcard, which a subscription is made under, and `fixed_levels` counts them: a topic object that
    blocks wildcards stops patterns with fewer than it has itself.
    """

    text: str
    scheme: str
    levels: tuple[str, ...] = ()
    literal: str | None = None
    fixed_levels: int = 0
    fixed: str = ""
    expression: re.Pattern[str] | None = None

    def fits(self, topic: str) -> bool:
        """Return whether a topic string matches."""
        if self.literal is not None:
            return topic == self.literal
        if self.expression is not None:
            return self.expression.fullmatch(topic) is not None
        return _fits_levels(self.levels, topic.split("/"))


def check_topic(text: str, reason: int = mq.MQRC_TOPIC_STRING_ERROR) -> str:
    """Return a topic string that can be published to; 2425 for one that cannot."""
    if not isinstance(text, str) or not text:
        raise error(reason, "a topic string is text of at least one character")
    if len(text) > TOPIC_STRING_LENGTH:
        raise error(reason, f"a topic string has at most {TOPIC_STRING_LENGTH} characters, not {len(text)}")
    if text.count("/") >= LEVELS_MAX:
        raise error(reason, f"a topic string has at most {LEVELS_MAX} levels")
    if "\0" in text or not (text.isascii() or is_storable(text)):
        raise error(reason, "a topic string holds neither zero characters nor halves of surrogate pairs")
    return text


def steps(text: str) -> list[str]:
    """Return the keys from the root of the topic tree down to a topic, one for each node.

    An empty first level has no node of its own: its place is the root's.

    >>> steps("a/b"), steps("/a"), steps("//a")
    (['a', 'b'], ['/a'], ['/', 'a'])
    """
    levels = text.split("/") if text else []
    if len(levels) > 1 and not levels[0]:
        levels[:2] = ["/" + levels[1]]
    return levels


def join(base: str, rest: str) -> str:
    """Return the topic string of an object's TOPICSTR and an object string that goes on from it.

    >>> join("price", "fruit/apple"), join("", "a"), join("price", "/fruit"), join("price/", "a")
    ('price/fruit/apple', 'a', 'price/fruit', 'price/a')
    """
    if not isinstance(rest, str):
        raise error(mq.MQRC_TOPIC_STRING_ERROR, f"a topic string is text, not {type(rest).__name__}")
    if not base or not rest:
        return base or rest
    if base.endswith("/") or rest.startswith("/"):
        return base + rest
    return f"{base}/{rest}"


def parse_pattern(text: str, scheme: str = BY_TOPIC) -> Pattern:
    """Return the pattern that a subscription's topic string means in a scheme.

    2425 for one that would take long to compare with topics.
    """
    check_topic(text)
    if scheme == BY_CHARACTER:
        searched = len(text.partition("*")[2])
        if searched > SEARCHED_LETTERS_MAX:
            detail = f"a pattern has at most {SEARCHED_LETTERS_MAX} characters behind its first asterisk"
            raise error(mq.MQRC_TOPIC_STRING_ERROR, f"{detail}, not {searched}")
    pattern = stored_pattern(text, scheme)
    if MANY in pattern.levels:
        searched = len(pattern.levels) - pattern.levels.index(MANY) - 1
        if searched > SEARCHED_LEVELS_MAX:
            raise error(
                mq.MQRC_TOPIC_STRING_ERROR,
                f"a pattern has at most {SEARCHED_LEVELS_MAX} levels behind its first #, not {searched}",
            )
    return pattern


def stored_pattern(text: str, scheme: str) -> Pattern:
    """Return the same for a subscription that exists: earlier versions had no such limit."""
    check_topic(text)
    return _by_character(text) if scheme == BY_CHARACTER else _by_level(text)


def _by_level(text: str) -> Pattern:
    levels = text.split("/")
    wild = [index for index, level in enumerate(levels) if level in (ONE, MANY)]
    if not wild:
        return Pattern(text, BY_TOPIC, (), text, len(levels), text)
    kept: list[str] = []
    for level in levels:
        if level != MANY or not kept or kept[-1] != MANY:  # two # in a row mean what one does
            kept.append(level)
    return Pattern(text, BY_TOPIC, tuple(kept), None, wild[0], "/".join(levels[: wild[0]]))


def _by_character(text: str) -> Pattern:
    runs = [""]  # the expressions between asterisks
    plain: list[str] = []
    fixed: list[str] | None = None
    letters = iter(text)
    for letter in letters:
        if letter in "*?":
            fixed = "".join(plain).split("/")[:-1] if fixed is None else fixed
            if letter == "?":
                runs[-1] += "."
            elif runs[-1] or len(runs) == 1:
                runs.append("")
            continue
        if letter == "%":
            letter = next(letters, "%")
        plain.append(letter)
        runs[-1] += re.escape(letter)
    if fixed is None:
        literal = "".join(plain)
        return Pattern(text, BY_CHARACTER, (), literal, literal.count("/") + 1, literal)
    return Pattern(text, BY_CHARACTER, (), None, len(fixed), "/".join(fixed), _expression(runs))


def _expression(runs: list[str]) -> re.Pattern[str]:
    """Join runs by any characters; each takes the first place that it fits, and is never moved from it.

    That is as good as any other place, and keeps a pattern of many asterisks from being tried in all ways.
    """
    first, *rest = runs
    if not rest:
        return re.compile(first, re.DOTALL)
    middle = "".join(f"(?>.*?{run})" for run in rest[:-1])
    return re.compile(f"{first}{middle}.*{rest[-1]}", re.DOTALL)


def _fits_levels(pattern: tuple[str, ...], levels: list[str]) -> bool:
    """Walk both from the left; after a `#` that fits too little, let it take one level more."""
    at = place = 0
    back: tuple[int, int] | None = None
    while place < len(levels):
        if at < len(pattern) and pattern[at] == MANY:
            back = (at, place)
            at += 1
        elif at < len(pattern) and pattern[at] in (ONE, levels[place]):
            at += 1
            place += 1
        elif back is not None:
            back = (back[0], back[1] + 1)
            at, place = back[0] + 1, back[1]
        else:
            return False
    return all(level == MANY for level in pattern[at:])
