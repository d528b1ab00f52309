"""A whole home is copied while it runs and restored elsewhere: TLS clients get in, deployed flows run."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
import trustme

import penstock
from tests.flow_station import Station
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.installed
RULES = """
DEFINE CHANNEL(TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)
SET CHLAUTH(TLS) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(PUT,GET)
"""
FILES = ("users.auth", "dsn.json")


@pytest.fixture
def station(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Station]:
    """A home with everything in it, running: keys, a user, a data source, a broker with a deployed flow."""
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    made = Station(tmp_path)
    authority = trustme.CA()
    keys = made.home / "QM1" / "ssl"
    keys.mkdir()
    own = authority.issue_cert("127.0.0.1")
    own.private_key_and_cert_chain_pem.write_to_path(str(keys / "ibmwebspheremqqm1.pem"))
    authority.cert_pem.write_to_path(str(keys / "trusted.pem"))
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    client = authority.issue_cert("ann@example.org", common_name="ann")
    client.private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "client.pem"))
    (tmp_path / "password").write_text("open sesame\n")
    made.run("user", "add", "ann", "--password-file", str(tmp_path / "password"))
    made.run("dsn", "add", "ORDERS", "postgresql://clerk:secret@db.example.com/orders")
    made.start()
    made.run("deploy", str(made.project))
    yield made
    made.env["PENSTOCK_HOME"] = str(made.home)
    made.stop()


def copied(station: Station, target: Path) -> dict[str, object]:
    facts: dict[str, object] = json.loads(station.run("home", "backup", str(target), "--json"))
    return facts


def test_a_restored_home_serves_tls_clients_and_runs_what_was_deployed(
    station: Station, tmp_path: Path
) -> None:
    with station.connect() as qm:
        assert not any(reply.failed for reply in qm.mqsc(RULES))
        qm.put("IN", b"before the backup", persistent=True)
    saved = tmp_path / "saved"
    facts = copied(station, saved)
    assert facts["parts"] == {"queue_managers": ["QM1"], "brokers": ["default"], "files": sorted(FILES)}
    assert {path.stat().st_mode & 0o077 for path in (saved, *saved.rglob("*"))} == {0}
    first = json.loads(station.run("qmgr", "status", "QM1", "--json"))["incarnation"]
    station.stop(kill=True)
    shutil.rmtree(station.home)
    shutil.rmtree(station.project)

    station.env["PENSTOCK_HOME"] = str(tmp_path / "elsewhere")
    assert "queue manager QM1" in station.run("home", "restore", str(saved))
    station.run("qmgr", "start", "QM1", "--background", "--port", "0")
    try:
        status = json.loads(station.run("qmgr", "status", "QM1", "--json"))
        assert status["incarnation"] not in ("", first)
        station.run("broker", "start", "--background", "-m", "QM1")
        port = status["listeners"][0]["PORT"]
        keys = f"ca={tmp_path / 'ca.pem'}&certificate={tmp_path / 'client.pem'}"
        address = f"mqs://127.0.0.1:{port}/QM1?channel=TLS&{keys}"
        with penstock.connect(address, user="ann", password="open sesame") as qm:
            assert until(lambda: qm.get("OUT")).body == b"before the backup"
            qm.put("IN", b"after the restore", persistent=True)
            assert until(lambda: qm.get("OUT")).body == b"after the restore"
        assert "db.example.com" in station.run("dsn", "show", "ORDERS")
        station.run("broker", "stop")
    finally:
        station.run("qmgr", "stop", "QM1", "--immediate")


def test_a_home_restore_refuses_what_exists_and_what_runs(station: Station, tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    copied(station, saved)
    refused = station.run("home", "restore", str(saved), fails=True)
    assert "8019" in refused
    assert "8001" in station.run("home", "restore", str(saved), "--replace", fails=True)
    station.run("user", "remove", "ann")
    station.stop()
    assert station.run("user", "list", "--json").strip() == "[]"

    station.run("home", "restore", str(saved), "--replace")

    assert "ann" in station.run("user", "list")
    assert not [path for path in station.home.rglob("*") if "~" in path.name]
    (saved / "users.auth").write_bytes(b"")
    assert "8018" in station.run("home", "restore", str(saved), "--replace", fails=True)
    assert "ann" in station.run("user", "list")


def test_a_part_of_a_home_that_cannot_be_copied_is_no_backup(station: Station, tmp_path: Path) -> None:
    station.stop()
    with penstock.embed("QM1", home=station.home):
        refused = station.run("home", "backup", str(tmp_path / "saved"), fails=True)
    assert f"process {os.getpid()} " in refused
    assert not list(tmp_path.glob("saved*"))
    assert "8014" in station.run("home", "backup", str(station.home / "inside"), fails=True)


def test_a_queue_manager_of_a_home_backup_can_be_restored_alone(station: Station, tmp_path: Path) -> None:
    copied(station, tmp_path / "saved")
    station.env["PENSTOCK_HOME"] = str(tmp_path / "elsewhere")
    station.run("qmgr", "restore", str(tmp_path / "saved" / "QM1"))
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["QM1"]
