"""Every on-disk format that was ever released is opened by this release (DESIGN, formats and versions).

The samples are what a crash left: message files, a journal behind the checkpoint, prepared units in
both, an open unit. `make_sample.py` wrote them.
"""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.model.headers import TransmissionHeader
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.sync_book import RECEIVER, SyncRecord

SAMPLES = sorted((Path(__file__).resolve().parents[2] / "data" / "formats").glob("queue-manager-*.tar.gz"))


@pytest.fixture(params=SAMPLES, ids=[path.name.partition(".")[0] for path in SAMPLES])
def qm(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path)
    with penstock.embed("OLD", home=tmp_path) as qm:
        yield qm


def test_messages_and_their_backout_counts_are_there(qm: Any) -> None:
    found = [(m.body, m.backout_count) for m in qm.browse("A")]

    assert found == [
        (b"file 1", 1),
        (b"file 4", 0),
        (b"file 0", 0),
        (b"file 3", 0),
        (b"journal 0", 0),
        (b"journal 1", 0),
        (b"journal 2", 0),
    ]


def test_properties_and_descriptor_are_there(qm: Any) -> None:
    message = qm.get("A", correl_id=b"%024d" % 4)

    assert message.properties == {"colour": "red", "size": 4}
    assert message.reply_to == "REPLY"
    assert message.persistent


def test_prepared_units_are_there_and_can_be_resolved(qm: Any) -> None:
    units = {u["xid"]: (u["puts"], u["gets"]) for u in qm.prepared() if not u["xid"].startswith("CHANNEL/")}
    assert units == {
        "in-file": (1, 0),
        "in-journal": (1, 1),
    }

    qm.commit_prepared("in-file")
    qm.backout_prepared("in-journal")

    bodies = {m.body: m.backout_count for m in qm.browse("A")}
    assert b"held in file" in bodies
    assert b"held in journal" not in bodies
    assert bodies[b"file 2"] == 2


def test_definitions_are_there(qm: Any) -> None:
    assert qm.get("ALIAS") is not None
    assert qm.mqsc("DISPLAY NAMELIST(NAMES) NAMES")[0].attributes["NAMES"]


def test_messages_for_other_queue_managers_and_batches_in_doubt_are_there(qm: Any) -> None:
    if "FAR" not in qm.engine.queues:
        pytest.skip("version 1 has none")
    headers = [(TransmissionHeader.unpack(m.body), m.body[428:]) for m in qm.browse("FAR")]
    assert {(header.queue, header.qmgr) for header, _ in headers} == {("ORDERS", "FAR")}
    bodies = [body for _, body in headers]
    assert bodies == [b"file 2", b"journal 0", b"journal 1", b"journal 2"]
    doubt = batches.in_doubt(qm.engine, "OLD.FAR")
    assert [(batch.first, batch.last, batch.partner) for batch in doubt] == [(1, 1, "FAR_1"), (3, 3, "FAR_1")]
    assert qm.engine.sync_book.find(RECEIVER, "FAR.OLD", "FAR_1") == SyncRecord(3, 30, "copy")
