"""Clause 9: what authority publishing and subscribing need."""

from __future__ import annotations

import re

import pytest

import penstock
from penstock import Open
from penstock.model import constants as mq
from penstock.model.rfh2 import Rfh2, unpack_rfh2
from tests.conformance.access.authority_steps import add_users, grant, let_in, refused

DEFINITIONS = """
DEFINE TOPIC(PRICE) TOPICSTR('price')
DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit')
DEFINE QLOCAL(MINE)
"""


@pytest.fixture
def qm(penstock_home):
    with penstock.embed("QM1", create=True) as qm:
        assert not any(reply.failed for reply in qm.mqsc(DEFINITIONS))
        add_users(penstock_home, bob="")
        let_in(qm, "PRINCIPAL('bob')")
        yield qm


@pytest.fixture
def bob(qm):
    with penstock.embed("QM1", user="bob") as bob:
        yield bob


def may(qm, words: str, name: str, kind: str = "TOPIC") -> None:
    grant(qm, f"PROFILE('{name}') OBJTYPE({kind}) PRINCIPAL('bob') AUTHADD({words})")


@pytest.mark.parametrize("name", ["FRUIT", "PRICE", "SYSTEM.BASE.TOPIC"])
def test_authority_at_a_topic_or_above_it_counts(qm, bob, name):
    with refused() as found:
        bob.publish("price/fruit/apple", b"1.20")
    assert "PUB for TOPIC FRUIT" in str(found[0])
    may(qm, "PUB", name)
    bob.publish("price/fruit/apple", b"1.20")
    bob.publish("price/fruit/apple", b"1.20", priority=2)
    with bob.open("FRUIT", Open.OUTPUT, object_type=mq.MQOT_TOPIC) as handle:
        handle.put(b"1.30")


def test_a_string_that_is_too_long_is_refused_before_anybody_asks_who_may(qm, bob):
    """A million levels: whoever looked at each level's whole string would be at it for half an hour."""
    asked = []
    bob.connection.permissions = Asked(bob.connection.permissions, asked)
    for topic in ("a/" * 500_000, "a/" * 5120 + "a"):
        for publish in (bob.publish, qm.publish):
            with pytest.raises(penstock.MQError) as found:
                publish(topic, b"")
            assert found.value.reason == 2425
    assert asked == []


def test_authority_is_asked_once_for_each_object_above_however_many_levels_there_are(qm, bob):
    may(qm, "PUB", "PRICE")
    asked = []
    bob.connection.permissions = Asked(bob.connection.permissions, asked)

    bob.publish("price/fruit/" + "/".join(["apple"] * 990), b"")

    assert asked == ["FRUIT", "PRICE"]


class Asked:
    """What a user may do, with a note of what was asked about."""

    def __init__(self, real, asked: list[str]) -> None:
        self._real = real
        self._asked = asked

    def refusal(self, object_type: str, name: str, needed: tuple[str, ...]) -> str:
        self._asked.append(name)
        return self._real.refusal(object_type, name, needed)

    def __getattr__(self, name: str):
        return getattr(self._real, name)


def test_authority_at_a_sibling_does_not(qm, bob):
    may(qm, "PUB", "FRUIT")
    with refused():
        bob.publish("price/fish", b"")


def test_publishing_is_refused_once_the_record_is_gone(qm, bob):
    may(qm, "PUB", "FRUIT")
    bob.publish("price/fruit", b"")
    qm.mqsc("DELETE AUTHREC PROFILE(FRUIT) OBJTYPE(TOPIC) PRINCIPAL('bob')")
    with refused():
        bob.publish("price/fruit", b"")


def test_subscribing_needs_sub_and_brings_its_own_queue(qm, bob):
    with refused():
        bob.subscribe("price/#")
    may(qm, "SUB", "PRICE")
    with bob.subscribe("price/#") as subscription:
        qm.publish("price/fruit", b"1")
        assert subscription.get().body == b"1"
    with refused():
        bob.subscribe("#")


def test_a_destination_of_ones_own_needs_put(qm, bob):
    may(qm, "SUB", "PRICE")
    may(qm, "GET,BROWSE,INQ", "MINE", "QUEUE")
    with refused() as found:
        bob.subscribe("price", queue="MINE")
    assert "PUT for QUEUE MINE" in str(found[0])
    may(qm, "PUT", "MINE", "QUEUE")
    bob.subscribe("price", queue="MINE").close()


def test_resuming_and_removing(qm, bob):
    may(qm, "SUB", "PRICE")
    bob.subscribe("price", durable="S").close()
    with refused() as found:
        bob.subscribe("price", durable="S")
    assert "RESUME" in str(found[0])
    may(qm, "RESUME", "PRICE")
    bob.subscribe("price", durable="S").close()
    qm.mqsc("SET AUTHREC PROFILE(PRICE) OBJTYPE(TOPIC) PRINCIPAL('bob') AUTHRMV(SUB)")
    with refused():
        bob.unsubscribe("S")
    may(qm, "SUB", "PRICE")
    bob.unsubscribe("S")


