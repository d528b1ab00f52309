"""The power goes while publications are on their way to durable subscriptions and to the retained one.

Each record is on disk before the next is written, as when others sync in between. The store stops at write
or sync n, torn or with everything lost that was not synced. After the restart every subscription is there;
each holds every publication that was confirmed, and of the one that was not, all hold it or none does,
though some copies have properties or a header of their own. The retained publication is the last
confirmed one or the one after.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.model.rfh2 import unpack_rfh2
from penstock.store.faults import LOSE_ALL, LOSE_OLDEST, Faults

pytestmark = pytest.mark.crash

SOAK = os.environ.get("PENSTOCK_SOAK", "") not in ("", "0")
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 1}
ACCIDENTS = ({"tear_bytes": 0}, {"tear_bytes": 500}, {"lose": LOSE_ALL}, {"lose": LOSE_OLDEST})
NAMES = ("exact", "wild", "filtered", "dressed", "headed")
ROUNDS = 12
SAMPLES = 24


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("fresh")
    with penstock.embed("QM1", create=True, home=home, **LOG) as qm:
        qm.subscribe("a/b", durable="exact").close()
        qm.subscribe("a/#", durable="wild").close()
        qm.subscribe("#", durable="filtered", selector="number >= 0").close()
        qm.subscribe("a/b", durable="dressed", user_data="its own").close()
        qm.subscribe("a/b", durable="headed", properties="RFH2").close()
    return home


class OneByOne:
    """A journal that writes each record by itself: none is saved by the company of others."""

    def __init__(self, journal: Any) -> None:
        self._journal = journal

    def append(self, kind: int, head: bytes, body: bytes) -> int:
        position = int(self._journal.append(kind, head, body))
        self._journal.wait(position)
        return position

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)


def work(home: Path, faults: Faults | None) -> tuple[int, bool]:
    """Publish until an accident; return how many were confirmed and whether the end was reached."""
    confirmed = 0
    qm = None
    try:
        qm = penstock.embed("QM1", home=home, faults=faults)
        qm.engine.journal = OneByOne(qm.engine.journal)
        for number in range(ROUNDS):
            body = b"%04d" % number + bytes(700 * (number % 4))
            details = {"persistent": True, "retain": True, "properties": {"number": number}}
            if number % 3 == 2:
                with qm.unit_of_work():
                    qm.publish("a/b", body, **details)
            else:
                qm.publish("a/b", body, **details)
            confirmed = number + 1
            if number % 5 == 4:
                qm.checkpoint()
    except penstock.MQError:
        return confirmed, False
    finally:
        if qm is not None:
            qm.host.abandon()
    return confirmed, True


def number_of(message: penstock.Message) -> int:
    assert message.body is not None
    start = unpack_rfh2(message.body)[1] if message.format == "MQHRF2" else 0
    return int(message.body[start : start + 4])


def verify(home: Path, confirmed: int) -> None:
    with penstock.embed("QM1", home=home) as qm:
        held = {}
        for name in NAMES:
            with qm.subscribe(durable=name) as sub:
                held[name] = [number_of(message) for message in sub.messages()]
        with qm.subscribe("a/+") as late:
            retained = [int(message.body[:4]) for message in late.messages()]
        assert qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].depth == len(retained)
    assert [held[name] for name in NAMES] == [held["exact"]] * len(NAMES)
    assert held["exact"] in (list(range(confirmed)), list(range(confirmed + 1)))
    assert retained == held["exact"][-1:]


def test_subscribers_agree_after_an_accident(fresh: Path, tmp_path: Path) -> None:
    counting = Faults()
    shutil.copytree(fresh, tmp_path / "whole")
    assert work(tmp_path / "whole", counting) == (ROUNDS, True)
    step = 1 if SOAK else max(1, counting.operations // SAMPLES)
    for n in range(1, counting.operations + 1, step):
        accident = ACCIDENTS[n % len(ACCIDENTS)]
        home = tmp_path / f"at-{n}"
        shutil.copytree(fresh, home)
        confirmed, _ = work(home, Faults(stop_at=n, **accident))
        try:
            verify(home, confirmed)
        except BaseException as failure:
            failure.add_note(f"stopped at operation {n} with {accident}, {confirmed} confirmed")
            raise
        shutil.rmtree(home)
