"""Members that are stopped, slow or cut off."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

from tests.patience import until
from tests.shared_groups import members


def test_a_stopped_member_is_fenced_off_and_comes_back_as_a_new_incarnation(
    facility: str, tmp_path: Path
) -> None:
    """Without the timeout its claims would be held for as long as it is stopped."""
    with members(facility, tmp_path, "QM1", member_timeout=2.0) as group:
        group.share("ORDERS")
        one = group.here["QM1"]
        one.put("ORDERS", b"work", persistent=True)
        worker = group.run("QM3", "shared_member.py")
        assert worker.stdout is not None
        assert worker.stdin is not None
        assert worker.stdout.readline() == "ready\n"
        worker.stdin.write("hold 1\n")
        worker.stdin.flush()
        assert worker.stdout.readline().startswith("done")
        assert one.get("ORDERS") is None
        os.kill(worker.pid, signal.SIGSTOP)
        try:
            assert one.get("ORDERS", wait=60).body == b"work"
        finally:
            os.kill(worker.pid, signal.SIGCONT)
        until(
            lambda: group.rows("select state, incarnation from member where name = 'QM3'") == [("active", 2)]
        )


def test_a_waiting_get_is_woken_without_the_look_of_every_second(facility: str, tmp_path: Path) -> None:
    """The wake-up alone must do: the look once a second is only a net."""
    with members(facility, tmp_path, "QM1", "QM2") as group:
        group.share("ORDERS")
        one, two = group.here["QM1"], group.here["QM2"]
        two.host.sharing.facility.counted = lambda figures: None
        for number in range(10):
            got: list[Any] = []
            getter = threading.Thread(target=lambda got=got: got.append(two.get("ORDERS", wait=60)))
            getter.start()
            if number % 2:
                until(lambda: two.host.engine.queues["ORDERS"].waiting is not None)
            one.put("ORDERS", b"%d" % number, persistent=True)
            getter.join(60)
            assert got[0].body == b"%d" % number