def command(connection, content: str) -> tuple[str, int]:
    """Send a command of queued publish/subscribe; return completion and reason of its answer."""
    connection.put(
        "SYSTEM.BROKER.CONTROL.QUEUE",
        Rfh2((f"<psc>{content}</psc>",)).pack(),
        format="MQHRF2",
        msg_type=mq.MQMT_REQUEST,
        reply_to="MINE",
    )
    folder = unpack_rfh2(connection.get("MINE").body)[0].folders[0]
    reason = re.search("<Reason>(.*)</Reason>", folder)
    return re.search("<Completion>(.*)</Completion>", folder)[1], int(reason[1]) if reason else 0


REGISTER = "<Command>RegSub</Command><Topic>price/fruit</Topic><QName>MINE</QName>"
DEREGISTER = REGISTER.replace("RegSub", "DeregSub")
PUBLISH = "<Command>Publish</Command><Topic>price/fruit</Topic>"


def test_a_command_may_do_what_its_sender_may(qm, bob):
    may(qm, "PUT,GET", "MINE", "QUEUE")
    may(qm, "PUT", "SYSTEM.BROKER.CONTROL.QUEUE", "QUEUE")
    for content in (REGISTER, PUBLISH, PUBLISH.replace("Publish", "DelPub")):
        assert command(bob, content) == ("error", 3081)
    assert not qm.engine.pubsub.subscriptions
    may(qm, "PUB,SUB", "FRUIT")
    assert command(bob, REGISTER) == ("ok", 0)
    assert command(bob, REGISTER.replace("price/fruit", "price")) == ("error", 3081)
    (subscription,) = qm.engine.pubsub.subscriptions.values()
    assert subscription.user == "bob"
    assert command(bob, DEREGISTER) == ("ok", 0)
    assert command(bob, PUBLISH) == ("ok", 0)


def test_a_command_sends_publications_to_no_queue_that_its_sender_may_not_put_to(qm, bob):
    may(qm, "PUT,GET", "MINE", "QUEUE")
    may(qm, "PUT", "SYSTEM.BROKER.CONTROL.QUEUE", "QUEUE")
    may(qm, "SUB", "FRUIT")
    qm.mqsc("DEFINE QLOCAL(THEIRS)")
    assert command(bob, REGISTER.replace(">MINE<", ">THEIRS<")) == ("error", 3081)


def test_a_registration_is_its_users_unless_it_says_otherwise(qm, bob):
    may(qm, "PUT,GET", "MINE", "QUEUE")
    may(qm, "PUT", "SYSTEM.BROKER.CONTROL.QUEUE", "QUEUE")
    may(qm, "SUB", "FRUIT")
    assert command(qm, REGISTER) == ("ok", 0)
    assert command(bob, REGISTER) == ("error", 3151)
    assert command(bob, DEREGISTER) == ("error", 3151)
    assert command(qm, f"{REGISTER}<RegOpt>VariableUserId</RegOpt>") == ("ok", 0)
    assert command(bob, DEREGISTER) == ("ok", 0)


@pytest.mark.parametrize("name", ["RegSub", "DeregSub", "ReqUpdate"])
def test_a_command_about_a_subscription_needs_sub_each_time(qm, bob, name):
    may(qm, "PUT,GET", "MINE", "QUEUE")
    may(qm, "PUT", "SYSTEM.BROKER.CONTROL.QUEUE", "QUEUE")
    may(qm, "PUT", "THEIRS", "QUEUE")
    qm.mqsc("DEFINE QLOCAL(THEIRS)")
    qm.publish("price/fruit", b"1", retain=True)
    registration = f"{REGISTER.replace('MINE', 'THEIRS')}<RegOpt>VariableUserId</RegOpt>"
    assert command(qm, registration) == ("ok", 0)
    content = registration.replace("RegSub", name)
    assert command(bob, content) == ("error", 3081)
    may(qm, "SUB", "FRUIT")
    assert command(bob, content) == ("ok", 0)


def test_a_registration_again_needs_put_to_its_queue(qm, bob):
    may(qm, "PUT", "SYSTEM.BROKER.CONTROL.QUEUE", "QUEUE")
    may(qm, "GET", "MINE", "QUEUE")
    may(qm, "SUB", "FRUIT")
    assert command(qm, f"{REGISTER}<RegOpt>VariableUserId</RegOpt>") == ("ok", 0)
    assert command(bob, f"{REGISTER}<RegOpt>VariableUserId</RegOpt>") == ("error", 3081)


def test_a_command_with_the_owners_name_cut_is_the_owners_unless_it_may_be_anothers(qm, penstock_home, bob):
    sender, people = qm.host.access.sender, qm.host.people
    people.owner = "administrator"
    assert people.system.learn("administrato")
    assert sender("administrato").user == "administrator"
    assert [sender(name).user for name in ("administrator", "admin", "bob")] == [
        "administrator",
        "admin",
        "bob",
    ]
    grant(qm, "PROFILE(PRICE) OBJTYPE(TOPIC) PRINCIPAL('administrato') AUTHADD(SUB)")
    assert sender("administrato").user == "administrato"
    people.owner = "administrati-on"
    assert people.system.learn("administrati")
    assert sender("administrati").user == "administrati-on"
    add_users(penstock_home, administrati="")
    assert sender("administrati").user == "administrati"
