"""`penstock cluster up` and `down`: members of a cluster on this machine, in a folder of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import penstock

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


def test_what_cannot_be_is_refused(penstock_home: Path, tmp_path: Path) -> None:
    assert "ends with a letter" in " ".join(command("up", "1", "--name", "LAB1", code=2).split())
    assert "N" in command("up", "0", code=2)
    assert "has no" in command("down", "--folder", str(tmp_path), code=2)
