"""Intra-group queuing under accidents: every message arrives once, whatever dies."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from tests.patience import until
from tests.postgresql import restartable_server
from tests.shared_groups import Members, members

pytestmark = pytest.mark.crash

MESSAGES = 200


def killed_member(group: Members) -> None:
    """Start QM2 in a process of its own."""
    worker = group.run("QM2", "shared_member.py")
    assert worker.stdout is not None
    assert worker.stdin is not None
    assert worker.stdout.readline() == "ready\n"
    worker.stdin.write("mqsc ALTER QMGR IGQ(ENABLED)\n")
    worker.stdin.flush()
    assert worker.stdout.readline().startswith("done")


def put_all(one: Any, first: int) -> None:
    """Put numbered messages for QM2 in units; a unit that fails is put again, unless it may be there."""
    for number in range(first, first + MESSAGES, 5):
        while True:
            try:
                with one.unit_of_work():
                    for each in range(number, number + 5):
                        one.put("DONE", b"%d" % each, qmgr="QM2", persistent=True)
                break
            except MQError as failure:
                assert failure.reason in (2003, 2345), failure
                time.sleep(0.05)


def arrived(group: Members) -> list[bytes]:
    """Start QM2 here, and get everything that has come."""
    two = group.start("QM2")
    until(lambda: two.host.sharing.connected)
    until(lambda: not group.rows("select from p"))
    found = []
    while (message := two.get("DONE")) is not None:
        found.append(message.body)
    return found


def test_each_message_arrives_once_though_members_and_the_server_die(tmp_path: Path, scale: int) -> None:
    chance = random.Random(20)
    with restartable_server() as server, members(server.url, tmp_path, "QM1", member_timeout=3.0) as group:
        one = group.here["QM1"]
        group.queue_inside()
        killed_member(group)
        until(lambda: "QM2" in one.host.sharing.sharing.queuing)
        accidents = 3 * scale
        for number in range(accidents):
            put_all(one, number * MESSAGES)
            time.sleep(chance.random() * 0.3)
            if number % 3 == 2:
                life = one.host.sharing.facility.incarnation
                server.stop_at_once()
                server.start()
                until(lambda life=life: one.host.sharing.facility.incarnation > life)  # type: ignore[misc]
                until(lambda: one.host.sharing.connected)
            else:
                group.kill("QM2")
                killed_member(group)
        group.kill("QM2")
        found = arrived(group)
        assert sorted(map(int, found)) == list(range(accidents * MESSAGES))
