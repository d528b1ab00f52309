"""Statistics and accounting messages say what happened, and nothing about what was idle."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.model.pcf import decode_pcf
from penstock.model.pcf_names import describe
from penstock.qmgr.pubsub.topic_status import subscription_figures, topic_figures

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.host.queue_manager import QueueManager

STATISTICS = "SYSTEM.ADMIN.STATISTICS.QUEUE"
ACCOUNTING = "SYSTEM.ADMIN.ACCOUNTING.QUEUE"


@pytest.fixture
def qm(penstock_home: Path) -> Iterator[QueueManager]:
    with penstock.embed("QM1", create=True) as found:
        found.mqsc("DEFINE QLOCAL(Q) MAXDEPTH(4)\nDEFINE QLOCAL(IDLE)", check=True)
        yield found


def messages(qm: QueueManager, queue: str) -> list[dict[str, Any]]:
    found = []
    while (message := qm.get(queue)) is not None:
        assert message.format.strip() == "MQADMIN"
        about = describe(decode_pcf(message.body or b""))
        found.append({"command": about["command"], **about["parameters"]})
    return found


def written(qm: QueueManager) -> dict[str, dict[str, Any]]:
    qm.mqsc("RESET QMGR TYPE(STATISTICS)", check=True)
    return {each["command"]: each for each in messages(qm, STATISTICS)}


def test_nothing_is_written_while_statistics_are_off(qm: QueueManager) -> None:
    qm.put("Q", b"x")
    assert written(qm) == {}


def test_queue_statistics_have_the_traffic_of_an_interval_by_persistence(qm: QueueManager) -> None:
    qm.mqsc("ALTER QLOCAL(Q) STATQ(ON)", check=True)
    written(qm)
    qm.put("Q", b"12345")
    qm.put("Q", b"123", persistent=True)
    qm.put_many("Q", [b"1", b"2"])
    with pytest.raises(penstock.MQError):
        qm.put("Q", b"full")
    qm.get("Q")
    (group,) = written(qm)["MQCMD_STATISTICS_Q"]["MQGACF_Q_STATISTICS_DATA"]
    assert group["MQCA_Q_NAME"] == "Q"
    assert group["MQIAMO_PUTS"] == [3, 1]
    assert group["MQIAMO64_PUT_BYTES"] == [7, 3]
    assert group["MQIAMO_PUTS_FAILED"] == 1
    assert group["MQIAMO_GETS"] == [1, 0]
    assert (group["MQIAMO_Q_MIN_DEPTH"], group["MQIAMO_Q_MAX_DEPTH"]) == (0, 4)
    assert "MQCMD_STATISTICS_Q" not in written(qm)  # nothing happened since


def test_mqi_statistics_are_about_all_queues_also_deleted_ones(qm: QueueManager) -> None:
    qm.mqsc("ALTER QMGR STATMQI(ON)\nDEFINE QLOCAL(GOING)", check=True)
    written(qm)
    qm.put("GOING", b"x")
    qm.get("GOING")
    qm.mqsc("DELETE QLOCAL(GOING)", check=True)
    with qm.unit_of_work():
        qm.put("Q", b"x")
    with penstock.embed("QM1"):
        pass
    found = written(qm)["MQCMD_STATISTICS_MQI"]
    assert found["MQIAMO_PUTS"] == [2 + 1, 0]  # and the statistics of the interval before
    assert found["MQIAMO_GETS"][0] == 1 + 1
    assert found["MQIAMO_COMMITS"] == 1
    assert (found["MQIAMO_CONNS"], found["MQIAMO_DISCS"]) == (1, [1, 0, 0])


def test_an_interval_ends_by_itself(qm: QueueManager) -> None:
    qm.mqsc("ALTER QMGR STATINT(3600)\nALTER QLOCAL(Q) STATQ(ON)", check=True)
    written(qm)
    statistics, now = qm.host.engine.effects.statistics, time.time()
    qm.put("Q", b"x")
    with qm.host.gate:
        statistics.tick(now + 3000)
    assert qm.get(STATISTICS) is None
    with qm.host.gate:
        statistics.tick(now + 3601)
        while statistics.busy:
            statistics.tick(now + 3601)
    (found,) = messages(qm, STATISTICS)
    assert [each["MQCA_Q_NAME"] for each in found["MQGACF_Q_STATISTICS_DATA"]] == ["Q"]


def test_accounting_is_written_when_a_program_disconnects(qm: QueueManager) -> None:
    qm.mqsc("ALTER QMGR ACCTMQI(ON) ACCTQ(ON)", check=True)
    with penstock.embed("QM1", application="payroll") as program:
        program.put("Q", b"12345")
        program.put("Q", b"1", persistent=True, properties={"colour": "red"})
        with program.open("Q", 2 | 8) as handle:
            assert handle.get() is not None
    mqi, queues = messages(qm, ACCOUNTING)
    assert (mqi["command"], mqi["MQCACF_APPL_NAME"]) == ("MQCMD_ACCOUNTING_MQI", "payroll")
    assert (mqi["MQIAMO_PUTS"], mqi["MQIAMO_GETS"]) == ([1, 1], [1, 0])
    (group,) = queues["MQGACF_Q_ACCOUNTING_DATA"]
    assert (group["MQCA_Q_NAME"], group["MQIAMO64_PUT_BYTES"]) == ("Q", [5, 1])


def test_a_get_that_waited_is_the_getters(qm: QueueManager) -> None:
    qm.mqsc("ALTER QMGR ACCTMQI(ON)", check=True)
    reader, writer = (penstock.embed("QM1", application=name) for name in ("reader", "writer"))
    got: list[Any] = []
    thread = threading.Thread(target=lambda: got.append(reader.get("Q", wait=60)))
    thread.start()
    writer.put("Q", b"x")
    thread.join()
    reader.close()
    writer.close()
    found = {each["MQCACF_APPL_NAME"]: each for each in messages(qm, ACCOUNTING)}
    assert (found["reader"]["MQIAMO_GETS"], found["reader"]["MQIAMO_PUTS"]) == ([1, 0], [0, 0])
    assert (found["writer"]["MQIAMO_GETS"], found["writer"]["MQIAMO_PUTS"]) == ([0, 0], [1, 0])


def test_a_queue_is_accounted_for_by_its_own_switch(qm: QueueManager) -> None:
    qm.mqsc("ALTER QLOCAL(IDLE) ACCTQ(ON)", check=True)
    with penstock.embed("QM1") as program:
        program.put("Q", b"x")
        program.put("IDLE", b"x")
    (found,) = messages(qm, ACCOUNTING)
    assert [each["MQCA_Q_NAME"] for each in found["MQGACF_Q_ACCOUNTING_DATA"]] == ["IDLE"]


def test_reset_qstats_needs_no_performance_events(qm: QueueManager) -> None:
    qm.put_many("Q", [b"1", b"2", b"3"])
    qm.get("Q")
    first = qm.mqsc("RESET QSTATS(Q)", check=True)[0].attributes or {}
    assert (first["HIQDEPTH"], first["MSGSIN"], first["MSGSOUT"]) == (3, 3, 1)
    second = qm.mqsc("RESET QSTATS(Q)", check=True)[0].attributes or {}
    assert (second["HIQDEPTH"], second["MSGSIN"], second["MSGSOUT"]) == (2, 0, 0)


def test_queue_figures_count_what_was_undone_expired_and_purged(qm: QueueManager) -> None:
    with qm.unit_of_work() as unit:
        qm.put("Q", b"x")
        unit.backout()
    qm.put("Q", b"x")
    with qm.unit_of_work() as unit:
        qm.get("Q")
        unit.backout()
    assert qm.get("IDLE") is None
    list(qm.browse("Q"))
    qm.mqsc("CLEAR QLOCAL(Q)", check=True)
    (found,) = qm.queues("Q")
    assert (found.puts, found.puts_undone, found.gets, found.gets_undone) == (2, 1, 1, 1)
    assert (found.browses, found.purged) == (1, 1)
    assert qm.queues("IDLE")[0].gets_empty == 1


def test_times_on_queues_are_a_histogram_that_no_deleted_queue_leaves(qm: QueueManager) -> None:
    qm.mqsc("DEFINE QLOCAL(GOING)", check=True)
    begun = qm.status().wait_times
    assert len(begun.counts) == len(begun.bounds) + 1
    qm.put("GOING", b"x")
    qm.get("GOING")
    with qm.host.gate:
        queue = qm.host.engine.queues["GOING"]
        for seconds in (0.005, 0.016, 0.017, 300.0):
            queue.waits.add(seconds)
        queue.gets += 4
        queue.wait_seconds += 300.038
    counted = [new - old for new, old in zip(qm.status().wait_times.counts, begun.counts, strict=True)]
    assert sum(counted) == 5
    assert (counted[2], counted[-1]) == (1, 1)  # 16 to 64 ms, more than 256 s
    qm.mqsc("DELETE QLOCAL(GOING)", check=True)
    after = qm.status().wait_times
    assert sum(after.counts) - sum(begun.counts) == 5
    assert after.total - begun.total >= 300.038


def test_syncs_are_a_histogram_and_checkpoints_are_counted(qm: QueueManager) -> None:
    before = qm.status().log.checkpoints
    qm.put("Q", b"x", persistent=True)
    qm.checkpoint()
    log = qm.status().log
    assert sum(log.sync_times.counts) == log.syncs > 0
    assert log.checkpoints == before + 1
    assert log.checkpoint_last > 0


def test_publications_are_counted_by_topic_and_subscription(qm: QueueManager) -> None:
    qm.mqsc("DEFINE TOPIC(T) TOPICSTR('a/b')", check=True)
    qm.mqsc("DEFINE SUB(S) TOPICSTR('a/b') DEST(Q)\nDEFINE SUB(S2) TOPICSTR('a/#') DEST(Q)", check=True)
    begun = qm.status()
    qm.publish("a/b", b"1")
    qm.publish("a/c", b"2", properties={"colour": "red"})
    qm.publish("nobody", b"3")
    found = qm.status()
    assert (found.published - begun.published, found.delivered - begun.delivered) == (3, 3)
    (row,) = [
        each.attributes for each in qm.mqsc("DISPLAY TPSTATUS('a/b') ALL", check=True) if each.attributes
    ]
    assert (row["NUMPUBS"], row["NUMMSGS"]) == (1, 2)
    assert row["LPUBDATE"]
    (topic,) = [each for each in topic_figures(qm.host.engine.pubsub) if each.topic == "a/b"]
    assert (topic.published, topic.delivered) == (1, 2)
    got = {each.subscription: each.delivered for each in subscription_figures(qm.host.engine.pubsub)}
    assert (got["S"], got["S2"]) == (1, 2)
