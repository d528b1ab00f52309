"""Every rule speaks when its facts are there and is silent when not; a real queue manager can be asked."""

from __future__ import annotations

import copy

import pytest

import penstock
from penstock.lab.advisor.advise import advise, facts_of
from penstock.lab.advisor.rules import RULES, Facts
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
    {"log": LOG, "spilled_messages": 0, "channels": {"channels_max": 100, "conversations": 3}},
    [{"QUEUE": "APP", "DEFPSIST": "NO", "CURDEPTH": 1, "MAXDEPTH": 5000}],
    [{"CHANNEL": "APP.SVRCONN", "CHLTYPE": "SVRCONN", "SHARECNV": 10, "DISCINT": 0}],
    {},
    {"Log": {"LogBufferPages": "512"}},
    False,
    2,
)  # fmt: skip
SPEAKS = {
    "disk of the log": lambda f: f.status["log"].update(sync_seconds_mean=0.02),
    "place of the log": lambda f: setattr(f, "same_device", True),
    "LogBufferPages": lambda f: f.ini["Log"].update(LogBufferPages="64"),
    "batch size": lambda f: f.status["log"].update(batch_records_mean=1.0),
    "LogPrimaryFiles": lambda f: f.status["log"].update(used_bytes=80),
    "DEFPSIST": lambda f: f.queues[0].update(DEFPSIST="YES"),
    "DefaultQBufferSize": lambda f: f.status.update(spilled_messages=10),
    "number of getters": lambda f: f.queues[0].update(CURDEPTH=4900),
    "MaxChannels": lambda f: f.status["channels"].update(conversations=95),
    "SHARECNV": lambda f: f.channels[0].update(SHARECNV=1),
    "DISCINT": lambda f: f.channels[0].update(DISCINT=10),
}


def test_nothing_is_said_where_nothing_is_wrong():
    assert advise(QUIET) == []
    assert len(advise(QUIET, everything=True)) == len(RULES)
    assert SPEAKS.keys() == {rule.setting for rule in RULES}


@pytest.mark.parametrize("setting", SPEAKS)
def test_a_rule_speaks_when_its_facts_are_there(setting):
    facts = copy.deepcopy(QUIET)
    SPEAKS[setting](facts)

    (advice,) = advise(facts)

    assert advice.setting == setting
    assert advice.now
    assert advice.change
    assert "penstock lab run" in advice.why


def test_every_rule_names_tests_of_the_catalogue():
    assert {name for rule in RULES for name in rule.tests} <= catalogue().keys()


def test_figures_of_this_machine_are_quoted(tmp_path):
    facts = copy.deepcopy(QUIET)
    facts.queues[0]["DEFPSIST"] = "YES"
    rows = figures_of(
        made_run(tmp_path / "run", {"clnp1": {"xs": [1, 4], "rate": lambda x: 1000.0 * x}}, rounds=2)
    )

    (advice,) = advise(facts, rows)

    assert advice.why.startswith("measured here: clnp1 ")


def test_a_queue_manager_is_asked_and_not_changed(tmp_path):
    with penstock.embed("QM1", create=True, home=tmp_path) as qm:
        qm.mqsc(
            "DEFINE QLOCAL(ORDERS) DEFPSIST(YES)\nDEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) SHARECNV(1)"
        )
        qm.put("ORDERS", b"x")
        found = {each.setting: each for each in advise(facts_of(qm))}

    assert found["DEFPSIST"].now == "ORDERS"
    assert "ALTER QLOCAL(ORDERS) DEFPSIST(NO)" in found["DEFPSIST"].change
    assert found["SHARECNV"].now == "APP.SVRCONN"
    assert "place of the log" in found
