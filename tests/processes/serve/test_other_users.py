"""Other users of the machine: by a socket for their group, as the kernel names them, as records allow."""

from __future__ import annotations

import grp
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import penstock
from penstock.cli.main import application
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.installed,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can run programs as other users"),
]
MEMBER = pwd.getpwnam("nobody")
GROUP = grp.getgrgid(MEMBER.pw_gid)
STRANGER, STRANGERS = 54321, 54321
RULES = f"""
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{MEMBER.pw_name}') AUTHADD(CONNECT)
SET AUTHREC PROFILE(APP.Q) OBJTYPE(QUEUE) PRINCIPAL('{MEMBER.pw_name}') AUTHADD(PUT)
"""
PROGRAM = """
import asyncio, os, sys
import penstock, penstock.aio
from penstock.client.aio import connect as aio_connect
from penstock.client import connect
from penstock.client import queue_manager
user, group, way = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
os.setgroups([]), os.setgid(group), os.setuid(user)

def work():
    with penstock.connect("QM1") as qm:
        qm.put("APP.Q", b"by another user")
        qm.put("SECRET", b"")

async def work_in_a_loop():
    async with await penstock.aio.connect("QM1") as qm:
        await qm.put("APP.Q", b"by another user")
        await qm.put("SECRET", b"")

try:
    work() if way == "blocking" else asyncio.run(work_in_a_loop())
except penstock.MQError as failure:
    print(failure.reason, failure.detail)
"""


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A folder that everybody can see, as /run/penstock is."""
    folder = Path(tempfile.mkdtemp(prefix="penstock-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def shared(tmp_path: Path, sockets: Path) -> Iterator[Served]:
    served = Served(tmp_path, script=SCRIPT + RULES)
    with (served.folder / "qm.ini").open("a") as ini:
        ini.write(f"LocalSocket:\n   Group={GROUP.gr_name}\n   Folder={sockets}\n")
    served.start()
    yield served
    served.stop()


def run_as(user: int, group: int, sockets: Path, home: Path, way: str = "blocking") -> str:
    """Run a program of another user; return what it prints. It imports while it is root still."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(user), str(group), way],
        env={**os.environ, "PENSTOCK_SOCKETS": str(sockets), "PENSTOCK_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("way", ["blocking", "asyncio"])
def test_a_member_of_the_group_does_what_records_allow(shared: Served, sockets: Path, way: str) -> None:
    said = run_as(MEMBER.pw_uid, MEMBER.pw_gid, sockets, shared.home, way)

    assert said.startswith("2035 ")
    assert "SECRET" in said
    with shared.local() as qm:
        message = qm.get("APP.Q")
    assert message is not None
    assert (message.body, message.user_id.strip()) == (b"by another user", MEMBER.pw_name)


def test_who_is_not_in_the_group_does_not_get_to_the_socket(shared: Served, sockets: Path) -> None:
    said = run_as(STRANGER, STRANGERS, sockets, shared.home)

    assert said.startswith("2035 ")
    assert f"group {GROUP.gr_name}" in said


def test_the_folder_stays_the_owners_and_the_socket_the_groups(shared: Served, sockets: Path) -> None:
    assert shared.folder.stat().st_mode & 0o777 == 0o700
    assert (shared.folder / "log").stat().st_mode & 0o077 == 0
    found = (sockets / "QM1").stat()
    assert (found.st_mode & 0o777, found.st_gid) == (0o750, GROUP.gr_gid)
    shared.stop()
    assert not (sockets / "QM1").exists()


def test_without_the_setting_other_users_find_nothing(tmp_path: Path, sockets: Path) -> None:
    served = Served(tmp_path, script=SCRIPT + RULES)
    served.start()
    try:
        said = run_as(MEMBER.pw_uid, MEMBER.pw_gid, sockets, served.home)
    finally:
        served.stop()
    assert said.startswith(("8006 ", "2058 "))


@pytest.mark.parametrize(
    ("group", "mode", "why"),
    [(GROUP.gr_name, 0o777, "only its owner"), ("no-such-group", 0o755, "no such group")],
)
def test_a_socket_that_would_not_be_safe_is_not_made(
    tmp_path: Path, sockets: Path, group: str, mode: int, why: str
) -> None:
    sockets.chmod(mode)
    served = Served(tmp_path)
    with (served.folder / "qm.ini").open("a") as ini:
        ini.write(f"LocalSocket:\n   Group={group}\n   Folder={sockets}\n")
    done = served.command("qmgr", "start", "QM1", "--port", "0")
    assert done.returncode == 1
    assert "8012" in done.stderr
    assert why in done.stderr
    with penstock.embed("QM1", home=tmp_path) as qm:
        assert qm.get("APP.Q") is None


def test_a_list_shows_what_other_users_let_us_into(
    shared: Served, sockets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "another"))
    monkeypatch.setenv("PENSTOCK_SOCKETS", str(sockets))

    def listed() -> list[dict[str, object]]:
        done = CliRunner().invoke(application(), ["qmgr", "list", "--json"])
        assert done.exit_code == 0, done.output
        found: list[dict[str, object]] = json.loads(done.stdout)
        return found

    row = {"name": "QM1", "folder": str(sockets / "QM1"), "holder": None, "owner": "root"}
    assert listed() == [{**row, "status": "Running"}]
    for name in ([], ["QM1"]):  # the only one there is, or by its name
        done = CliRunner().invoke(application(), ["qmgr", "status", *name, "--json"])
        assert (done.exit_code, json.loads(done.stdout)["status"]) == (0, "Running"), done.output
    shared.stop()
    assert [each for each in listed() if each["status"] == "Running"] == []
