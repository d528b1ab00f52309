"""Command messages (psc, pscr): RegSub, DeregSub, Publish, DelPub, ReqUpdate, and their answers."""

from __future__ import annotations

import getpass
import re

import pytest

from penstock.model import constants as mq
from penstock.model.rfh2 import Rfh2, unpack_rfh2

CONTROL = "SYSTEM.BROKER.CONTROL.QUEUE"


@pytest.fixture
def send(qm, run):
    """Send a command; return completion and reason of its answer."""
    run("DEFINE QLOCAL(SUBS)")
    run("DEFINE QLOCAL(REPLIES)")

    def command(content: str, body: bytes = b"", persistent: bool = False, **details):
        answered_within = details.pop("answered_within", 0.0)
        header = Rfh2((f"<psc>{content}</psc>", "<usr><size dt='i4'>5</size></usr>"), format="MQSTR")
        qm.put(
            details.pop("queue", CONTROL),
            header.pack() + body,
            format="MQHRF2",
            msg_type=mq.MQMT_REQUEST,
            reply_to="REPLIES",
            persistent=persistent,
            **details,
        )
        answer = qm.get("REPLIES", wait=answered_within)
        assert answer.msg_type == mq.MQMT_REPLY
        (folder,) = unpack_rfh2(answer.body)[0].folders
        completion = re.search("<Completion>(.*)</Completion>", folder)[1]
        reason = re.search("<Reason>(.*)</Reason>", folder)
        return completion, int(reason[1]) if reason else 0

    return command


def regsub(topic="a/#", more=""):
    return f"<Command>RegSub</Command><Topic>{topic}</Topic><QName>SUBS</QName>{more}"


@pytest.mark.parametrize("persistent", [False, True])
def test_register_and_publish(qm, send, persistent):
    assert send(regsub(), persistent=persistent) == ("ok", 0)
    assert send("<Command>Publish</Command><Topic>a/b</Topic>", b"body", persistent) == ("ok", 0)
    message = qm.get("SUBS")
    header, length = unpack_rfh2(message.body)
    assert (message.format, header.format, message.body[length:]) == ("MQHRF2", "MQSTR", b"body")
    assert "<Topic>a/b</Topic>" in header.folders[0]
    assert (message.properties, message.persistent) == ({"size": 5}, persistent)


def test_a_plain_publish_reaches_it_and_a_plain_subscription_its_publish(qm, send, bodies):
    send(regsub())
    with qm.subscribe("a/#") as sub:
        qm.publish("a/b", b"plain")
        send("<Command>Publish</Command><Topic>a/c</Topic>", b"queued")
        assert [m.body for m in sub.messages()] == [b"plain", b"queued"]
    assert len(qm.get_many("SUBS", 5)) == 2


def test_a_filter(qm, send):
    assert send(regsub(more="<Filter>Body.Quote.Price &gt; 100</Filter>")) == ("ok", 0)
    for price in (99, 101):
        qm.publish("a/b", f"<Quote><Price>{price}</Price></Quote>".encode())
    assert [b"101" in m.body for m in qm.get_many("SUBS", 5)] == [True]
    assert send(regsub(topic="x", more="<Filter>a &gt;</Filter>")) == ("error", 3150)


def test_deregister(qm, send):
    send(regsub(topic="a"))
    send(regsub(topic="b"))
    dereg = "<Command>DeregSub</Command><QName>SUBS</QName>"
    assert send(f"{dereg}<Topic>a</Topic>") == ("ok", 0)
    assert send(f"{dereg}<Topic>a</Topic>") == ("warning", 3073)
    assert send(f"{dereg}<RegOpt>DeregAll</RegOpt>") == ("ok", 0)
    assert qm.engine.pubsub.subscriptions == {}


def test_registering_again_alters(qm, send):
    send(regsub())
    assert send(regsub(more="<SubUserData>u</SubUserData>")) == ("ok", 0)
    (subscription,) = qm.engine.pubsub.subscriptions.values()
    assert subscription.user_data == "u"


