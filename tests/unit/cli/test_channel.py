"""`penstock channel`: two queue managers are linked with one command, seen, traced and explained."""

import json

import pytest
from typer.testing import CliRunner

import penstock
from penstock.cli.channel.link import listening_at, receiving, sending
from penstock.cli.channel.trace import line
from penstock.cli.main import application
from penstock.host.monitoring.trace import MILESTONES_MAX, WATCHES_MAX, Trace
from penstock.model import constants as mq
from penstock.model.headers import DeadLetterHeader
from penstock.model.status import MessageChannelFigures
from penstock.qmgr.catalogue.attributes import defaults
from penstock.tools import undelivered
from penstock.tools.channel_checks import _state, examined
from penstock.tools.channel_facts import BAD, DOUBTFUL, WELL, ChannelFacts, health_of, mqsc_name
from tests.conformance.client.conftest import Running
from tests.patience import attempts, until

EVENTS_MAX = 10_000  # that the ring holds
ABOUT = {"queue_manager": "ONE", "channel": "C", "type": "SDR", "partner": "TWO", "address": ""}


@pytest.mark.parametrize(
    ("facts", "health"),
    [
        ({"state": "RUNNING", "waiting": 9, "oldest": 0.0}, WELL),
        ({"state": "INACTIVE", "waiting": 0}, WELL),
        ({"state": "INACTIVE", "waiting": 1, "oldest": 99.0}, WELL),
        ({"state": "INACTIVE", "waiting": 1, "oldest": 1.0}, BAD),
        ({"state": "RETRYING"}, DOUBTFUL),
        ({"state": "STOPPED"}, DOUBTFUL),
        ({"state": "STOPPED", "in_doubt": True}, BAD),
    ],
)
def test_health_says_whether_somebody_must_look(facts, health):
    assert health_of(ChannelFacts(**ABOUT, **facts), now=100.0) == health


@pytest.mark.parametrize(
    ("name", "written"),
    [("ONE.TO.TWO", "ONE.TO.TWO"), ("A*", "A*"), ("one.TO.two", "'one.TO.two'"), ("it's", "'it''s'")],
)
def test_a_name_that_mqsc_would_change_is_quoted(name, written):
    assert mqsc_name(name) == written


def test_addresses_and_ciphers_cannot_end_their_text():
    assert "CONNAME('it''s(1)') REPLACE" in sending("C", "TWO", "it's(1)", "")
    for script in (sending("C", "TWO", "a(1)", "A) X('B"), receiving("C", "ONE", "", "A) X('B")):
        assert "SSLCIPH('A) X(''B')" in script


@pytest.mark.parametrize("state", ["RUNNING", "RETRYING", "STOPPED", "INACTIVE"])
def test_a_batch_in_doubt_is_told_in_every_state(state):
    told = _state(ChannelFacts(**ABOUT, state=state, in_doubt=True))
    assert ("in doubt" in told.text, told.passed) == (True, state == "RUNNING")


@pytest.mark.parametrize("channel", ["MART.HERE", "MART.THERE"])
def test_a_cluster_channel_is_explained_although_its_other_end_is_made_by_the_cluster(channel, tmp_path):
    with penstock.embed("HERE", create=True, home=tmp_path) as here:
        script = (
            "DEFINE CHANNEL(MART.HERE) CHLTYPE(CLUSRCVR) CLUSTER(MART) CONNAME('127.0.0.1(1)')\n"
            "DEFINE CHANNEL(MART.THERE) CHLTYPE(CLUSSDR) CLUSTER(MART) CONNAME('127.0.0.1(2)')"
        )
        assert not [reply.text for reply in here.mqsc(script) if reply.failed]
        checks = {
            each["check"]: each["passed"]
            for each in examined(here, channel, connect=penstock.connect)["checks"]
        }
    assert checks["other end"]


