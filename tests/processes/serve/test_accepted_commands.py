"""Commands that the loop carries out later: the next one finds what was accepted, at every moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import penstock
from tests.patience import until
from tests.ports import free_port
from tests.processes.serve.test_calm_loop import served_while

pytestmark = pytest.mark.installed


@pytest.mark.parametrize("kind", ["LISTENER", "SERVICE"])
def test_a_stop_finds_a_start_that_is_being_carried_out(tmp_path: Path, kind: str) -> None:
    """The accident without that: STOP is refused because nothing runs yet, and what was started goes on."""
    details = {
        "LISTENER": f"TRPTYPE(TCP) PORT({free_port()})",
        "SERVICE": "SERVTYPE(SERVER) STARTCMD('/bin/sleep') STARTARG('600')"
        " STOPCMD('/bin/kill') STOPARG('+MQ_SERVER_PID+')",
    }

    def drive(server: Any, address: str) -> None:
        machinery = server.listeners if kind == "LISTENER" else server.services
        start, found = machinery._start, []

        def watched(name: str, *more: Any) -> Any:
            found.append(machinery.accepted._verbs[name][:1])
            return start(name, *more)

        machinery._start = watched
        with penstock.connect("QM1", home=tmp_path) as admin:
            script = f"DEFINE {kind}(LATE) {details[kind]}\nSTART {kind}(LATE)\nSTOP {kind}(LATE)"
            assert not [reply.text for reply in admin.mqsc(script) if reply.failed]
            until(lambda: found and "LATE" not in machinery.running)
        assert found == [["START"]]

    served_while(tmp_path, drive)
