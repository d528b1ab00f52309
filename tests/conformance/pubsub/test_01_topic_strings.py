"""Topic strings (section 8): levels, empty levels, case, limits, and how objects and strings join."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.qmgr.pubsub.topic_string import LEVELS_MAX


@pytest.mark.parametrize("topic", ["a", "/a", "a/", "a//b", "/", "//", "Preis/Äpfel/☂", "a b/c", "x" * 10240])
def test_a_string_is_matched_by_itself_alone(qm, topic, bodies):
    with qm.subscribe(topic) as same, qm.subscribe(topic + "x" if len(topic) < 9999 else "x") as other:
        qm.publish(topic, b"m")
        assert (bodies(same), bodies(other)) == ([b"m"], [])


@pytest.mark.parametrize("pair", [("a", "A"), ("a", "/a"), ("a", "a/"), ("a/b", "a//b")])
def test_case_and_empty_levels_count(qm, pair, bodies):
    with qm.subscribe(pair[0]) as sub:
        qm.publish(pair[1], b"m")
        assert bodies(sub) == []


@pytest.mark.parametrize("topic", ["", "x" * 10241, "/" * 1000, "a\0b", "\ud800", 5, None])
def test_a_bad_string_is_2425(qm, topic, fails):
    with fails(2425):
        qm.publish(topic, b"m")


def test_an_object_and_a_string_join_with_one_separator(qm, run, bodies):
    run("DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit')")
    with qm.subscribe("price/fruit/apple") as sub:
        qm.publish("apple", b"1", topic_object="FRUIT")
        qm.publish("/apple", b"2", topic_object="FRUIT")
        with qm.open("FRUIT", mq.MQOO_OUTPUT, object_type=mq.MQOT_TOPIC, object_string="apple") as handle:
            handle.put(b"3")
        assert bodies(sub) == [b"1", b"2", b"3"]


def test_an_object_alone_means_its_string(qm, run, bodies):
    run("DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit')")
    with qm.subscribe(topic_object="FRUIT") as sub:
        qm.publish("", b"1", topic_object="FRUIT")
        assert bodies(sub) == [b"1"]
        assert sub.topic == "price/fruit"


def test_an_unknown_object_is_2085(qm, fails):
    with fails(2085):
        qm.publish("a", b"m", topic_object="NOPE")
    with fails(2085):
        qm.subscribe("a", topic_object="NOPE")


def test_decision_wildcards_of_a_publisher_are_letters(qm, bodies):
    with qm.subscribe("a/#") as all_below, qm.subscribe("a/b") as other:
        qm.publish("a/#", b"m")
        assert (bodies(all_below), bodies(other)) == ([b"m"], [])


def test_decision_a_topic_string_has_at_most_1000_levels(qm, fails):
    """MQ documents a limit of characters only; ours keeps one publish from growing the tree without end."""
    assert LEVELS_MAX == 1000
    deepest = "/".join("a" * LEVELS_MAX)
    qm.publish(deepest, b"")
    with fails(2425):
        qm.publish(deepest + "/a", b"")
    with fails(2425):
        qm.subscribe(deepest + "/+")
