"""DISPLAY TPSTATUS (TYPE TOPIC, SUB, PUB), SBSTATUS, PUBSUB: rows one by one, whatever changes meanwhile."""

from __future__ import annotations

import time

import pytest

from penstock.admin import mqsc
from penstock.admin.commands.display import LOOKED_AT_MAX


def shown(qm, command):
    return [reply.attributes for reply in qm.mqsc(command)]


@pytest.mark.parametrize(
    ("pattern", "topics"),
    [("a/b", ["a/b"]), ("a/#", ["a", "a/b", "a/b/c"]), ("a/+", ["a/b"]), ("a*", ["a", "a/b", "a/b/c", "ax"])],
)
def test_which_topics(qm, pattern, topics):
    qm.publish("a/b/c", b"")
    qm.publish("ax", b"")
    assert sorted(row["TOPICSTR"] for row in shown(qm, f"DISPLAY TPSTATUS('{pattern}')")) == topics


def test_an_unknown_topic(qm):
    for pattern in ("nothing", "nothing/#"):
        (reply,) = qm.mqsc(f"DISPLAY TPSTATUS('{pattern}')")
        assert reply.failed


def test_counts(qm):
    with qm.subscribe("a"), qm.subscribe("a"), qm.subscribe("a/#"):
        (row,) = shown(qm, "DISPLAY TPSTATUS('a')")
        assert (row["SUBCOUNT"], row["PUBCOUNT"]) == (2, 0)


def test_where(qm):
    qm.publish("a", b"", retain=True)
    qm.publish("b", b"")
    rows = shown(qm, "DISPLAY TPSTATUS('#') WHERE(RETAINED EQ 'YES')")
    assert [row["TOPICSTR"] for row in rows] == ["a"]


def test_subscriptions_of_a_topic(qm):
    with qm.subscribe("a", durable="s") as sub:
        qm.publish("a", b"m")
        (row,) = shown(qm, "DISPLAY TPSTATUS('a') TYPE(SUB) ALL")
        assert (row["SUBID"], row["NUMMSGS"], row["DURABLE"]) == (sub.id.hex().upper(), 1, "YES")
        assert int(row["ACTCONN"], 16) == qm.connection.number


def test_subscriptions_of_a_topic_include_patterns_that_match(qm, run):
    """Whoever asks wants to know who receives a publication, not who wrote the same topic string."""
    run("DEFINE QLOCAL(Q)\nDEFINE SUB(EXACT) TOPICSTR('a/b') DEST(Q)")
    run("DEFINE SUB(BELOW) TOPICSTR('a/#') DEST(Q)\nDEFINE SUB(CHARS) TOPICSTR('a/*') DEST(Q) WSCHEMA(CHAR)")
    run("DEFINE SUB(OTHER) TOPICSTR('+/c') DEST(Q)")

    def names(topic):
        return sorted(row["SUB"] for row in shown(qm, f"DISPLAY TPSTATUS('{topic}') TYPE(SUB) ALL"))

    assert names("a/b") == ["BELOW", "CHARS", "EXACT"]
    assert names("a/c") == ["BELOW", "CHARS", "OTHER"]  # nobody has used this topic yet
    qm.publish("a/c", b"")
    assert names("a/c") == ["BELOW", "CHARS", "OTHER"]
    assert {row["SUBTOPIC"] for row in shown(qm, "DISPLAY TPSTATUS('a/b') TYPE(SUB) ALL")} == {
        "a/b",
        "a/#",
        "a/*",
    }
    run("DEFINE TOPIC(BLOCKED) TOPICSTR('a/b') WILDCARD(BLOCK)")
    assert names("a/b") == ["EXACT"]
    (reply,) = qm.mqsc("DISPLAY TPSTATUS('x/y') TYPE(SUB)")
    assert reply.id == "AMQ8147E"


def test_status_of_subscriptions(qm):
    qm.subscribe("a", durable="s").close()
    qm.publish("a", b"m")
    (row,) = shown(qm, "DISPLAY SBSTATUS('s') ALL")
    assert (row["SUB"], row["NUMMSGS"], int(row["ACTCONN"], 16)) == ("s", 1, 0)
    assert row["LMSGDATE"]
    with qm.subscribe("b"):
        assert [r["SUB"] for r in shown(qm, "DISPLAY SBSTATUS(*) DURABLE(NO)")] == [""]


def test_pubsub(qm, run):
    assert shown(qm, "DISPLAY PUBSUB")[0]["STATUS"] == "ACTIVE"
    with qm.subscribe("a"):
        row = shown(qm, "DISPLAY PUBSUB ALL")[0]
        assert (row["SUBCOUNT"], row["TPCOUNT"] >= 1) == (1, True)
    run("ALTER QMGR PSMODE(COMPAT)")
    assert shown(qm, "DISPLAY PUBSUB")[0]["STATUS"] == "COMPAT"


def test_a_display_goes_on_while_topics_come_and_go(qm):
    for number in range(100):
        qm.publish(f"t/{number}", b"")
    seen = []
    for piece in qm.mqsc_script(["DISPLAY TPSTATUS('t/+')"]):
        if getattr(piece, "attributes", None):
            seen.append(piece.attributes["TOPICSTR"])
            qm.publish(f"u/{len(seen)}", b"")
            with qm.gate:
                node = qm.engine.pubsub.tree.find("t/50")
                if node is not None:
                    qm.engine.pubsub.tree.drop(node)
    assert sorted(seen) == sorted(f"t/{number}" for number in range(100) if number != 50)


@pytest.mark.parametrize(
    "command",
    [
        "DISPLAY TPSTATUS('#') WHERE(RETAINED EQ YES)",
        "DISPLAY TPSTATUS('none/+')",
        "DISPLAY TPSTATUS('#') TYPE(PUB)",
    ],
)
def test_a_display_that_finds_nothing_lets_others_work(qm, command):
    """The engine is held for LOOKED_AT_MAX topics at a time, also where there is no row to send."""
    for number in range(5 * LOOKED_AT_MAX):
        qm.publish(f"t/{number % 100}/{number}", b"")
    pieces = list(mqsc.run_script(qm.engine, [command], time.time(), connection=qm.connection))
    pauses = [piece for piece in pieces if isinstance(piece, mqsc.Pause)]
    assert len(pauses) >= 5
    assert not any(getattr(piece, "attributes", None) for piece in pieces)


@pytest.mark.parametrize("named", ["(*)", ""])
@pytest.mark.parametrize("noun", ["SUB", "SBSTATUS"])
def test_a_subscription_is_found_by_its_id(qm, noun, named):
    with qm.subscribe("a/b") as sub, qm.subscribe("c", durable="other"):
        number = sub.id.hex().upper()
        assert [row["SUBID"] for row in shown(qm, f"DISPLAY {noun}{named} SUBID({number})")] == [number]
        assert [row["SUBID"] for row in shown(qm, f"DISPLAY {noun}{named} SUBID('{number.lower()}')")] == [
            number
        ]
        (reply,) = qm.mqsc(f"DISPLAY {noun}{named} SUBID({'0' * 48})")
        assert reply.failed
