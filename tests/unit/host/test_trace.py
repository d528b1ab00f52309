"""A trace records a queue or everything while it runs, and nothing afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.model.pcf import decode_pcf
from penstock.model.pcf_names import describe
from penstock.store.segments import segment_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.host.queue_manager import QueueManager


EVENTS_MAX = 10_000  # that the ring holds


@pytest.fixture
def qm(penstock_home: Path) -> Iterator[QueueManager]:
    with penstock.embed("QM1", create=True) as found:
        found.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)", check=True)
        yield found


def test_a_traced_queue_has_its_puts_and_gets_and_no_other_queues(qm: QueueManager) -> None:
    qm.put("A", b"before")
    qm.trace("QUEUE", "A", seconds=60.0)
    receipt = qm.put("A", b"12345")
    qm.put("B", b"other")
    qm.get("A")
    found = qm.trace("QUEUE", "A")
    assert [(each["event"], each["bytes"]) for each in found] == [("put", 5), ("get", 6)]
    assert found[0]["msg_id"] == receipt.msg_id.hex()
    assert "body" not in found[0]
    assert qm.trace("QUEUE", "A", found[-1]["number"]) == []


def test_a_trace_of_everything_has_units_of_work_too(qm: QueueManager) -> None:
    qm.trace("ALL", "", seconds=60.0)
    with qm.unit_of_work():
        qm.put("A", b"1")
        qm.put("B", b"2")
    assert [(each["kind"], each["event"]) for each in qm.trace("ALL", "")] == [
        ("QUEUE", "put"),
        ("QUEUE", "put"),
        ("UNIT", "commit"),
    ]


def test_the_end_of_everything_ends_the_trace_of_a_queue_too(qm: QueueManager) -> None:
    qm.trace("QUEUE", "A", seconds=60.0)
    qm.trace("ALL", "", seconds=60.0)
    qm.trace("ALL", "", seconds=-1.0)
    assert qm.host.engine.tracer is None


def test_after_the_end_nothing_is_recorded_and_the_engine_calls_nobody(qm: QueueManager) -> None:
    qm.trace("QUEUE", "A", seconds=60.0)
    assert qm.host.engine.tracer is not None
    qm.trace("QUEUE", "A", seconds=-1.0)
    assert qm.host.engine.tracer is None
    qm.put("A", b"1")
    assert qm.trace("ALL", "", seconds=-1.0) == []


def test_a_kind_that_cannot_be_traced_is_refused(qm: QueueManager) -> None:
    with pytest.raises(penstock.MQError, match="2046"):
        qm.trace("NODE", "x")


def test_a_traced_connection_or_flow_has_its_own_events_also_after_it_ended(qm: QueueManager) -> None:
    qm.trace("FLOW", "orders", seconds=60.0)
    with penstock.embed("QM1", application="BRK.default.orders") as flow, flow.unit_of_work():
        flow.put("A", b"1")
    with penstock.embed("QM1", application="reorders") as program:
        program.put("A", b"22")
        number = f"{program.connection.number:016X}"
        qm.trace("CONNECTION", number, seconds=60.0)
        program.get("A")
        qm.get("A")
    found = qm.trace("FLOW", "orders", seconds=-1.0)
    assert [(each["kind"], each["event"]) for each in found] == [("QUEUE", "put"), ("UNIT", "commit")]
    found = qm.trace("CONNECTION", number, seconds=-1.0)
    assert [(each["event"], each["bytes"]) for each in found] == [("get", 1)]
    assert qm.host.engine.tracer is None


def test_old_events_leave_the_ring_and_numbers_show_the_gap(qm: QueueManager) -> None:
    qm.trace("QUEUE", "B", seconds=60.0)
    for _ in range(EVENTS_MAX // 2 + 1):
        qm.put("B", b"x")
        qm.get("B")
    first = qm.trace("ALL", "", seconds=-1.0)
    assert (first[0]["number"], first[0]["event"]) == (3, "put")
    numbers, last = [each["number"] for each in first], first[-1]["number"]
    while more := qm.trace("ALL", "", last, seconds=-1.0):
        numbers += [each["number"] for each in more]
        last = numbers[-1]
    assert numbers == list(range(3, EVENTS_MAX + 3))


def test_a_connection_shows_what_it_did(qm: QueueManager) -> None:
    with penstock.embed("QM1", application="counted") as program:
        program.put("A", b"12345")
        program.put_many("A", [b"1", b"2"])
        program.get("A")
        (found,) = qm.mqsc("DISPLAY CONN(*) WHERE(APPLTAG EQ 'counted') ALL", check=True)
    assert found.attributes is not None
    counts = [found.attributes[name] for name in ("PUTS", "PUTBYTES", "GETS", "GETBYTES")]
    assert counts == [3, 7, 1, 5]


def events(qm: QueueManager, queue: str) -> list[dict[str, object]]:
    found = []
    while (message := qm.get(queue)) is not None:
        found.append(describe(decode_pcf(message.body or b"")))
    return found


def test_command_events_name_the_command_without_its_passwords(qm: QueueManager) -> None:
    qm.mqsc("ALTER QMGR CMDEV(NODISPLAY)", check=True)
    events(qm, "SYSTEM.ADMIN.COMMAND.EVENT")
    qm.mqsc("DISPLAY QLOCAL(A)\nALTER QMGR KEYRPWD('planted')\nDELETE QLOCAL(NONE)")
    (event,) = events(qm, "SYSTEM.ADMIN.COMMAND.EVENT")
    assert event["command"] == "MQCMD_COMMAND_EVENT"
    assert "KEYRPWD" in str(event)
    assert "planted" not in str(event)


def test_a_logger_event_names_the_file_that_the_log_goes_on_in(penstock_home: Path) -> None:
    with penstock.embed("LOG", create=True, file_pages=64, primary_files=4) as qm:
        qm.mqsc("ALTER QMGR LOGGEREV(ENABLED)\nDEFINE QLOCAL(A)", check=True)
        for _ in range(4):  # of a fourth of a log file
            qm.put("A", bytes(70_000), persistent=True)
        message = qm.get("SYSTEM.ADMIN.LOGGER.EVENT", wait=60)
        assert message is not None
        event = describe(decode_pcf(message.body or b""))
        assert (event["command"], event["reason"]) == ("MQCMD_LOGGER_EVENT", 2411)
        about = event["parameters"]
        assert about["MQCACF_CURRENT_LOG_EXTENT_NAME"].strip() == segment_name(1)
        assert about["MQCACF_RESTART_LOG_EXTENT_NAME"].strip() in (segment_name(0), segment_name(1))
        assert about["MQCACF_LOG_PATH"] == str(qm.host.folder.log)


def test_configuration_events_name_what_was_created_changed_and_deleted(qm: QueueManager) -> None:
    qm.mqsc("ALTER QMGR CONFIGEV(ENABLED)", check=True)
    events(qm, "SYSTEM.ADMIN.CONFIG.EVENT")
    qm.mqsc("DEFINE QLOCAL(NEW)\nALTER QLOCAL(NEW) DESCR('x')\nDELETE QLOCAL(NEW)", check=True)
    found = events(qm, "SYSTEM.ADMIN.CONFIG.EVENT")
    assert [each["reason"] for each in found] == [2367, 2368, 2369]
    assert "NEW" in str(found[0]["parameters"])
