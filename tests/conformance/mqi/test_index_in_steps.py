"""The index of a long queue is made in steps, at the first get by an id; it has what comes meanwhile."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest

from penstock import MsgFlag
from penstock.host import checkpointing
from penstock.qmgr import core
from penstock.qmgr.waiters import Match
from tests.property import lanes

COUNT = 60
STEP = 7
SEEDS = range(3)


@pytest.fixture
def qm(embed, monkeypatch):
    monkeypatch.setattr(core, "INDEXED_AT_ONCE", STEP)
    qm = embed(default_q_buffer_size=20_000, default_pq_buffer_size=20_000)
    qm.mqsc("DEFINE QLOCAL(Q) MSGDLVSQ(PRIORITY)", check=True)
    qm.host.house.stop()
    return qm


def key(number: int) -> bytes:
    return b"%024d" % number


def put(qm: Any, chance: random.Random) -> None:
    qm.put("Q", b"body", correl_id=key(chance.randrange(9)), priority=chance.randrange(10))


def change(qm: Any, chance: random.Random) -> None:
    """Do one of the things that messages come and go by."""
    kind = chance.randrange(5)
    if kind < 2:
        put(qm, chance)
    elif kind == 2:
        qm.get("Q")
    elif kind == 3:
        with suppress(ZeroDivisionError), qm.unit_of_work():
            qm.get("Q")
            raise ZeroDivisionError
    else:
        checkpointing.spill(qm.host)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_has_what_the_queue_has_in_memory(qm, seed) -> None:
    chance = random.Random(seed)
    for _ in range(COUNT):
        put(qm, chance)
    queue = qm.engine.queues["Q"]
    index = queue.index_for(Match(correl_id=key(0)))
    steps = 0
    while not index.extend(queue, STEP):
        steps += 1
        change(qm, chance)
    assert steps > 3, seed

    for _ in range(2):
        lanes.check(queue)
        for number in range(9):
            expected = [each for each in queue.messages() if each.correl_id == key(number)]
            assert index.all(key(number)) == expected, seed
        change(qm, chance)


def test_others_come_first_after_some_messages(qm) -> None:
    for number in range(COUNT):
        qm.put("Q", b"%d" % number, correl_id=key(number))
    queue, engine, match = qm.engine.queues["Q"], qm.engine, Match(correl_id=key(COUNT - 1))
    with qm.session.gate:
        assert engine.take(queue, match, None, 0.0) is None
        assert engine.step.take_load() == []
    assert len(queue.by_correl_id.entries) == STEP

    assert qm.get("Q", correl_id=key(COUNT - 1)).body == b"%d" % (COUNT - 1)
    assert len(queue.by_correl_id.entries) == COUNT - 1


@pytest.mark.parametrize("by", ["msg_id", "correl_id", "group_id"])
@pytest.mark.parametrize("selector", [None, "n = 7"])
def test_every_get_by_an_id_finds_its_message(qm, by, selector) -> None:
    ids = []
    for number in range(COUNT):
        details = {"correl_id": key(number)} if by == "correl_id" else {}
        details |= {"group_id": key(number), "flags": MsgFlag.IN_GROUP} if by == "group_id" else {}
        sent = qm.put("Q", b"%d" % number, properties={"n": number % 10}, **details)
        ids.append(sent.msg_id if by == "msg_id" else key(number))

    with qm.open("Q", selector=selector) as handle:
        for number in (57, 7, 47):
            assert handle.get(**{by: ids[number]}).body == b"%d" % number
        assert handle.get(**{by: ids[57]}, quiet=True) is None