def test_letters_that_were_given_up_before_a_restart_are_found_until_they_are_gone(tmp_path):
    with penstock.embed("HERE", create=True, home=tmp_path) as here:
        here.mqsc("DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\nDEFINE CHANNEL(C) CHLTYPE(RCVR)", check=True)
        for channel, reason in (("C", 2053), ("C", 2053), ("D", 2053), ("C", 2085)):
            header = DeadLetterHeader(
                reason=reason, queue="T", qmgr="HERE", put_appl_type=mq.MQAT_DQM, put_appl_name=channel
            )
            body = header.pack(mq.MQENC_NATIVE, 1208) + b"x" * 1000
            here.put("DLQ", body, format=mq.MQFMT_DEAD_LETTER_HEADER)
        [letters] = undelivered.checks(here, "C")
        assert not letters.passed
        assert "3 on DLQ of HERE since" in letters.text
        assert "2 x 2053 MQRC_Q_FULL, 1 x 2085 MQRC_UNKNOWN_OBJECT_NAME" in letters.text
        here.mqsc("CLEAR QLOCAL(DLQ)", check=True)
        assert not list(undelivered.checks(here, "C"))


def test_nothing_but_milestones_is_recorded_unless_somebody_looks():
    trace = Trace()
    for number in range(MILESTONES_MAX + 4):
        trace.keep("CHANNEL", "C", "AMQ9002I", str(number))
    assert not trace.is_watched("CHANNEL", "C")
    assert [each["text"] for each in trace.read("CHANNEL", "C")] == [
        str(n) for n in range(4, MILESTONES_MAX + 4)
    ]
    assert trace.is_watched("CHANNEL", "C")
    assert not trace.is_watched("CHANNEL", "D")


def test_the_ring_is_bounded_and_numbers_show_the_gap():
    trace = Trace()
    for _ in range(EVENTS_MAX + 10):
        trace.note("CHANNEL", "C", "MOVE", way="out")
    assert trace.read("CHANNEL", "C")[0]["number"] == 11
    assert trace.read("CHANNEL", "C", after=EVENTS_MAX + 10) == []


def test_watches_have_a_limit_and_a_kind():
    trace = Trace()
    for number in range(WATCHES_MAX):
        trace.read("CHANNEL", str(number))
    with pytest.raises(penstock.MQError) as caught:
        trace.read("CHANNEL", "one more")
    assert caught.value.reason == 2102
    with pytest.raises(penstock.MQError) as caught:
        trace.read("MOON", "C")
    assert caught.value.reason == 2046


def test_an_event_is_a_line():
    event = {"time": 0.25, "event": "MOVE", "way": "out", "batch": 2, "number_in_channel": 7, "bytes": 9}
    assert line(event).endswith("--> MOVE  batch 2  message 7  9 bytes")


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """ONE and TWO, running in one home."""
    home = tmp_path_factory.mktemp("home")
    servers = [Running(home, name) for name in ("ONE", "TWO")]
    for server in servers:
        penstock.embed(server.name, create=True, home=home).close()
        server.start()
    yield home
    for server in servers:
        server.stop()


@pytest.fixture
def cli(pair, monkeypatch):
    """Run a command in the home of the pair."""
    monkeypatch.setenv("PENSTOCK_HOME", str(pair))

    def run(*words):
        done = CliRunner().invoke(application([words[0]]), list(words))
        return done.exit_code, done.stdout

    return run


def facts(cli, *words):
    code, text = cli(*words, "--json")
    return code, json.loads(text)


@pytest.mark.installed
def test_a_dry_run_prints_commands_and_defines_nothing(cli):
    code, answer = facts(cli, "channel", "link", "ONE", "TWO", "--dry-run", "--name", "DRY")
    assert (code, answer["run"]) == (0, False)
    assert "CHLTYPE(SDR)" in answer["commands"]["ONE"]
    assert facts(cli, "channel", "list", "DRY", "-m", "ONE") == (0, [])