def test_correlation_ids_tell_subscribers_of_one_queue_apart(qm, send):
    for correl_id in (b"1" * 24, b"2" * 24):
        send(regsub(more="<RegOpt>CorrelAsId</RegOpt>"), correl_id=correl_id)
    qm.publish("a/b", b"m")
    assert {m.correl_id for m in qm.get_many("SUBS", 5)} == {b"1" * 24, b"2" * 24}


def test_deleting_many_publications_counts_as_one_command(qm, send, run):
    for topic in "123456":
        qm.publish(f"a/{topic}", b"kept", retain=True)
    run("ALTER QMGR MAXUMSGS(4)")
    assert send("<Command>DelPub</Command><Topic>a/#</Topic>", answered_within=5.0) == ("ok", 0)
    with qm.subscribe("a/#") as sub:
        assert list(sub.messages()) == []
    assert qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].depth == 0


def test_retained(qm, send):
    publish = "<Command>Publish</Command><PubOpt>RetainPub</PubOpt><Topic>a/b</Topic>"
    assert send(publish, b"kept", persistent=True) == ("ok", 0)
    send(regsub())
    message = qm.get("SUBS")
    assert message.body.endswith(b"kept")
    assert b"IsRetainedPub" in message.body
    assert send("<Command>ReqUpdate</Command><Topic>a/#</Topic><QName>SUBS</QName>") == ("ok", 0)
    assert qm.get("SUBS").body.endswith(b"kept")
    assert send("<Command>DelPub</Command><Topic>a/b</Topic>") == ("ok", 0)
    assert send("<Command>DelPub</Command><Topic>a/b</Topic>") == ("warning", 3077)
    assert send("<Command>ReqUpdate</Command><Topic>a/#</Topic><QName>SUBS</QName>") == ("warning", 3077)


@pytest.mark.parametrize("command", ["RegSub", "ReqUpdate"])
def test_a_retained_publication_whose_body_is_on_disk_is_read_first(qm, send, command):
    qm.publish("a/b", b"kept", retain=True, persistent=True)
    on_request = "<RegOpt>PubOnReqOnly</RegOpt>" if command == "ReqUpdate" else ""
    if on_request:
        send(regsub(more=on_request))
    qm.checkpoint()
    (message,) = qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].messages()
    with qm.gate:
        message.queue.drop_body(message)
    content = f"<Command>{command}</Command><Topic>a/#</Topic><QName>SUBS</QName>"
    assert send(content, answered_within=30.0) == ("ok", 0)
    assert qm.get("SUBS", wait=60.0).body.endswith(b"kept")
    assert qm.get("SUBS") is None
    assert send(regsub("b"), answered_within=30.0) == ("ok", 0)  # the reader goes on


def test_several_topics(qm, send):
    send("<Command>RegSub</Command><Topic>a</Topic><Topic>b</Topic><QName>SUBS</QName>")
    send("<Command>Publish</Command><Topic>a</Topic><Topic>b</Topic>", b"m")
    assert len(qm.get_many("SUBS", 5)) == 2


def test_no_topic_is_3072_and_no_queue_is_found(qm, send):
    assert send("<Command>RegSub</Command><QName>SUBS</QName>") == ("error", 3072)
    assert send("<Command>RegSub</Command><Topic>a</Topic><QName>NONE</QName>") == ("error", 2085)


def test_the_stream_queue_takes_publications_too(qm, send):
    send(regsub())
    assert send(
        "<Command>Publish</Command><Topic>a/b</Topic>", b"m", queue="SYSTEM.BROKER.DEFAULT.STREAM"
    ) == ("ok", 0)
    assert qm.get("SUBS").body.endswith(b"m")


def test_in_a_unit_a_command_counts_from_the_commit(qm, run):
    run("DEFINE QLOCAL(SUBS)")
    header = Rfh2((f"<psc>{regsub()}</psc>",))
    qm.begin()
    qm.put(CONTROL, header.pack(), format="MQHRF2")
    assert not qm.engine.pubsub.subscriptions
    qm.commit()
    assert len(qm.engine.pubsub.subscriptions) == 1


