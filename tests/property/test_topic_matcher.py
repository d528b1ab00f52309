"""The matcher and the tree against a naive one: random topics, patterns, subscriptions that come and go.

The naive matcher knows nothing of branches and caches: it tries every way a pattern can be laid over
the levels. Blocking objects, changes between publishes and both schemes are part of it.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.qmgr.objects import Definition
from penstock.qmgr.pubsub.subscription import Subscription
from penstock.qmgr.pubsub.topic_string import parse_pattern
from penstock.qmgr.pubsub.topic_tree import TopicTree

LEVELS = st.sampled_from(["", "a", "b", "ab", "+", "#", "a+"])
TOPICS = st.lists(LEVELS, min_size=1, max_size=5).map("/".join).filter(bool)
CHARACTERS = st.text("ab/*?%", min_size=1, max_size=8)
PATTERNS = st.one_of(st.tuples(TOPICS, st.just("TOPIC")), st.tuples(CHARACTERS, st.just("CHAR")))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("subscribe"), PATTERNS),
        st.tuples(st.just("unsubscribe"), st.integers(0, 5)),
        st.tuples(st.just("block"), TOPICS),
        st.tuples(st.just("publish"), TOPICS),
    ),
    max_size=40,
)


def by_level(pattern: list[str], levels: list[str]) -> bool:
    if not pattern:
        return not levels
    if pattern[0] == "#":
        return any(by_level(pattern[1:], levels[n:]) for n in range(len(levels) + 1))
    return bool(levels) and pattern[0] in ("+", levels[0]) and by_level(pattern[1:], levels[1:])


def by_character(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(by_character(pattern[1:], text[n:]) for n in range(len(text) + 1))
    if pattern[0] == "?":
        return bool(text) and by_character(pattern[1:], text[1:])
    letter, rest = (pattern[:2][-1], pattern[2:]) if pattern[0] == "%" else (pattern[0], pattern[1:])
    return text[:1] == letter and by_character(rest, text[1:])


def naive(pattern: tuple[str, str], topic: str, blocks: set[str]) -> bool:
    text, scheme = pattern
    fits = by_character(text, topic) if scheme == "CHAR" else by_level(text.split("/"), topic.split("/"))
    return fits and not any(stopped(text, scheme, block) for block in blocks if under(topic, block))


def under(topic: str, block: str) -> bool:
    """An empty first level has no node of its own, so it is nobody's parent but the root's child."""
    return topic == block or topic.startswith(block + "/")


def stopped(text: str, scheme: str, block: str) -> bool:
    depth = block.count("/") + 1
    if scheme == "TOPIC":
        levels = text.split("/")
        wild = [n for n, level in enumerate(levels) if level in "#+" and level]
        return bool(wild) and wild[0] < depth
    plain, skip = "", False
    for letter in text:
        if not skip and letter in "*?":
            return plain.count("/") < depth
        skip = not skip and letter == "%"
        plain += "" if skip else letter
    return False


@given(STEPS)
def test_the_tree_finds_what_a_naive_matcher_finds(steps):
    tree = TopicTree()
    alive: list[tuple[tuple[str, str], Subscription]] = []
    blocks: set[str] = set()
    for number, (action, value) in enumerate(steps, 1):
        if action == "subscribe":
            parsed = parse_pattern(*value)
            made = Subscription(Definition("SUB", str(number)), parsed, number.to_bytes(24, "big"))
            tree.add(made, 0.0)
            alive.append((value, made))
        elif action == "unsubscribe" and alive:
            tree.remove(alive.pop(value % len(alive))[1], 0.0)
        elif action == "block":
            object_ = Definition("TOPIC", value, {"WILDCARD": "BLOCK", "TOPICSTR": value})
            tree.object_changed(object_, value, value in blocks)
            blocks ^= {value}
        elif action == "publish":
            found = {each.id for each in tree.ready(value, 0.0).targets}
            expected = {made.id for pattern, made in alive if naive(pattern, value, blocks)}
            assert found == expected, (value, blocks)


@given(PATTERNS, TOPICS)
def test_one_pattern_fits_what_a_naive_matcher_says(pattern, topic):
    assert parse_pattern(*pattern).fits(topic) == naive(pattern, topic, set())
