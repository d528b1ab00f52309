"""The process of a bridge is killed at each step of a request.

Commit mode 0: whenever that happens, the request ends in exactly one reply. Commit mode 1: only between the
reply and the commit the reply is sent twice; the request is never lost.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

import penstock
from tests.command_forks import run_command

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.crash
SOAK = pytest.mark.soak


@pytest.mark.parametrize(
    ("mode", "step", "replies", "runs"),
    [
        pytest.param(0, "got", 1, 1, marks=SOAK),
        pytest.param(0, "ran", 1, 2, marks=SOAK),
        (0, "committed", 1, 1),
        pytest.param(0, "sent", 1, 1, marks=SOAK),
        pytest.param(0, "moved", 1, 1, marks=SOAK),
        pytest.param(1, "ran", 1, 2, marks=SOAK),
        (1, "sent", 2, 2),
        pytest.param(1, "committed", 1, 1, marks=SOAK),
    ],
)
def test_a_request_survives_the_death_of_its_bridge(
    tmp_path: Path, mode: int, step: str, replies: int, runs: int
) -> None:
    home, log = tmp_path / "home", tmp_path / "log"
    with penstock.embed("QM1", create=True, home=home) as qm:
        qm.mqsc("DEFINE QLOCAL(IN) BOTHRESH(5)\nDEFINE QLOCAL(REPLY)")
        qm.put("IN", b"request", persistent=True, reply_to="REPLY")
    assert run(home, log, mode, step) == -signal.SIGKILL
    assert run(home, log, mode, "never") == 0
    with penstock.embed("QM1", home=home) as qm:
        assert [each.body for each in qm.get_many("REPLY", 10)] == [b"REQUEST"] * replies
        assert qm.get("IN") is None
    assert len(log.read_text().splitlines()) == runs


def run(home: Path, log: Path, mode: int, step: str) -> int:
    words = (str(home), str(log), str(mode), step)
    return run_command(*words, module="tests.crash.bridge_child").returncode