@pytest.mark.installed
def test_linked_queue_managers_send_and_explain_what_they_do(cli):
    assert facts(cli, "channel", "link", "ONE", "TWO")[1]["pinged"]
    assert facts(cli, "channel", "link", "ONE", "TWO")[0] == 0  # again: nothing is in the way
    with penstock.connect("ONE") as one, penstock.connect("TWO") as two:
        two.mqsc("DEFINE QLOCAL(HERE)", check=True)
        one.mqsc("DEFINE QREMOTE(FAR) RNAME(HERE) RQMNAME(TWO)", check=True)
        one.trace("CHANNEL", "ONE.TO.TWO")
        one.put("FAR", b"1", persistent=True)
        assert two.get("HERE", wait=60).body == b"1"
        for _ in attempts():
            [seen] = facts(cli, "channel", "list", "ONE.TO.TWO", "-m", "ONE")[1]
            if seen["batches"] == 1:
                break
        assert (seen["state"], seen["partner"], seen["health"], seen["waiting"]) == (
            "RUNNING",
            "TWO",
            WELL,
            0,
        )
        events = [each["event"] for each in one.trace("CHANNEL", "ONE.TO.TWO")]
        assert [each for each in events if each in ("MOVE", "CONFIRM", "CONFIRMED")] == [
            "MOVE",
            "CONFIRM",
            "CONFIRMED",
        ]
        code, text = cli("channel", "trace", "ONE.TO.TWO", "-m", "ONE", "-n", "2", "--wait", "0")
        assert (code, len(text.splitlines())) == (0, 2)
        assert cli("channel", "explain", "ONE.TO.TWO", "-m", "ONE")[0] == 0
        one.mqsc("STOP CHANNEL(ONE.TO.TWO)", check=True)
        for _ in attempts():
            code, answer = facts(cli, "channel", "explain", "ONE.TO.TWO", "-m", "ONE")
            if answer["channel"]["state"] == "STOPPED":
                break
        wrong = [each for each in answer["checks"] if not each["passed"]]
        assert (code, [each["advice"] for each in wrong]) == (1, ["START CHANNEL(ONE.TO.TWO)"])
        edge = facts(cli, "map")[1]["channels"][0]
        assert (edge["queue_manager"], edge["partner"], edge["state"]) == ("ONE", "TWO", "STOPPED")


@pytest.mark.installed
def test_dead_letters_name_the_channel_that_gave_them_up(cli):
    assert facts(cli, "channel", "link", "TWO", "ONE")[1]["pinged"]
    with penstock.connect("ONE") as one, penstock.connect("TWO") as two:
        one.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)", check=True)
        two.mqsc("DEFINE QREMOTE(LOST) RNAME(NOWHERE) RQMNAME(ONE)", check=True)
        two.put("LOST", b"1", persistent=True)
        for _ in attempts():
            letters = facts(cli, "dlq", "list", "-m", "ONE", "--channel", "TWO.TO.ONE")[1]
            if letters:
                break
        assert [(each["reason"], each["channel"]) for each in letters] == [(2085, "TWO.TO.ONE")]
        assert facts(cli, "dlq", "list", "-m", "ONE", "--channel", "OTHER")[1] == []


@pytest.mark.installed
def test_dead_letters_are_told_at_both_ends_until_they_are_handled(cli):
    assert facts(cli, "channel", "link", "ONE", "TWO", "--name", "LOSES")[1]["pinged"]
    with penstock.connect("ONE") as one, penstock.connect("TWO") as two:
        two.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)\nDEFINE QLOCAL(SHUT) PUT(DISABLED)", check=True)
        two.mqsc("ALTER CHANNEL(LOSES) CHLTYPE(RCVR) MRRTY(0)", check=True)
        one.mqsc(
            "ALTER QLOCAL(TWO) TRIGDATA(LOSES)\nDEFINE QREMOTE(SHUT) RNAME(SHUT) RQMNAME(TWO)", check=True
        )
        for _ in range(3):
            one.put("SHUT", b"1", persistent=True)
        until(lambda: figures(two, "LOSES").undelivered.number == 3)
        until(lambda: figures(one, "LOSES").reported.number)
        for end in (one, two):
            code, answer = facts(cli, "channel", "explain", "LOSES", "-m", end.name)
            wrong = [each for each in answer["checks"] if not each["passed"]]
            told = " ".join(each["text"] for each in wrong)
            assert (code, "3 not delivered by TWO since" in told, "3 x 2051 MQRC_PUT_INHIBITED" in told) == (
                *(1, True, True),
            ), told
            assert "penstock dlq list --channel LOSES -m TWO" in [each["advice"] for each in wrong]
            assert facts(cli, "channel", "list", "LOSES", "-m", end.name)[1][0]["health"] == DOUBTFUL
            assert cli("health", "channel", "LOSES", "-m", end.name)[0] == 1
        assert "TWO did not deliver" in "".join(
            each["text"] for each in facts(cli, "channel", "explain", "LOSES", "-m", "ONE")[1]["checks"]
        )