def test_what_is_no_command_goes_to_the_dead_letters(qm, run):
    run("DEFINE QLOCAL(DEAD)")
    run("ALTER QMGR DEADQ(DEAD)")
    bad = [
        b"text",
        Rfh2(("<usr><a>1</a></usr>",)).pack(),
        Rfh2(("<psc><Command>Nothing</Command></psc>",)).pack(),
    ]
    for body in bad:
        qm.put(CONTROL, body, format="MQHRF2" if body != b"text" else "MQSTR")
    assert [m.body[8:12] for m in qm.get_many("DEAD", 5)] == [(2421).to_bytes(4, "little")] * 3


def test_datagrams_are_answered_as_their_report_options_say(qm, run):
    run("DEFINE QLOCAL(SUBS)")
    run("DEFINE QLOCAL(REPLIES)")
    good, bad = regsub(), "<Command>RegSub</Command><QName>SUBS</QName>"
    for content in (good, bad):
        for report in (0, mq.MQRO_PAN, mq.MQRO_NAN):
            body = Rfh2((f"<psc>{content}</psc>",)).pack()
            qm.put(CONTROL, body, format="MQHRF2", reply_to="REPLIES", report=report)
    texts = [m.body for m in qm.get_many("REPLIES", 10)]
    assert [b"ok" in text for text in texts] == [True, False]


@pytest.mark.parametrize("mode", ["COMPAT", "DISABLED"])
def test_other_modes_leave_commands_where_they_are(qm, run, until, mode):
    run("DEFINE QLOCAL(SUBS)")
    run(f"ALTER QMGR PSMODE({mode})")
    qm.put(CONTROL, Rfh2((f"<psc>{regsub()}</psc>",)).pack(), format="MQHRF2")
    assert not qm.engine.pubsub.subscriptions
    run("ALTER QMGR PSMODE(ENABLED)")
    until(lambda: qm.engine.pubsub.subscriptions)


def test_commands_that_wait_over_a_restart_are_carried_out(embed, until):
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(SUBS)\nALTER QMGR PSMODE(COMPAT)")
    qm.put(CONTROL, Rfh2((f"<psc>{regsub()}</psc>",)).pack(), format="MQHRF2", persistent=True)
    qm.close()
    qm = embed()
    qm.mqsc("ALTER QMGR PSMODE(ENABLED)")
    until(lambda: qm.engine.pubsub.subscriptions)


def test_registrations_survive_a_restart(embed):
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(SUBS)")
    qm.put(CONTROL, Rfh2((f"<psc>{regsub()}</psc>",)).pack(), format="MQHRF2")
    qm.close()
    qm = embed()
    qm.publish("a/b", b"m")
    assert qm.get("SUBS").body.endswith(b"m")


PUBLISH = "<Command>Publish</Command><Topic>a/b</Topic>"


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize(
    ("option", "queue_default", "lasts"),
    [
        ("Pers", "NO", lambda published: True),
        ("NonPers", "YES", lambda published: False),
        ("PersAsPub", "YES", lambda published: published),
        ("PersAsQueue", "YES", lambda published: True),
        ("PersAsQueue", "NO", lambda published: False),
    ],
)
def test_a_registration_says_how_its_copies_last(qm, send, run, option, queue_default, lasts, published):
    run(f"ALTER QLOCAL(SUBS) DEFPSIST({queue_default})")
    assert send(regsub(more=f"<RegOpt>{option}</RegOpt>")) == ("ok", 0)
    send(PUBLISH, b"m", persistent=published)
    qm.publish("a/b", b"m", persistent=published)
    assert [m.persistent for m in qm.get_many("SUBS", 5)] == [lasts(published)] * 2


def test_registering_again_without_it_the_publisher_decides_again(qm, send):
    send(regsub(more="<RegOpt>Pers</RegOpt><RegOpt>PubOnReqOnly</RegOpt>"))
    send(regsub())
    qm.publish("a/b", b"m")
    assert not qm.get("SUBS").persistent


