"""The ways a server stops: what becomes of units, of gets that wait, and of whoever wants to come in."""

from __future__ import annotations

import signal
import threading
import time

import pytest

import penstock
from tests.unit.wire.conftest import Served

pytestmark = pytest.mark.installed


def told(own: Served, how: str) -> None:
    """Tell a server to stop."""
    assert own.process is not None
    if how.startswith("SIG"):
        own.process.send_signal(getattr(signal, how))
        return
    with own.local() as admin:
        admin.stop(how)


def reason_of(call: object) -> int:
    """Return the reason that a call fails with; 0 when it does not."""
    try:
        call()  # type: ignore[operator]
    except penstock.MQError as failure:
        return failure.reason
    return 0


def left(own: Served) -> list[bytes]:
    with penstock.embed(own.name, home=own.home) as qm:
        return [message.body for message in qm.browse("APP.Q")]


@pytest.mark.parametrize("how", ["quiesce", "SIGTERM", "SIGINT"])
def test_a_quiesce_lets_units_end_and_nothing_new_begin(own: Served, how: str) -> None:
    waited: list[int] = []
    waiter = own.connect(share=False)
    getter = threading.Thread(
        target=lambda: waited.append(reason_of(lambda: waiter.get("APP.REPLIES", wait=30)))
    )
    getter.start()
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)

    told(own, how)
    getter.join(10)
    qm.put("APP.Q", b"goes on", persistent=True)
    qm.commit()

    assert reason_of(lambda: qm.put("APP.Q", b"new")) == 2161
    assert waited == [2161]
    assert reason_of(lambda: own.connect(share=False)) in (2161, 2538)
    assert own.process is not None
    assert own.process.wait(20) == 0
    assert left(own) == [b"begun", b"goes on"]


@pytest.mark.parametrize("how", ["immediate", "preemptive"])
def test_the_harder_ways_back_units_out(own: Served, how: str) -> None:
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)

    told(own, how)
    assert own.process is not None
    assert own.process.wait(20) == 0

    assert reason_of(qm.commit) in (2009, 2162)
    assert left(own) == []


def test_a_second_signal_does_not_wait_for_units(own: Served) -> None:
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)

    told(own, "SIGTERM")
    end = time.monotonic() + 20.0
    while reason_of(lambda: own.connect(share=False)) not in (2161, 2538) and time.monotonic() < end:
        time.sleep(0.01)
    told(own, "SIGTERM")

    assert own.process is not None
    assert own.process.wait(30) == 0
    assert left(own) == []
