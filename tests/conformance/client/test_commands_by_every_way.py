"""Clause 4: every command works over the local socket, over an address, and embedded."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penstock.cli.connecting import connected
from penstock.model.message import Message
from penstock.qmgr.messages.dead_letters import wrap
from penstock.tools.dead_letters import AS_IT_IS, put_as_it_is
from tests.command_forks import run_command
from tests.conformance.client.conftest import Running, make

pytestmark = pytest.mark.installed


def penstock(*words: str, code: int = 0) -> str:
    """Run a command and return what it printed."""
    done = run_command(*words)
    assert done.returncode == code, done.stderr
    return str(done.stdout)


@pytest.fixture(params=["embedded", "local", "tcp"])
def where(request: pytest.FixtureRequest, penstock_home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What names QM1, whose Q and Q2 are empty: nobody runs it, or a process that is named or addressed."""
    if request.param == "embedded":
        make(penstock_home)
        return "QM1"
    running: Running = request.getfixturevalue("shared")
    monkeypatch.setenv("PENSTOCK_HOME", str(running.home))
    penstock("mqsc", "QM1", "-c", "CLEAR QLOCAL(Q)")
    penstock("mqsc", "QM1", "-c", "CLEAR QLOCAL(Q2)")
    return "QM1" if request.param == "local" else running.address


@pytest.fixture
def mqsc(where: str) -> Callable[[str], None]:
    """`mqsc("DEFINE ...")`: every line must work."""

    def run(text: str) -> None:
        for line in text.strip().splitlines():
            penstock("mqsc", where, "-c", line.strip())

    return run


def as_json(*words: str, code: int = 0) -> Any:
    """Run a command with --json and return its answer."""
    return json.loads(penstock(*words, "--json", code=code))


def test_messages_and_mqsc(where: str) -> None:
    assert "Put 1 message" in penstock("put", "Q", "hello", "--persistent", "-m", where)
    assert penstock("browse", "Q", "-m", where) == "hello\n"
    assert penstock("get", "Q", "-m", where) == "hello\n"
    replies = as_json("mqsc", where, "-c", "DISPLAY QLOCAL(Q)")
    assert replies[0]["attributes"]["QUEUE"] == "Q"
    assert "notes" not in replies[0]
    (noted,) = as_json("mqsc", where, "-c", "ALTER QMGR ACCTCONO(ENABLED)")
    assert (noted["failed"], len(noted["notes"])) == (False, 1)
    assert "Note: ACCTCONO(ENABLED) is stored" in penstock(
        "mqsc", where, "-c", "ALTER QMGR ACCTCONO(ENABLED)"
    )
    penstock("mqsc", where, "-c", "DEFINE NAMELIST(BOTH) NAMES(Q,Q2) REPLACE")
    assert "NAMES(Q,Q2)" in penstock("mqsc", where, "-c", "DISPLAY NAMELIST(BOTH) NAMES")