def test_a_persistent_copy_of_a_publication_that_is_not_survives_a_restart(embed):
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(SUBS)\nDEFINE QLOCAL(OTHER)\nDEFINE QLOCAL(PLAIN)")
    qm.mqsc("DEFINE SUB(P) TOPICSTR('a/b') DEST(PLAIN) PUBPSIST(YES)")
    for name, options in (("SUBS", "<RegOpt>Pers</RegOpt>"), ("OTHER", "")):
        content = f"<Command>RegSub</Command><Topic>a/#</Topic><QName>{name}</QName>{options}"
        qm.put(CONTROL, Rfh2((f"<psc>{content}</psc>",)).pack(), format="MQHRF2")
    qm.publish("a/b", b"m")
    qm.close()
    qm = embed()
    assert qm.get("SUBS").body.endswith(b"m")
    assert qm.get("PLAIN").body == b"m"
    assert qm.get("OTHER") is None


def test_other_subscribers_only(qm, send, run):
    run("DEFINE QLOCAL(OTHER)")
    send(regsub(more="<SubUserData>first</SubUserData>"))
    second = "<RegOpt>CorrelAsId</RegOpt><SubUserData>second</SubUserData>"
    send(regsub(more=second), correl_id=b"1" * 24)
    send("<Command>RegSub</Command><Topic>a/#</Topic><QName>OTHER</QName>")
    only = f"{PUBLISH}<PubOpt>OtherSubsOnly</PubOpt><QName>SUBS</QName>"
    assert send(only, b"m") == ("ok", 0)
    assert [b"second" in m.body for m in qm.get_many("SUBS", 5)] == [True]
    assert qm.get("OTHER") is not None
    assert send(f"{only}<PubOpt>CorrelAsId</PubOpt>", b"m", correl_id=b"1" * 24) == ("ok", 0)
    assert [b"first" in m.body for m in qm.get_many("SUBS", 5)] == [True]
    assert qm.get("OTHER") is not None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (regsub(more="<RegOpt>Pers</RegOpt><RegOpt>NonPers</RegOpt>"), 3083),
        (regsub(more="<RegOpt>Persist</RegOpt>"), 3083),
        (regsub(more="<RegOpt>CorrelAsId</RegOpt>"), 3080),
        (f"{PUBLISH}<PubOpt>Retain</PubOpt>", 3084),
        ("<Command>DelPub</Command><Topic>a</Topic><DelOpt>All</DelOpt>", 3087),
    ],
)
def test_options_that_make_no_sense_are_refused(qm, send, content, reason):
    assert send(content) == ("error", reason)
    assert not qm.engine.pubsub.subscriptions


def test_decision_a_filter_is_part_of_what_a_registration_is(qm, send):
    for wanted in ("x = 1", "x = 2"):
        send(regsub(more=f"<Filter>{wanted}</Filter>"))
    assert len(qm.engine.pubsub.subscriptions) == 2
    dereg = "<Command>DeregSub</Command><QName>SUBS</QName><Topic>a/#</Topic>"
    assert send(dereg) == ("warning", 3073)
    assert send(f"{dereg}<Filter>x = 1</Filter>") == ("ok", 0)
    assert [each.definition.attributes["SELECTOR"] for each in qm.engine.pubsub.subscriptions.values()] == [
        "x = 2"
    ]
    send(regsub(topic="b"))
    assert send(f"{dereg}<RegOpt>DeregAll</RegOpt>") == ("ok", 0)
    assert [each.pattern.text for each in qm.engine.pubsub.subscriptions.values()] == ["b"]


def test_a_name_that_another_subscription_has_is_3152(qm, send, run):
    run("DEFINE QLOCAL(OTHER)")
    run("DEFINE SUB(MINE) TOPICSTR('a/#') DEST(OTHER)")
    named = "<SubName>MINE</SubName>"
    assert send(regsub(more=named)) == ("error", 3152)
    run("DELETE SUB(MINE)")
    assert send(regsub(more=named)) == ("ok", 0)
    assert send(regsub(more=named)) == ("ok", 0)
    assert send(regsub(topic="b", more=named)) == ("error", 3152)
    assert send(f"<Command>DeregSub</Command><Topic>b</Topic><QName>SUBS</QName>{named}") == ("warning", 3073)
    assert send(f"<Command>DeregSub</Command><Topic>a/#</Topic><QName>SUBS</QName>{named}") == ("ok", 0)


