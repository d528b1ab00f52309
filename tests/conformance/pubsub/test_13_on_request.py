"""PUBLICATIONS_ON_REQUEST and MQSUBRQ (section 8)."""

from __future__ import annotations


def test_only_a_request_brings_something(qm, bodies):
    qm.publish("a/1", b"1", retain=True)
    qm.publish("a/2", b"2", retain=True)
    with qm.subscribe("a/#", on_request=True) as sub:
        qm.publish("a/1", b"passing")
        assert bodies(sub) == []
        assert sub.request() == 2
        assert sorted(bodies(sub)) == [b"1", b"2"]
        assert sub.request() == 2


def test_nothing_retained_is_2437(qm, fails):
    with qm.subscribe("a", on_request=True) as sub, fails(2437):
        sub.request()


def test_other_subscriptions_cannot_ask(qm, fails):
    with qm.subscribe("a") as sub, fails(2046):
        sub.request()


def test_an_administrators_reqonly(qm, run, bodies):
    run("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED) REQONLY(YES)")
    qm.publish("a", b"m", retain=True)
    with qm.subscribe(name="S", options=4) as sub:
        assert bodies(sub) == []
        assert sub.request() == 1
        assert bodies(sub) == [b"m"]


def test_a_closed_subscription_is_2019(qm, fails):
    sub = qm.subscribe("a", on_request=True)
    sub.close()
    with fails(2019):
        sub.request()
