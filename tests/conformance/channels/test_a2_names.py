"""A2: where a name leads: remote definitions, queue-manager aliases, reply-to aliases, many hops, circles."""

from __future__ import annotations

import pytest

from tests.channel_pairs import Pair, bodies, run
from tests.patience import until

pytestmark = pytest.mark.installed


@pytest.fixture(scope="module", autouse=True)
def both_ways(pair: Pair) -> None:
    """Channels in both directions; transmission queues are called as the queue managers."""
    for here, there, name in ((pair.qma, pair.qmb, "QMB"), (pair.qmb, pair.qma, "QMA")):
        channel = f"TO.{name}"
        run(
            here,
            f"DEFINE QLOCAL({name}) USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) REPLACE INITQ(SYSTEM.CHANNEL.INITQ)"
            "\n"
            f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) XMITQ({name}) CONNAME('{pair.address(name)}')",
        )
        run(there, f"DEFINE CHANNEL({channel}) CHLTYPE(RCVR)\nDEFINE QLOCAL(T)")


def test_a_queue_of_another_queue_manager_by_both_names(pair: Pair) -> None:
    pair.qma.put("T", b"direct", qmgr="QMB")
    assert bodies(pair.qmb, "T", 1) == [b"direct"]


def test_a_blank_trigdata_starts_the_channel_of_the_queue(pair: Pair) -> None:
    pair.qmb.put("T", b"back", qmgr="QMA", persistent=True)
    assert bodies(pair.qma, "T", 1) == [b"back"]


def test_a_queue_manager_alias_accepts_mail_for_another_name(pair: Pair) -> None:
    run(pair.qmb, "DEFINE QREMOTE(OLD.NAME) RNAME(' ') RQMNAME(QMB)")
    run(pair.qma, "DEFINE QREMOTE(OLD.NAME) RNAME(' ') RQMNAME(OLD.NAME) XMITQ(QMB)")
    pair.qma.put("T", b"alias", qmgr="OLD.NAME")
    assert bodies(pair.qmb, "T", 1) == [b"alias"]


def test_a_reply_goes_home(pair: Pair) -> None:
    pair.qma.put("T", b"question", qmgr="QMB", reply_to="T", persistent=True)
    question = pair.qmb.get("T", wait=60)
    assert (question.descriptor.reply_to, question.descriptor.reply_to_qmgr) == ("T", "QMA")
    pair.qmb.put(question.descriptor.reply_to, b"answer", qmgr=question.descriptor.reply_to_qmgr)
    assert bodies(pair.qma, "T", 1) == [b"answer"]


def test_default_transmission_queue(pair: Pair) -> None:
    run(pair.qma, "ALTER QMGR DEFXMITQ(QMB)")
    run(pair.qmb, "DEFINE QREMOTE(FAR) RNAME(' ') RQMNAME(QMB)")
    pair.qma.put("T", b"default", qmgr="FAR")
    assert bodies(pair.qmb, "T", 1) == [b"default"]
    run(pair.qma, "ALTER QMGR DEFXMITQ(' ')")


def test_many_hops_wrap_again(pair: Pair) -> None:
    run(pair.qmb, "DEFINE QREMOTE(HOME) RNAME(T) RQMNAME(QMA)")
    run(pair.qma, "DEFINE QREMOTE(ROUND) RNAME(HOME) RQMNAME(QMB)")
    pair.qma.put("ROUND", b"round", persistent=True)
    assert bodies(pair.qma, "T", 1) == [b"round"]


def test_a_circle_ends_on_a_dead_letter_queue(pair: Pair) -> None:
    run(pair.qma, "DEFINE QREMOTE(CIRCLE) RNAME(CIRCLE) RQMNAME(QMB)")
    run(pair.qmb, "DEFINE QREMOTE(CIRCLE) RNAME(CIRCLE) RQMNAME(QMA)")
    pair.qma.put("CIRCLE", b"round and round", persistent=True)
    found = until(lambda: pair.qma.get("DLQ", wait=0.2) or pair.qmb.get("DLQ", wait=0.2))
    assert bytes(found.body).endswith(b"round and round")
    assert int.from_bytes(bytes(found.body)[8:12], "little") == 8070
