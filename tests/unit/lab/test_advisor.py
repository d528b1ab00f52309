"""Every rule speaks when its facts are there and is silent when not; a real queue manager can be asked."""

from __future__ import annotations

import copy
from collections import Counter

import pytest

import penstock
from penstock.lab.advisor.advise import advise, measured
from penstock.lab.advisor.facts import Facts, facts_of
from penstock.lab.advisor.rules import ALL_SIGNS, rules
from penstock.lab.catalogue import catalogue
from penstock.lab.report.reading import figures_of
from tests.unit.lab.made_runs import made_run

LOG = {
    "records": 5000,
    "syncs": 5000,
    "sync_seconds_mean": 0.0004,
    "batch_records_mean": 4.0,
    "used_bytes": 1,
    "capacity_bytes": 100,
}
QUIET = Facts(
    {"log": LOG, "spilled_messages": 0, "channels": {"channels_max": 100, "conversations": 3},
     "topics": 10, "subscriptions": 3, "published": 3, "up_seconds": 86_400.0},
    [{"QUEUE": "APP", "DEFPSIST": "NO", "CURDEPTH": 1, "MAXDEPTH": 5000, "DEFPRESP": "ASYNC",
      "MAXMSGL": 4194304}],
    [{"CHANNEL": "APP.SVRCONN", "CHLTYPE": "SVRCONN", "SHARECNV": 10, "DISCINT": 0}],
    {"TREELIFE": 1800, "SSLRKEYC": 0, "DEFCLXQ": "SCTQ"},
    {"Log": {"LogBufferPages": "512"}, "TuningParameters": {}},
    False,
    4,
    [{"TOPIC": "NEWS", "CLUSTER": "", "CLROUTE": "DIRECT"}],
    [{"CFSTRUCT": "APPL", "OFFLOAD": "SMDS", "RECOVER": "YES", "DSBLOCK": "256K", "DSEXPAND": "YES",
      "OFFLD1SZ": "32K"}],
    [{"CFSTATUS": "APPL", "BKUPDATE": "2026-01-01"}],
    [{"CFSTRUCT": "APPL", "WAITRATE": 0, "LOWESTFREE": 7}],
    [],
    4,
    {"governor": "performance", "ports": 60_000, "memory_waits_percent": 0.0, "memory_bytes": 8 << 30},
)  # fmt: skip


def _queue(**values):
    return lambda f: f.queues[0].update(values)


def _log(**values):
    return lambda f: f.status["log"].update(values)


def _channel(**values):
    return lambda f: f.channels.append({"CHANNEL": "MORE", "CHLTYPE": "SDR", **values})


def _shared(**values):
    def change(f):
        f.queues[0]["CFSTRUCT"] = "APPL"
        f.structures[0].update(values)

    return change


def _proxies(count):
    return lambda f: f.proxies.extend([{"SUB": "proxy"}] * count)


SHOWS = {
    "sync": _log(sync_seconds_mean=0.02),
    "same_device": lambda f: setattr(f, "same_device", True),
    "log_buffer": lambda f: f.ini["Log"].update(LogBufferPages="64"),
    "batches": _log(batch_records_mean=1.0),
    "log_room": _log(used_bytes=80),
    "default_persistence": _queue(DEFPSIST="YES"),
    "spilled": lambda f: f.status.update(spilled_messages=10),
    "near_full": _queue(CURDEPTH=4900),
    "max_channels": lambda f: f.status["channels"].update(conversations=95),
    "share_conversations": lambda f: f.channels[0].update(SHARECNV=1),
    "disconnect": lambda f: f.channels[0].update(DISCINT=10),
    "rate_limit": lambda f: f.status.update(up_seconds=3.0),
    "quick_sync": _log(sync_seconds_mean=10e-6),
    "buffers": lambda f: f.ini["TuningParameters"].update(DefaultQBufferSize=str(5 << 30)),
    "memory": lambda f: f.machine.update(memory_waits_percent=7.0),
    "governor": lambda f: f.machine.update(governor="powersave"),
    "ports": lambda f: (f.machine.update(ports=4000), f.status["channels"].update(channels_max=5000)),
    "small_log": lambda f: f.channels.extend([{"CHANNEL": "C", "CHLTYPE": "RCVR"}] * 1001),
    "reply_queues": lambda f: f.queues.extend(
        [{"QUEUE": "R", "DEFTYPE": "TEMPDYN", "DEFPRESP": "ASYNC"}] * 101
    ),
    "triggered": _queue(TRIGGER="YES", TRIGTYPE="EVERY"),
    "converting": _channel(CONVERT="YES"),
    "properties": _queue(PROPCTL="FORCE"),
    "client_answers": _queue(DEFPRESP="SYNC"),
    "tls_renewal": lambda f: f.qmgr.update(SSLRKEYC=50_000),
    "many_rules": lambda f: setattr(f, "rules", 20_000),
    "no_topics": lambda f: f.status.update(topics=300, subscriptions=0, published=0),
    "many_topics": lambda f: f.status.update(topics=300_000),
    "often_swept": lambda f: f.qmgr.update(TREELIFE=60),
    "many_subscriptions": lambda f: f.status.update(subscriptions=70_000),
    "cache_size": lambda f: f.ini["TuningParameters"].update(PubSubCacheSize="96"),
    "publish_threads": lambda f: f.ini["TuningParameters"].update(pscNumPubThreads="5"),
    "apart": _proxies(1),
    "topic_hosts": lambda f: f.topics[0].update(CLUSTER="LAB", CLROUTE="TOPICHOST"),
    "proxies": _proxies(2000),
    "one_receiver": lambda f: (_proxies(1)(f), _channel(CHLTYPE="CLUSRCVR")(f)),
    "queue_for_each": lambda f: f.qmgr.update(DEFCLXQ="CHANNEL"),
    "large_in_database": _shared(OFFLOAD="DB2"),
    "offload_rules": _shared(OFFLD1SZ="16K"),
    "expansion": _shared(DSEXPAND="NO"),
    "no_backup": lambda f: f.backups.clear(),
    "many_structures": lambda f: f.structures.extend([{"CFSTRUCT": "S", "OFFLOAD": "SMDS"}] * 11),
    "buffer_waits": lambda f: f.data_sets[0].update(WAITRATE=4),
    "block_size": _shared(DSBLOCK="8K"),
}


