"""Wildcards (section 8): # and + by level, * and ? by character with % before a literal one."""

from __future__ import annotations

import pytest

from penstock.qmgr.pubsub.topic_string import parse_pattern, stored_pattern
from tests.patience import ends

BY_LEVEL = [
    ("#", "a", True),
    ("#", "a/b/c", True),
    ("USA/#", "USA", True),
    ("USA/#", "USA/Alaska/Juneau", True),
    ("USA/#", "USAX", False),
    ("#/Juneau", "Juneau", True),
    ("#/Juneau", "USA/Alaska/Juneau", True),
    ("USA/#/Juneau", "USA/Juneau", True),
    ("USA/#/Juneau", "USA/a/b/Juneau", True),
    ("USA/#/Juneau", "USA/a/b", False),
    ("#/a/#", "x/a/y", True),
    ("#/a/#/b/#", "a/b", True),
    ("#/a/#/b/#", "b/a", False),
    ("+", "a", True),
    ("+", "a/b", False),
    ("+/b", "a/b", True),
    ("a/+", "a/", True),
    ("a/+", "a", False),
    ("+/+", "/", True),
    ("a/+/c", "a/b/c", True),
    ("a+", "a+", True),
    ("a+", "ab", False),
    ("a#/b", "a#/b", True),
    ("a/b#", "a/b/c", False),
]
BY_CHARACTER = [
    ("*", "a/b", True),
    ("a*c", "a/b/c", True),
    ("a/?", "a/b", True),
    ("a/?", "a/bc", False),
    ("a?b", "a/b", True),
    ("a%*", "a*", True),
    ("a%*", "ab", False),
    ("a%%", "a%", True),
    ("a%?", "a?", True),
    ("#", "a", False),
    ("a/+", "a/+", True),
    ("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaac", False),
]


@pytest.mark.parametrize(("pattern", "topic", "fits"), BY_LEVEL)
def test_by_level(qm, bodies, pattern, topic, fits):
    with qm.subscribe(pattern) as sub:
        qm.publish(topic, b"m")
        assert bodies(sub) == ([b"m"] if fits else [])


@pytest.mark.parametrize(("pattern", "topic", "fits"), BY_CHARACTER)
def test_by_character(qm, bodies, pattern, topic, fits):
    with qm.subscribe(pattern, wildcard="char") as sub:
        qm.publish(topic, b"m")
        assert bodies(sub) == ([b"m"] if fits else [])


def test_a_subscription_that_matches_twice_gets_one(qm, bodies):
    with qm.subscribe("#/a/#") as sub:
        qm.publish("a/a/a", b"m")
        assert bodies(sub) == [b"m"]


def test_two_identical_subscriptions_get_one_each(qm, bodies):
    with qm.subscribe("a/#") as one, qm.subscribe("a/#") as other:
        qm.publish("a/b", b"m")
        assert (bodies(one), bodies(other)) == ([b"m"], [b"m"])


def test_both_schemes_at_once_are_2046(qm, fails):
    with fails(2046):
        qm.subscribe("a", wildcard="char", options=2 | 2097152)


def test_a_pattern_that_ends_is_forgotten(qm, bodies):
    with qm.subscribe("a/+/c"):
        qm.publish("a/b/c", b"1")
    with qm.subscribe("a/+/c") as sub:
        qm.publish("a/b/c", b"2")
        assert bodies(sub) == [b"2"]


def test_many_asterisks_take_no_longer_than_few(qm, bodies):
    with ends(), qm.subscribe("*a" * 40 + "b", wildcard="char") as sub:
        qm.publish("a" * 5000, b"no")
        qm.publish("a" * 5000 + "b", b"yes")
        assert bodies(sub) == [b"yes"]


@pytest.mark.parametrize(
    ("pattern", "topic", "fits"),
    [
        ("a*b?c*", "aXbYcZ", True),
        ("*ab*ab", "abab", True),
        ("*ab*ab", "ab", False),
        ("a*a", "a", False),
        ("?*", "", False),
        ("*?", "x", True),
        ("**", "any/thing", True),
        ("*b*c", "abcbc", True),
        ("a%*b", "a*b", True),
    ],
)
def test_runs_between_asterisks(pattern, topic, fits):
    assert parse_pattern(pattern, "CHAR").fits(topic) is fits


def test_an_escaped_letter_is_itself_in_the_part_before_the_wildcard(qm, run, fails):
    run("DEFINE TOPIC(T) TOPICSTR('a*b') SUB(DISABLED)")
    with fails(2503):
        qm.subscribe("a%*b/*", wildcard="char")
    qm.publish("c*d/e", b"kept", retain=True)
    with qm.subscribe("c%*d/?", wildcard="char") as sub:
        assert sub.get().body == b"kept"


@pytest.mark.parametrize(
    ("fits", "too_long", "wildcard"),
    [("#" + "/a" * 32, "#" + "/a" * 33, "topic"), ("*" + "a" * 256, "*" + "a" * 257, "char")],
)
def test_decision_little_may_follow_a_wildcard_that_fits_anything(qm, fails, fits, too_long, wildcard):
    """All that follows is tried everywhere in a topic: ours keeps that from taking long."""
    qm.subscribe(fits, wildcard=wildcard).close()
    qm.subscribe("x/" + too_long.replace("#", "+"), wildcard="topic").close()
    with fails(2425):
        qm.subscribe(too_long, wildcard=wildcard)
    with fails(2425):
        qm.subscribe("x/" + too_long, durable="sub", wildcard=wildcard)


def test_a_stored_pattern_that_is_too_long_by_now_still_works():
    """Earlier versions had no limit: their subscriptions stay."""
    assert stored_pattern("#/" + "a/" * 40 + "b", "TOPIC").fits("x/y/" + "a/" * 40 + "b")
