"""Clause 4: every command works over the local socket, over an address, and embedded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.client.conftest import Running, make

pytestmark = pytest.mark.installed


def penstock(*words: str, code: int = 0) -> str:
    """Run a command and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "penstock.cli.main", *words], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.mark.parametrize("way", ["embedded", "local", "tcp"])
def test_commands(way: str, request: pytest.FixtureRequest, penstock_home: Path) -> None:
    if way == "embedded":
        make(penstock_home)
        where = "QM1"
    else:
        running: Running = request.getfixturevalue("server")
        where = "QM1" if way == "local" else running.address
    assert "Put 1 message" in penstock("put", "Q", "hello", "--persistent", "-m", where)
    assert penstock("browse", "Q", "-m", where) == "hello\n"
    assert penstock("get", "Q", "-m", where) == "hello\n"
    assert penstock("unit", "list", "-m", where, "--json").strip() == "[]"
    assert penstock("flow", "reservations", "list", "-m", where, "--json").strip() == "[]"
    replies: list[dict[str, Any]] = json.loads(penstock("mqsc", where, "-c", "DISPLAY QLOCAL(Q)", "--json"))
    assert replies[0]["attributes"]["QUEUE"] == "Q"
    assert penstock("dlq", "list", "-q", "Q2", "-m", where, "--json").strip() == "[]"
    if way != "tcp":
        assert json.loads(penstock("qmgr", "status", "QM1", "--json"))["name"] == "QM1"
