"""The power goes at write or sync n while messages are put to a queue whose stream must have a copy of each.

After the restart a message and its copy are both there or both not, whatever they came by: a put, a unit of
work, a publication, a flow's batch. What was confirmed is there. `make soak` takes every n.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.store.faults import LOSE_ALL, LOSE_OLDEST, Faults

pytestmark = pytest.mark.crash

SOAK = os.environ.get("PENSTOCK_SOAK", "") not in ("", "0")
SAMPLES = 60
BODY_BYTES = 40_000  # a message and its copy do not fit into one block of the journal
ACCIDENTS = (
    {"tear_bytes": 0},
    {"tear_bytes": BODY_BYTES * 3 // 2},
    {"lose": LOSE_ALL},
    {"tear_bytes": BODY_BYTES * 5 // 2},
    {"lose": LOSE_OLDEST},
)
DEFINITIONS = """
DEFINE QLOCAL(S) DEFPSIST(YES)
DEFINE QLOCAL(Q) DEFPSIST(YES) STREAMQ(S) STRMQOS(MUSTDUP)
DEFINE QLOCAL(IN) DEFPSIST(YES)
DEFINE SUB(COPY) TOPICSTR('price') DEST(Q)
"""
FLOW = "flow"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("fresh")
    log = {"file_pages": 256, "primary_files": 4, "buffer_pages": 1}  # so small that the writer never waits
    with penstock.embed("QM1", create=True, home=home, **log) as qm:
        for reply in qm.mqsc(DEFINITIONS):
            assert not reply.failed, reply.text
    return home


def work(home: Path, faults: Faults) -> set[bytes]:
    """Put messages in every way until an accident; return the bodies that were confirmed."""
    confirmed: set[bytes] = set()
    qm: Any = None
    try:
        qm = penstock.embed("QM1", home=home, faults=faults)
        for number in range(3):
            _round(qm, b"%d" % number, confirmed)
    except penstock.MQError:
        pass
    finally:
        if qm is not None:
            qm.host.abandon()
    return confirmed


def _round(qm: Any, stem: bytes, confirmed: set[bytes]) -> None:
    def body(text: bytes) -> bytes:
        return (stem + text).ljust(BODY_BYTES, b".")

    qm.put("Q", body(b" put"))
    confirmed.add(body(b" put"))
    with qm.unit_of_work():
        qm.put("Q", body(b" in a unit"))
        qm.put("Q", body(b" too"), properties={"a": 1})
    confirmed.update((body(b" in a unit"), body(b" too")))
    qm.publish("price", body(b" published"), persistent=True)
    confirmed.add(body(b" published"))
    qm.put("IN", stem)
    epoch = qm.batches.new_epoch(FLOW)
    n = qm.batches.reserve(FLOW, "IN", after=qm.batches.recorded(FLOW), epoch=epoch, max_rows=9)["n"]
    qm.batches.prepare_outputs(FLOW, n, 0, 0, [("Q", body(b" of a flow"))], epoch=epoch)
    if stem == b"1":
        qm.checkpoint()
    qm.batches.commit(FLOW, n, {0: 0}, epoch=epoch)
    confirmed.add(body(b" of a flow"))


def test_a_message_and_its_copy_are_there_or_neither(fresh: Path, tmp_path: Path) -> None:
    counting = Faults()
    shutil.copytree(fresh, tmp_path / "whole")
    assert len(work(tmp_path / "whole", counting)) == 15

    step = 1 if SOAK else max(1, counting.operations // SAMPLES)
    for n in range(1, counting.operations + 1, step):
        accident = ACCIDENTS[n // step % len(ACCIDENTS)]
        home = tmp_path / f"at-{n}"
        shutil.copytree(fresh, home)
        confirmed = work(home, Faults(stop_at=n, **accident))
        with penstock.embed("QM1", home=home) as qm:
            there = {message.msg_id: message.body for message in qm.browse("Q")}
            copies = {message.msg_id: message.body for message in qm.browse("S")}
        assert there.keys() == copies.keys(), f"stopped at operation {n} with {accident}"
        assert confirmed <= set(there.values()), f"stopped at operation {n} with {accident}"
        shutil.rmtree(home)