def test_nothing_is_said_where_nothing_is_wrong():
    assert advise(QUIET) == []
    assert len(advise(QUIET, everything=True)) == len(rules())


def test_every_sign_is_used_and_tested():
    assert {rule.seen for rule in rules() if rule.seen} == set(ALL_SIGNS) == set(SHOWS)


def test_the_advice_of_every_report_is_there_once():
    ids = [each for rule in rules() for each in rule.ids.split()]
    reports = Counter(each.partition("-")[0] for each in ids)

    assert reports == {"000": 29, "001": 28, "002": 26, "003": 44, "004": 12}
    assert [each for each, count in Counter(ids).items() if count > 1] == ["001-16"]  # triggers, and DISCINT


@pytest.mark.parametrize("seen", SHOWS)
def test_a_rule_speaks_when_its_facts_are_there(seen):
    facts = copy.deepcopy(QUIET)
    SHOWS[seen](facts)
    (rule,) = (each for each in rules() if each.seen == seen)

    found = {each.ids: each for each in advise(facts) if each.setting == rule.setting}

    assert found[rule.ids].now
    assert found[rule.ids].change
    assert "penstock lab run" in found[rule.ids].why or not rule.tests


def test_every_rule_names_tests_of_the_catalogue():
    assert {name for rule in rules() for name in rule.tests} <= catalogue().keys()
    assert sum(not rule.tests for rule in rules()) <= 4


def test_figures_of_this_machine_are_quoted(tmp_path):
    facts = copy.deepcopy(QUIET)
    facts.queues[0]["DEFPSIST"] = "YES"
    rows = figures_of(
        made_run(tmp_path / "run", {"local_pm3": {"xs": [1, 4], "rate": lambda x: 1000.0 * x}}, rounds=2)
    )

    facts.rules = 20_000

    first, second = advise(facts, rows)

    assert first.why.startswith("measured here: local_pm3 ")
    assert second.setting == "number of rules"  # not measured, so it comes later


def test_advice_is_shown_by_two_tests_that_were_measured(tmp_path):
    def run(*names):
        rates = {name: {"xs": [1, 4], "rate": lambda x: 1000.0 * x} for name in names}
        return figures_of(made_run(tmp_path / "-".join(names), rates, rounds=2))

    assert measured(run("route_to_label_1")) == []
    (line,) = measured(run("route_to_label_1", "route_to_label_100"))
    assert line[0] == "RouteToLabel destination list"
    assert line[2].count("/s") == 2


def test_a_queue_manager_is_asked_and_not_changed(tmp_path):
    with penstock.embed("QM1", create=True, home=tmp_path) as qm:
        qm.mqsc(
            "DEFINE QLOCAL(ORDERS) DEFPSIST(YES)\nDEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) SHARECNV(1)"
        )
        qm.put("ORDERS", b"x")
        found = {each.ids: each for each in advise(facts_of(qm))}

    assert found["000-01 001-02"].now == "ORDERS"
    assert "ALTER QLOCAL(ORDERS) DEFPSIST(NO)" in found["000-01 001-02"].change
    assert found["002-26 003-01"].now == "APP.SVRCONN"
    assert "000-02 000-05 001-01" in found