def figures(qm, channel):
    """Return the figures of a channel; without any if it is a receiving one that has not run."""
    found = [each for each in qm.status().message_channels if each.channel == channel]
    return found[0] if found else MessageChannelFigures(channel=channel, type="RCVR")


@pytest.mark.installed
def test_both_ends_are_compared(cli):
    with penstock.connect("ONE") as one, penstock.connect("TWO") as two:
        one.mqsc("DEFINE QLOCAL(XQ) USAGE(XMITQ) GET(DISABLED)", check=True)
        one.mqsc(f"DEFINE CHANNEL(ODD) CHLTYPE(SDR) XMITQ(XQ) CONNAME('{listening_at(two)}')", check=True)
        one.mqsc("DEFINE QREMOTE(ODD) RNAME(X) RQMNAME(TWO) XMITQ(XQ)", check=True)
        code, answer = facts(cli, "channel", "explain", "ODD", "-m", "ONE")
        wrong = {each["check"] for each in answer["checks"] if not each["passed"]}
        assert (code, wrong) == (1, {"transmission queue", "other end"})
        two.mqsc("DEFINE CHANNEL(ODD) CHLTYPE(SDR) XMITQ(X) CONNAME('localhost')", check=True)
        other = [
            e
            for e in facts(cli, "channel", "explain", "ODD", "-m", "ONE")[1]["checks"]
            if e["check"] == "other end"
        ]
        assert not other[0]["passed"]
        two.mqsc("DELETE CHANNEL(ODD)", check=True)
        two.mqsc("DEFINE CHANNEL(ODD) CHLTYPE(RCVR) SEQWRAP(1000)", check=True)
        answer = facts(cli, "channel", "explain", "ODD", "-m", "ONE")[1]
        assert {each["check"] for each in answer["checks"] if not each["passed"]} == {
            "transmission queue",
            "SEQWRAP",
        }


def test_a_channel_of_an_old_folder_without_address_and_queue_is_explained(tmp_path):
    with penstock.embed("HERE", create=True, home=tmp_path) as qm:
        qm.engine.define("CHANNEL", "HALF", defaults("CHANNEL", "SDR"), 0.0)
        answer = examined(qm, "HALF", connect=penstock.connect)
    wrong = {each["check"]: each["text"] for each in answer["checks"] if not each["passed"]}
    assert wrong["address"] == "CONNAME is blank"
    assert wrong["transmission queue"] == "XMITQ is blank"


def test_an_unknown_channel_and_a_name_that_is_too_long_are_refused(cli):
    with pytest.raises(penstock.MQError) as caught:
        CliRunner().invoke(
            application(["channel"]), ["channel", "explain", "NONE", "-m", "ONE"], catch_exceptions=False
        )
    assert caught.value.reason == 4032
    assert cli("channel", "link", "ONE", "TWO", "--name", "X" * 21)[0] == 2


