"""WILDCARD(BLOCK) (section 8): wildcards from above do not reach below the object."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("pattern", "wildcard", "reached"),
    [
        ("a/#", "topic", False),
        ("#", "topic", False),
        ("a/+/x", "topic", False),
        ("a/b/#", "topic", True),
        ("a/b/+", "topic", True),
        ("a/b/x", "topic", True),
        ("a/*", "char", False),
        ("a/b*", "char", False),
        ("a/b/*", "char", True),
    ],
)
def test_only_patterns_made_below_reach_below(qm, run, bodies, pattern, wildcard, reached):
    run("DEFINE TOPIC(T) TOPICSTR('a/b') WILDCARD(BLOCK)")
    with qm.subscribe(pattern, wildcard=wildcard) as sub:
        qm.publish("a/b/x", b"m")
        assert bodies(sub) == ([b"m"] if reached else [])


def test_what_is_beside_is_not_blocked(qm, run, bodies):
    run("DEFINE TOPIC(T) TOPICSTR('a/b') WILDCARD(BLOCK)")
    with qm.subscribe("a/#") as sub:
        qm.publish("a/c", b"m")
        assert bodies(sub) == [b"m"]


def test_a_change_counts_at_once(qm, run, bodies):
    run("DEFINE TOPIC(T) TOPICSTR('a/b')")
    with qm.subscribe("#") as sub:
        qm.publish("a/b/c", b"1")
        run("ALTER TOPIC(T) WILDCARD(BLOCK)")
        qm.publish("a/b/c", b"2")
        run("DELETE TOPIC(T)")
        qm.publish("a/b/c", b"3")
        assert bodies(sub) == [b"1", b"3"]


def test_retained_publications_are_blocked_too(qm, run, bodies):
    run("DEFINE TOPIC(T) TOPICSTR('a/b') WILDCARD(BLOCK)")
    qm.publish("a/b", b"kept", retain=True)
    with qm.subscribe("a/#") as above, qm.subscribe("a/b/#") as below:
        assert (bodies(above), bodies(below)) == ([], [b"kept"])
