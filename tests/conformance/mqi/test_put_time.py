"""Put date and time (section 1): set by the queue manager, returned in the receipt."""

from __future__ import annotations

import time


def test_put_time_is_now(qm, queue):
    before = time.time()
    receipt = qm.put(queue, b"a")
    assert before - 1 <= receipt.put_time <= time.time()
    assert qm.get(queue).put_time == receipt.put_time


def test_put_times_do_not_go_back(qm, queue):
    receipts = [qm.put(queue, b"a") for _ in range(50)]
    times = [receipt.put_time for receipt in receipts]
    assert times == sorted(times)


def test_put_time_survives_a_restart(qm, embed, queue):
    receipt = qm.put(queue, b"a", persistent=True)
    qm.close()
    assert embed().get(queue).put_time == receipt.put_time
