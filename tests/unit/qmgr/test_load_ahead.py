"""Which bodies one read brings back from the disk when a message of a queue is wanted."""

from __future__ import annotations

import pytest

from penstock.model.message import PLAIN, plain_message
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.engine import Engine
from penstock.qmgr.waiters import Match
from tests.unit.qmgr.list_journal import ListJournal

KEYS = [b"A" * 24, b"B" * 24]


@pytest.fixture
def engine() -> Engine:
    """An engine with a queue of 40 spilled messages, of two channels in turn."""
    engine = Engine("QM1", ListJournal(), 1.0)
    engine.make_system_objects(1.0)
    engine.define("QLOCAL", "Q", defaults("QLOCAL"), 1.0)
    queue = engine.queues["Q"]
    engine.step.begin()
    for number in range(40):
        message = plain_message(b"body", b"%024d" % number, KEYS[number % 2], False, 0, 1.0, PLAIN)
        engine.enqueue(queue, message, None)
        queue.drop_body(message)
    engine.step.end()
    return engine


def loaded(engine: Engine, match: Match | None) -> list[int]:
    engine.step.begin()
    assert engine.select(engine.queues["Q"], match, None, 2.0) is None
    return [int(message.msg_id) for message in engine.step.take_load()]


def test_the_next_messages_come_with_the_first(engine: Engine) -> None:
    assert loaded(engine, None) == list(range(40))


def test_the_next_messages_of_the_same_channel_come_with_its_first(engine: Engine) -> None:
    assert loaded(engine, Match(correl_id=KEYS[1])) == list(range(1, 40, 2))


@pytest.mark.parametrize("match", [Match(msg_id=b"%024d" % 7), Match(msg_id=b"%024d" % 7, correl_id=KEYS[1])])
def test_a_message_that_is_got_by_its_id_comes_alone(engine: Engine, match: Match) -> None:
    assert loaded(engine, match) == [7]
