"""Races between members: every message is got once, whoever gets, backs out or dies."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

from tests.shared_groups import Members, members

MESSAGES = 120
GETTERS = 3  # at each member
ROUNDS = 30


def test_getters_of_three_members_get_every_message_once(facility: str, tmp_path: Path) -> None:
    """Some of them back out; nothing is lost, nothing comes twice, and the server sees no deadlock."""
    with members(facility, tmp_path, "QM1", "QM2", "QM3") as group:
        group.share("ORDERS")
        group.share("REPLIES")
        got: Counter[bytes] = Counter()
        lock = threading.Lock()
        everything = threading.Event()

        def work(qm: Any, number: int) -> None:
            tries = 0
            while not everything.is_set():
                with qm.unit_of_work() as unit:
                    message = qm.get("ORDERS", wait=0.5)
                    if message is None:
                        continue
                    tries += 1
                    qm.put("REPLIES", message.body, persistent=True, priority=number % 10)
                    if tries % 4 == 0:
                        unit.backout()
                        continue
                with lock:
                    got[message.body] += 1
                    if len(got) == MESSAGES:
                        everything.set()

        threads = [
            threading.Thread(target=work, args=(qm, number))
            for qm in group.here.values()
            for number in range(GETTERS)
        ]
        for thread in threads:
            thread.start()
        for i in range(MESSAGES):
            group.here[f"QM{i % 3 + 1}"].put("ORDERS", b"%d" % i, persistent=True, priority=i % 3)
        for thread in threads:
            thread.join(120)
        assert got == Counter({b"%d" % i: 1 for i in range(MESSAGES)})
        assert group.rows("select count(*) from p") == [(MESSAGES,)]
        assert group.rows("select count(*) from claim") == [(0,)]
        replies = Counter()
        while (message := group.here["QM1"].get("REPLIES")) is not None:
            replies[message.body] += 1
        assert replies == got
        deadlocks = group.rows("select deadlocks from pg_stat_database where datname = current_database()")
        assert deadlocks == [(0,)]


def test_two_members_and_one_message_at_a_time(pair: Members) -> None:
    """Both ask for the same message at the same moment: one has it, the other is told there is none."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    barrier = threading.Barrier(3)
    got: list[bytes] = []

    def ask(qm: Any) -> None:
        for _ in range(ROUNDS):
            barrier.wait(60)
            message = qm.get("ORDERS")
            if message is not None:
                got.append(message.body)
            barrier.wait(60)

    threads = [threading.Thread(target=ask, args=(qm,)) for qm in (one, two)]
    for thread in threads:
        thread.start()
    for i in range(ROUNDS):
        one.put("ORDERS", b"%d" % i, persistent=True)
        barrier.wait(60)
        barrier.wait(60)
    for thread in threads:
        thread.join(60)
    assert got == [b"%d" % i for i in range(ROUNDS)]
