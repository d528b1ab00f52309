"""`penstock cluster up` and `down`: members of a cluster on this machine, in a folder of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host.folders.folder import list_folders
from penstock.host.starting import create

pytestmark = pytest.mark.installed
PROGRAM = str(Path(sys.executable).parent / "penstock")


def command(*words: str, code: int = 0) -> str:
    done = subprocess.run(
        [PROGRAM, "cluster", *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if "--json" in words else done.stdout + done.stderr


def test_members_run_keep_their_messages_and_are_removed(penstock_home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "members"
    place = ("--folder", str(folder), "--name", "LAB")
    try:
        facts: dict[str, Any] = json.loads(command("up", "2", *place, "--json"))
        assert [each["name"] for each in facts["members"]] == ["LAB1", "LAB2"]
        assert not (penstock_home / "LAB1").exists()
        with penstock.connect("LAB2", home=folder) as qm:
            (shown,) = [each.attributes for each in qm.mqsc("DISPLAY CHANNEL(LAB.LAB1) CHLTYPE CONNAME")]
            assert (shown["CHLTYPE"], shown["CONNAME"]) == (
                "CLUSSDR",
                f"127.0.0.1({facts['members'][0]['port']})",
            )
        with (folder / "uniform.mqsc").open("a") as script:
            script.write("DEFINE QLOCAL(WORK) DEFPSIST(YES) REPLACE\n")
        assert "LAB2 has stopped" in command("down", *place)
        again = json.loads(command("up", "2", *place, "--json"))
        assert again["members"] == facts["members"]
        with penstock.connect("LAB1", home=folder) as qm:
            qm.put("WORK", b"on every member")
    finally:
        command("down", *place, "--remove")
    assert not folder.exists()


def test_two_commands_at_once_make_one_cluster(penstock_home: Path) -> None:
    words = [PROGRAM, "cluster", "up", "2", "--json"]
    both = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        first, second = (json.loads(each.communicate(timeout=120)[0]) for each in both)
        assert first == second
        ports = {f"{each['name']}Conname=127.0.0.1({each['port']})" for each in first["members"]}
        written = (penstock_home / "clusters" / "UNI" / "uniform.ini").read_text()
        assert {each.replace("UNI", "Repository") for each in ports} <= set(written.split())
    finally:
        command("down", "--remove")


def test_what_is_not_a_member_is_left_alone(penstock_home: Path) -> None:
    """A folder may hold other queue managers, but the files of one cluster only."""
    create("UNI1", penstock_home, variables={"CONNAME": "127.0.0.1(14151)"})
    try:
        command("up", "1", "--name", "NEWS", "--folder", str(penstock_home))
        found = command("up", "1", "--name", "OTHER", "--folder", str(penstock_home), code=2)
        assert "another cluster than OTHER" in " ".join(found.replace("│", " ").split())
    finally:
        command("down", "--name", "NEWS", "--folder", str(penstock_home), "--remove")
    assert [each.name for each in list_folders(penstock_home)] == ["UNI1"]


def test_what_cannot_be_is_refused(penstock_home: Path, tmp_path: Path) -> None:
    assert "ends with a letter" in " ".join(command("up", "1", "--name", "LAB1", code=2).split())
    assert "N" in command("up", "0", code=2)
    assert "has no" in command("down", "--folder", str(tmp_path), code=2)