@pytest.mark.installed
def test_a_channel_is_found_by_its_exact_name(cli):
    commands = facts(cli, "channel", "link", "ONE", "TWO", "--dry-run", "--name", "low")[1]["commands"]
    assert all("CHANNEL('low')" in script for script in commands.values())
    with penstock.connect("ONE") as one:
        one.mqsc("DEFINE CHANNEL('low') CHLTYPE(SDR) XMITQ(NO.Q) CONNAME('localhost')", check=True)
        one.mqsc("DEFINE CHANNEL('low') CHLTYPE(CLNTCONN) CONNAME('localhost')", check=True)
    code, answer = facts(cli, "channel", "explain", "low", "-m", "ONE")
    assert (code, answer["channel"]["channel"], answer["channel"]["type"]) == (1, "low", "SDR")
    assert cli("health", "channel", "low", "-m", "ONE")[0] == 0
    for unknown in ("LOW", "l*", "*", "it's", ""):
        assert cli("channel", "explain", unknown, "-m", "ONE")[0] == 1
        assert cli("health", "channel", unknown, "-m", "ONE")[0] == 3


@pytest.mark.installed
def test_a_queue_manager_is_not_linked_to_itself(cli):
    assert cli("channel", "link", "ONE", "ONE")[0] == 2
    assert facts(cli, "channel", "list", "ONE.TO.ONE", "-m", "ONE") == (0, [])


@pytest.mark.installed
def test_a_link_whose_commands_fail_is_not_called_defined(cli):
    code, text = cli("channel", "link", "ONE", "TWO", "--name", "HALF", "--tls", "NO_SUCH_CIPHER")
    assert (code, "HALF is not defined completely" in text) == (1, True)


@pytest.mark.installed
def test_a_port_at_which_the_partner_no_longer_listens_is_named(cli):
    with penstock.connect("ONE") as one, penstock.connect("TWO") as two:
        here = listening_at(two)
        two.mqsc("DEFINE CHANNEL(MOVED) CHLTYPE(RCVR)", check=True)
        one.mqsc("DEFINE QLOCAL(MQ) USAGE(XMITQ)", check=True)
        one.mqsc("DEFINE QREMOTE(MOVED) RNAME(X) RQMNAME(TWO) XMITQ(MQ)", check=True)
        one.mqsc("DEFINE CHANNEL(MOVED) CHLTYPE(SDR) XMITQ(MQ) CONNAME('127.0.0.1')", check=True)
        code, answer = facts(cli, "channel", "explain", "MOVED", "-m", "ONE")
        wrong = {each["check"]: each for each in answer["checks"] if not each["passed"]}
        assert (code, set(wrong)) == (1, {"address"})
        assert here in wrong["address"]["advice"]
        one.mqsc(wrong["address"]["advice"], check=True)
        assert cli("channel", "explain", "MOVED", "-m", "ONE")[0] == 0


@pytest.mark.installed
def test_a_queue_manager_that_is_not_started_is_named_at_either_end(cli, pair):
    with penstock.embed("THREE", create=True, home=pair) as three, penstock.connect("ONE") as one:
        three.mqsc("DEFINE CHANNEL(DOWN) CHLTYPE(RCVR)", check=True)
        one.mqsc("DEFINE QLOCAL(THREE) USAGE(XMITQ)", check=True)
        one.mqsc("DEFINE CHANNEL(DOWN) CHLTYPE(SDR) XMITQ(THREE) CONNAME('127.0.0.1(1)')", check=True)
    for owner, check in (("ONE", "other end"), ("THREE", "queue manager")):
        code, answer = facts(cli, "channel", "explain", "DOWN", "-m", owner)
        wrong = [(each["check"], each["advice"]) for each in answer["checks"] if not each["passed"]]
        assert (code, wrong) == (1, [(check, "penstock qmgr start THREE")])


@pytest.mark.installed
def test_a_trace_of_no_channel_is_refused_at_once(cli):
    words = ["channel", "trace", "NOPE", "-m", "ONE"]
    with pytest.raises(penstock.MQError) as caught:
        CliRunner().invoke(application(["channel"]), words, catch_exceptions=False)
    assert caught.value.reason == 4032
