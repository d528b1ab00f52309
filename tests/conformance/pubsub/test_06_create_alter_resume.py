"""MQSUB (section 8): CREATE, ALTER, RESUME and what each says when the subscription is (not) there."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq

CREATE, ALTER, RESUME = mq.MQSO_CREATE, mq.MQSO_ALTER, mq.MQSO_RESUME
DURABLE = mq.MQSO_DURABLE


def test_create_of_an_existing_name_is_2432(qm, fails):
    qm.subscribe("a", durable="s").close()
    with fails(2432):
        qm.subscribe("a", durable="s", options=CREATE)


@pytest.mark.parametrize("options", [ALTER, RESUME])
def test_alter_and_resume_of_nothing_are_2428(qm, fails, options):
    with fails(2428):
        qm.subscribe(name="s", options=options | DURABLE)


@pytest.mark.parametrize("options", [ALTER, RESUME, CREATE | RESUME | DURABLE])
def test_a_subscription_in_use_is_2429(qm, fails, options):
    with qm.subscribe("a", durable="s"), fails(2429):
        qm.subscribe("a", name="s", options=options)


@pytest.mark.parametrize(
    "options",
    [ALTER | RESUME, CREATE | ALTER | RESUME, 1 << 30, CREATE | mq.MQSO_FIXED_USERID | mq.MQSO_ANY_USERID],
)
def test_options_that_contradict_each_other_are_2046(qm, fails, options):
    with fails(2046):
        qm.subscribe("a", name="s", options=options)


def test_a_name_is_needed(qm, fails):
    with fails(2440):
        qm.subscribe("a", options=CREATE | DURABLE)
    with fails(2440):
        qm.subscribe("a", durable="")
    with fails(2440):
        qm.subscribe(options=RESUME)


def test_resume_finds_what_came_meanwhile(qm, bodies):
    qm.subscribe("a", durable="s").close()
    qm.publish("a", b"m")
    with qm.subscribe(durable="s") as sub:
        assert (bodies(sub), sub.topic, sub.durable) == ([b"m"], "a", True)


def test_resume_to_another_topic_is_2510(qm, fails):
    qm.subscribe("a", durable="s").close()
    with fails(2510):
        qm.subscribe("b", durable="s")


def test_durability_cannot_be_altered(qm, fails):
    qm.subscribe("a", durable="s").close()
    with fails(2509):
        qm.subscribe("a", name="s", options=CREATE | RESUME)


def test_alter_changes_what_is_given_and_nothing_else(qm, bodies):
    with qm.subscribe("a", durable="s", selector="size > 10", user_data="mine") as sub:
        sub.alter(selector="size > 20")
        for size in (5, 15, 25):
            qm.publish("a", str(size).encode(), properties={"size": size})
        message = sub.get()
        assert (message.body, message.properties["MQSubUserData"], sub.get()) == (b"25", "mine", None)
    qm.subscribe(name="s", options=ALTER | DURABLE, selector="").close()
    qm.publish("a", b"all")
    with qm.subscribe(durable="s") as sub:
        assert bodies(sub) == [b"all"]


def test_the_level_cannot_be_altered(qm, fails):
    with qm.subscribe("a", durable="s", level=2) as sub, fails(2512):
        sub.alter(level=3)


def test_a_named_subscription_need_not_be_durable(qm, fails):
    with qm.subscribe("a", name="n") as sub:
        assert (sub.name, sub.durable) == ("n", False)
        with fails(2429):
            qm.subscribe("a", name="n", options=RESUME)
    with fails(2428):
        qm.subscribe("a", name="n", options=RESUME)


def test_a_fixed_user_keeps_others_out(qm, fails):
    qm.subscribe("a", durable="s", options=mq.MQSO_FIXED_USERID).close()
    definition = qm.engine.objects.find("SUB", "s")
    with qm.gate:
        qm.engine.alter(definition, {"SUBUSER": "somebody else"}, 0.0)
    with fails(2434):
        qm.subscribe("a", durable="s")


def test_unknown_arguments_are_refused(qm):
    with pytest.raises(TypeError, match="selektor"):
        qm.subscribe("a", selektor="x")


def test_unsubscribe_removes_by_name(qm, fails):
    with qm.subscribe("a", durable="s"), fails(2429):
        qm.unsubscribe("s")
    qm.unsubscribe("s")
    with fails(2428):
        qm.unsubscribe("s")
    assert not any(name.startswith("SYSTEM.MANAGED") for name in qm.engine.queues)


def test_errors_are_of_their_kind(qm):
    with pytest.raises(penstock.SubscriptionError):
        qm.unsubscribe("nothing")