def test_of_several_topics_one_that_is_refused_is_a_warning(qm, send, run):
    run("DEFINE TOPIC(SHUT) TOPICSTR('shut') PUB(DISABLED) SUB(DISABLED)")
    send(regsub(topic="a/b"))
    assert send("<Command>Publish</Command><Topic>shut</Topic><Topic>a/b</Topic>", b"m") == ("warning", 2051)
    assert len(qm.get_many("SUBS", 5)) == 1
    assert send("<Command>RegSub</Command><Topic>shut</Topic><Topic>c</Topic><QName>SUBS</QName>") == (
        "warning",
        2503,
    )
    assert len(qm.engine.pubsub.subscriptions) == 2
    assert send("<Command>Publish</Command><Topic>shut</Topic>", b"m") == ("error", 2051)


def test_what_is_registered_for_a_temporary_queue_goes_with_it(qm, send):
    with qm.open("SYSTEM.DEFAULT.MODEL.QUEUE") as handle:
        content = f"<Command>RegSub</Command><Topic>a/#</Topic><QName>{handle.name}</QName>"
        assert send(content) == ("ok", 0)
        assert send(content) == ("ok", 0)  # again
        (subscription,) = qm.engine.pubsub.subscriptions.values()
        assert not subscription.durable
        qm.publish("a/b", b"m", persistent=True)
        assert handle.get().body.endswith(b"m")
    assert not qm.engine.pubsub.subscriptions
    qm.publish("a/b", b"m", persistent=True)


def test_the_longest_topic_and_filter_are_registered_and_deregistered(qm, send):
    topic, wanted = "t" * 10_240, f"<Filter>{' OR '.join(['x = 1'] * 900)}</Filter>"
    assert send(regsub(topic=topic)) == ("ok", 0)
    assert send(regsub(topic=topic, more=wanted), answered_within=30.0) == ("ok", 0)
    assert len(qm.engine.pubsub.subscriptions) == 2
    dereg = f"<Command>DeregSub</Command><QName>SUBS</QName><Topic>{topic}</Topic>"
    assert [send(dereg), send(dereg + wanted), send(dereg)] == [("ok", 0), ("ok", 0), ("warning", 3073)]


def test_a_subscription_point_is_refused_rather_than_taken_for_the_default_one(qm, send):
    assert send(regsub(more="<SubPoint>uk</SubPoint>")) == ("error", 2298)


def test_an_element_without_a_value_is_empty(qm, send):
    nothing = "<Command>RegSub</Command><Topic xsi:nil='true'></Topic><QName>SUBS</QName>"
    assert send(nothing) == ("error", 3072)


@pytest.mark.parametrize("destination", [CONTROL, "SYSTEM.BROKER.DEFAULT.STREAM", "ALIAS"])
def test_publications_do_not_go_round(qm, send, run, destination):
    run(f"DEFINE QALIAS(ALIAS) TARGET({CONTROL})")
    run(f"DEFINE SUB(ROUND) TOPICSTR('a/#') DEST({destination}) PSPROP(RFH2)")
    send(regsub())
    assert send(PUBLISH, b"once") == ("ok", 0)
    assert len(qm.get_many("SUBS", 9)) == 1
    qm.mqsc(f"ALTER SUB(ROUND) SUBUSER('{getpass.getuser()}')")
    qm.publish("a/b", b"twice")  # reaches the reader, who publishes it once more
    assert len(qm.get_many("SUBS", 9)) == 2
    assert qm.engine.queues[CONTROL].depth == 0


