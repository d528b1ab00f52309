"""`penstock resolve`: every definition on the way, the same end as an open, the next hop, circles."""

import json

import pytest
from typer.testing import CliRunner

import penstock
from penstock.cli.main import application

pytestmark = pytest.mark.installed
SCRIPT = """
DEFINE QLOCAL(HERE)
DEFINE QALIAS(SHORT) TARGET(HERE)
DEFINE QALIAS(LOST) TARGET(NOWHERE)
DEFINE QLOCAL(XQ) USAGE(XMITQ)
DEFINE CHANNEL(TO.TWO) CHLTYPE(SDR) XMITQ(XQ) CONNAME('127.0.0.1(1)')
DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(TWO) XMITQ(XQ)
DEFINE QREMOTE(OTHERNAME) RNAME('') RQMNAME(TWO) XMITQ(XQ)
DEFINE QREMOTE(ROUND) RNAME(ROUND) RQMNAME(TWO) XMITQ(XQ)
DEFINE TOPIC(PRICES) TOPICSTR('price')
DEFINE QALIAS(NEWS) TARGTYPE(TOPIC) TARGET(PRICES)
DEFINE QLOCAL(SHUT) PUT(DISABLED)
"""


@pytest.fixture
def one():
    with penstock.embed("ONE", create=True) as qm:
        qm.mqsc(SCRIPT, check=True)
        yield qm


def resolved(*words):
    done = CliRunner().invoke(application(["resolve"]), ["resolve", "-m", "ONE", *words, "--json"])
    return done.exit_code, json.loads(done.stdout)["hops"]


def test_an_alias_shows_both_definitions_and_the_queue(one):
    code, [hop] = resolved("SHORT")
    assert code == 0
    assert [(step["object"], step["type"]) for step in hop["steps"]] == [
        ("SHORT", "QALIAS"),
        ("HERE", "QLOCAL"),
    ]
    assert hop["queue"] == "HERE"
    assert not hop["remote"]


def test_a_remote_queue_shows_transmission_queue_and_channel(one):
    code, [hop] = resolved("FAR")
    assert (code, hop["queue"], hop["remote_queue"], hop["remote_qmgr"]) == (0, "XQ", "THERE", "TWO")
    assert hop["channels"] == ["TO.TWO"]


def test_a_queue_manager_alias_changes_the_queue_manager(one):
    code, [hop] = resolved("ANY", "--at", "OTHERNAME")
    assert (code, hop["remote_queue"], hop["remote_qmgr"]) == (0, "ANY", "TWO")


@pytest.mark.parametrize(
    ("words", "reason"), [(["MISSING"], 2085), (["LOST"], 2082), (["X", "--at", "MOON"], 2087)]
)
def test_a_name_that_leads_nowhere_has_the_reason_of_an_open(one, words, reason):
    code, [hop] = resolved(*words)
    assert (code, hop["leads"], hop["reason"]) == (1, False, reason)
    with (
        pytest.raises(penstock.MQError) as caught,
        one.open(words[0], penstock.Open.OUTPUT, qmgr=words[-1] if "--at" in words else ""),
    ):
        pass
    assert caught.value.reason == reason


def test_topics_and_closed_queues_are_named(one):
    assert resolved("NEWS")[1][0]["topic"] == "price"
    assert resolved("SHUT")[1][0]["put_inhibited_by"] == "SHUT"


def test_the_next_queue_manager_is_asked_and_a_circle_ends(one):
    with penstock.embed("TWO", create=True) as two:
        two.mqsc("DEFINE QLOCAL(THERE)\nDEFINE QLOCAL(ONE) USAGE(XMITQ)", check=True)
        two.mqsc("DEFINE QREMOTE(ROUND) RNAME(ROUND) RQMNAME(ONE)", check=True)
        code, hops = resolved("FAR", "--hop")
        assert (code, [hop["at"] for hop in hops], hops[-1]["queue"]) == (0, ["ONE", "TWO"], "THERE")
        code, hops = resolved("ROUND", "--hop")
        assert (code, hops[-1]["leads"]) == (1, False)
        assert "circle" in hops[-1]["text"]


def test_a_next_queue_manager_that_cannot_be_asked_is_said(one):
    code, hops = resolved("FAR", "--hop")
    assert code == 0
    assert "TWO was not asked" in hops[-1]["next"]


def test_people_read_sentences(one):
    done = CliRunner().invoke(application(["resolve"]), ["resolve", "-m", "ONE", "FAR"])
    assert "FAR: QREMOTE, queue THERE at queue manager TWO by transmission queue XQ" in done.stdout
    assert (
        "Messages go to transmission queue XQ for queue THERE at TWO; channel TO.TWO sends them."
        in done.stdout
    )


def test_a_put_to_a_queue_manager_goes_where_resolve_shows(one):
    done = CliRunner().invoke(application(["put"]), ["put", "ANY", "x", "-m", "ONE", "--at", "OTHERNAME"])
    assert done.exit_code == 0, done.output

    assert one.get("XQ").body.endswith(b"x")
