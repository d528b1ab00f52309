"""`penstock qsg`: a group is made, joined, shown, left and dropped; what is risky is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

import penstock
from penstock.cli.main import application
from penstock.host.folders.folder import folder_of
from penstock.host.folders.ini import read_settings
from penstock.host.queue_sharing.group_membership_file import remember
from penstock.model.errors import MQError
from penstock.share import group_administration, server_checks
from penstock.tools.group_checks import examine_groups


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, facility: str) -> Any:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    yield tmp_path
    with psycopg.connect(facility, autocommit=True) as connection:
        connection.execute("drop schema if exists penstock_qsgx cascade")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    found = CliRunner().invoke(application([words[0]]), list(words))
    return found.exit_code, found.output


def test_a_group_from_its_creation_to_its_end(
    home: Path, facility: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = run(capsys, "qsg", "create", "QSGX", "--facility", facility, "--json")
    assert code == 0
    assert "standby" in [risk["subject"] for risk in json.loads(text)["risks"]]
    findings = {(each.state, each.text) for each in examine_groups()}
    assert any(state == "note" and "no synchronous standby" in text for state, text in findings)
    assert run(capsys, "qmgr", "create", "QM1")[0] == 0
    assert run(capsys, "qsg", "join", "QSGX", "QM1")[0] == 0
    group = read_settings(folder_of("QM1", home).ini).group
    assert group is not None
    assert (group.name, group.facility) == ("QSGX", facility)
    with penstock.embed("QM1") as qm:
        qm.mqsc("DEFINE CFSTRUCT(APPL1) RECOVER(YES)", check=True)
        qm.mqsc("DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APPL1)", check=True)
        qm.put("ORDERS", b"x" * 1000, persistent=True)
        code, text = run(capsys, "qsg", "status", "QSGX", "--json")
        found = json.loads(text)
        assert [(m["name"], m["state"]) for m in found["members"]] == [("QM1", "active")]
        assert [(s["name"], s["messages"]) for s in found["structures"]] == [("APPL1", 1)]
        assert run(capsys, "qsg", "leave", "QSGX", "QM1")[0] != 0  # it runs
        assert run(capsys, "qsg", "drop", "QSGX", "--yes")[0] != 0
    assert "APPL1" in run(capsys, "qsg", "status", "QSGX")[1]
    assert run(capsys, "qsg", "leave", "QSGX", "QM1")[0] == 0
    assert read_settings(folder_of("QM1", home).ini).group is None
    assert run(capsys, "qsg", "drop", "QSGX", "--yes")[0] == 0
    assert run(capsys, "qsg", "status", "QSGX", "--facility", facility)[0] != 0


def test_doctor_reports_a_group_whose_server_is_away(home: Path) -> None:
    assert examine_groups() == []
    remember("QSGX", "postgresql://mq@127.0.0.1:1/db")
    (finding,) = examine_groups()
    assert (finding.subject, finding.state) == ("group QSGX", "problem")
    assert finding.advice


def test_names_and_addresses_that_cannot_be_are_refused(home: Path, facility: str) -> None:
    for name in ("TOOLONG", "1A", "a"):
        with pytest.raises(MQError, match="the name of a group"):
            group_administration.checked(name, facility)
    with pytest.raises(MQError, match="has a password"):
        group_administration.checked("QSGX", "postgresql://mq:secret@host/db")
    with pytest.raises(MQError, match="2345"):
        group_administration.create(group_administration.checked("QSGX", "postgresql://mq@127.0.0.1:1/db"))


class ServerDouble:
    """A server whose settings and sessions a test chooses."""

    def __init__(self, version: int = 180_000, pids: tuple[int, ...] = (7,), **settings: str) -> None:
        self.info = type("info", (), {"server_version": version})
        self._pids = iter(pids * 9)
        self._settings = {"synchronous_standby_names": "s1", "max_connections": "100", **settings}
        self.horizon: Any = None

    def execute(self, statement: str) -> Any:
        rows: list[Any] = [(1,)]
        if "pg_backend_pid()" in statement and statement.startswith("select pg_backend"):
            rows = [(next(self._pids),)]
        elif "pg_settings" in statement:
            rows = list(self._settings.items())
        elif "pg_stat_activity" in statement:
            rows = [self.horizon]
        elif "pg_replication_slots" in statement:
            rows = [None]
        return type("cursor", (), {"fetchone": lambda _s: rows[0], "fetchall": lambda _s: rows})()


@pytest.mark.parametrize(
    ("server", "subject", "fatal"),
    [
        (ServerDouble(version=150_004), "version", True),
        (ServerDouble(pids=(1, 2, 3)), "pooler", True),
        (ServerDouble(fsync="off"), "fsync", False),
        (ServerDouble(full_page_writes="off"), "full_page_writes", False),
        (ServerDouble(synchronous_standby_names=""), "standby", False),
        (ServerDouble(max_connections="10"), "connections", False),
    ],
)
def test_each_risk_of_a_server_is_named(server: ServerDouble, subject: str, fatal: bool) -> None:
    assert [(risk.subject, risk.fatal) for risk in server_checks.examine(server)] == [(subject, fatal)]


def test_a_pinned_horizon_is_named_with_who_pins_it() -> None:
    server = ServerDouble()
    assert server_checks.examine(server) == []
    server.horizon = (4711, "pg_dump", 3600)
    (risk,) = server_checks.examine(server)
    assert risk.subject == "horizon"
    assert "pg_dump (pid 4711)" in risk.text