def registered(qm):
    return sorted(qm.engine.pubsub.subscriptions)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_registration_whose_queue_cannot_take_what_is_retained_leaves_nothing(qm, send, run, persistent):
    run("DEFINE QLOCAL(SMALL) MAXDEPTH(2)")
    for topic in "123":
        qm.publish(f"a/{topic}", b"kept", retain=True, persistent=True)
    command = "<Command>RegSub</Command><Topic>a/#</Topic><Topic>b</Topic><QName>SMALL</QName>"
    assert send(command, persistent=persistent, answered_within=5.0) == ("warning", 2526)
    assert registered(qm) == ["RFH2::SMALL:b"]
    assert (qm.engine.queues["SMALL"].depth, qm.engine.queues["SMALL"].uncommitted) == (0, 0)
    qm.publish("a/4", b"new")
    assert qm.get("SMALL") is None
    run("ALTER QLOCAL(SMALL) MAXDEPTH(3)")
    assert send(command, persistent=persistent, answered_within=5.0) == ("ok", 0)
    assert len(qm.get_many("SMALL", 5)) == 3


def test_deregistering_all_is_about_the_subscriber_alone(qm, send, run):
    run("DEFINE SUB(ADMIN) TOPICSTR(d) DEST(SUBS) DESTCORL(000000000000000000000000000000000000000000000000)")
    send(regsub("d/a", "<RegOpt>CorrelAsId</RegOpt>"), correl_id=b"A" * 24)
    send(regsub("d/b"))
    send(regsub("d/c", "<SubName>mine</SubName>"))
    dereg = "<Command>DeregSub</Command><QName>SUBS</QName><RegOpt>DeregAll</RegOpt>"
    assert send(dereg) == ("ok", 0)
    assert registered(qm) == ["ADMIN", f"RFH2::SUBS:{'41' * 24}:d/a"]
    assert send(dereg) == ("warning", 3073)
    assert send(f"{dereg}<RegOpt>CorrelAsId</RegOpt>", correl_id=b"A" * 24) == ("ok", 0)
    assert registered(qm) == ["ADMIN"]


def test_the_own_queue_manager_named_or_not_is_one_subscriber(qm, send):
    here = f"<QMgrName>{qm.name}</QMgrName>"
    assert [send(regsub("e", more)) for more in ("", here, "", here)] == [("ok", 0)] * 4
    qm.publish("e", b"m")
    assert len(qm.get_many("SUBS", 5)) == 1
    assert send(f"<Command>DeregSub</Command><Topic>e</Topic><QName>SUBS</QName>{here}") == ("ok", 0)


def test_registering_again_with_other_wildcards_is_refused(qm, send):
    assert send(regsub("f/*")) == ("ok", 0)
    assert send(regsub("f/*", "<RegOpt>WildcardChar</RegOpt>")) == ("error", 3152)
    assert send(regsub("f/*")) == ("ok", 0)


def test_what_is_deregistered_is_not_kept_in_mind_for_its_temporary_queue(qm, send):
    with qm.open("SYSTEM.DEFAULT.MODEL.QUEUE", mq.MQOO_INPUT_SHARED) as replies:
        named = f"<Topic>t</Topic><QName>{replies.name}</QName>"
        assert send(f"<Command>RegSub</Command>{named}") == ("ok", 0)
        assert qm.engine.pubsub.queued._with_queues == {replies.name: {f"RFH2::{replies.name}:t"}}
        assert send(f"<Command>DeregSub</Command>{named}") == ("ok", 0)
        assert qm.engine.pubsub.queued._with_queues == {}


def test_decision_a_command_has_at_most_250_topics_and_128_kb(qm, run, send):
    """All of a command is done in one step, which others wait for."""
    run("DEFINE QLOCAL(DEAD)")
    run("ALTER QMGR DEADQ(DEAD)")
    topics = [f"<Topic>t/{number}</Topic>" for number in range(251)]
    assert send(f"<Command>Publish</Command>{''.join(topics[:250])}", b"") == ("ok", 0)
    for content in ("".join(topics), f"<Topic>t</Topic><x>{'y' * (128 << 10)}</x>"):
        qm.put(CONTROL, Rfh2((f"<psc><Command>Publish</Command>{content}</psc>",)).pack(), format="MQHRF2")
    assert [m.body[8:12] for m in qm.get_many("DEAD", 5)] == [(2421).to_bytes(4, "little")] * 2