def test_status_backup_and_access(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    runs = "embedded" not in request.node.callspec.params.values()
    facts = as_json("qmgr", "status", where, code=0 if runs else 1)
    assert facts["name"] == "QM1"
    assert ("log" in facts) is runs
    penstock("put", "Q", "saved", "--persistent", "-m", where)
    copy = tmp_path / "copies" / "QM1"
    assert as_json("qmgr", "backup", where, str(copy))["name"] == "QM1"
    assert any(path.is_file() for path in copy.rglob("*"))
    found = as_json(
        "explain-access", "-u", "nobody", "-o", "Q", "--type", "QUEUE", "--verb", "put", "-m", where, code=1
    )
    assert (found["allowed"], found["user"]) == (False, "nobody")


def test_publications(where: str) -> None:
    assert penstock("subscribe", "news/#", "--durable", "s1", "--wait", "0", "-m", where, code=1) == ""
    assert "Published 1 message" in penstock("publish", "news/today", "rain", "--persistent", "-m", where)
    words = ("subscribe", "news/#", "--durable", "s1", "--remove", "--wait", "60", "--count", "1")
    assert penstock(*words, "-m", where) == "news/today: rain\n"


def test_dead_letters(where: str, mqsc: Callable[[str], None], tmp_path: Path) -> None:
    mqsc("DEFINE QLOCAL(DLQ) REPLACE\nALTER QMGR DEADQ(DLQ)")
    with connected(where) as qm, qm.open("DLQ", AS_IT_IS) as target:
        for number in range(3):
            message = Message(b"letter %d" % number, b"%024d" % number, persistent=True)
            put_as_it_is(target, wrap("QM1", message, 2053, "Q", "QM1", time.time()))
    letters = as_json("dlq", "list", "-m", where)
    assert [(each["destination"], each["reason"]) for each in letters] == [("Q", 2053)] * 3
    shown = penstock("dlq", "show", "--msg-id", letters[0]["msg_id"], "-m", where)
    assert "letter 0" in shown
    penstock("dlq", "move", "Q2", "--msg-id", letters[0]["msg_id"], "--yes", "-m", where)
    assert as_json("browse", "Q2", "-m", where)["msg_id"] == letters[0]["msg_id"]
    penstock("dlq", "retry", "--msg-id", letters[1]["msg_id"], "--yes", "-m", where)
    assert penstock("browse", "Q", "-m", where) == "letter 1\n"
    file = tmp_path / "letters"
    penstock("dlq", "export", str(file), "--remove", "--yes", "-m", where)
    assert [json.loads(line)["msg_id"] for line in file.read_text().splitlines()] == [letters[2]["msg_id"]]
    assert as_json("dlq", "list", "-m", where) == []


def test_trigger_monitor(where: str, mqsc: Callable[[str], None], tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\nprintf "%s" "$1" >> "$(dirname "$0")/got"\n')
    program.chmod(0o700)
    mqsc(
        f"""DEFINE PROCESS(P) REPLACE APPLICID('{program}')
        DEFINE QLOCAL(W) TRIGGER TRIGTYPE(FIRST) PROCESS(P) INITQ(SYSTEM.DEFAULT.INITIATION.QUEUE)"""
    )
    penstock("put", "W", "job", "--persistent", "-m", where)
    for _ in range(2):
        assert f"queue W: {program}" in penstock("trigger-monitor", "--dry-run", "-m", where)
    assert not (tmp_path / "got").exists()
    assert "ended with 0" in penstock("trigger-monitor", "--count", "1", "--wait", "60", "-m", where)
    structure = (tmp_path / "got").read_text()
    assert structure.startswith("TMC    2W ")
    assert "QM1" in structure
    mqsc("ALTER PROCESS(P) APPLICID('/no/such/program')\nALTER QLOCAL(W) TRIGTYPE(EVERY) TRIGGER")
    penstock("put", "W", "job", "--persistent", "-m", where)
    assert "cannot start" in penstock("trigger-monitor", "--once", "-m", where)
    mqsc("DELETE QLOCAL(W) PURGE")


def test_prepared_units_and_reservations(where: str) -> None:
    with connected(where) as qm:
        for xid in ("x1", "x2"):
            qm.begin()
            qm.put("Q", xid.encode(), persistent=True)
            qm.prepare(xid)
        qm.put("Q2", b"held", persistent=True)
        qm.batches.reserve("F", "Q2", after=0, epoch=qm.batches.new_epoch("F"))
    assert sorted(each["xid"] for each in as_json("unit", "list", "-m", where)) == ["x1", "x2"]
    assert as_json("unit", "commit", "x1", "-m", where)["outcome"] == "committed"
    assert as_json("unit", "backout", "x2", "-m", where)["outcome"] == "backed out"
    assert as_json("unit", "list", "-m", where) == []
    assert penstock("get", "Q", "-m", where) == "x1\n"
    assert [each["flow"] for each in as_json("flow", "reservations", "list", "-m", where)] == ["F"]
    assert as_json("flow", "reservations", "release", "F", "-m", where)["outcome"] == "released"
    assert penstock("get", "Q2", "-m", where) == "held\n"
