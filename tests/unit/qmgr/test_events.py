from __future__ import annotations

import pytest

from penstock.model.constants import (
    MQCA_BASE_Q_NAME,
    MQCA_Q_MGR_NAME,
    MQCA_Q_NAME,
    MQCACF_APPL_NAME,
    MQCACF_OBJECT_Q_MGR_NAME,
    MQCACF_USER_IDENTIFIER,
    MQIA_HIGH_Q_DEPTH,
    MQIA_MSG_DEQ_COUNT,
    MQIA_MSG_ENQ_COUNT,
    MQIA_Q_TYPE,
    MQIA_TIME_SINCE_RESET,
    MQIACF_COMMAND,
    MQIACF_OPEN_OPTIONS,
    MQIACF_REASON_QUALIFIER,
)
from penstock.model.pcf import Pcf, decode_pcf
from penstock.qmgr.monitoring import events
from penstock.qmgr.monitoring.events import (
    Culprit,
    DepthEvents,
    Event,
    QueueStatistics,
    ServiceInterval,
    event_message,
)

HIGH, LOW, FULL, SLOW, OK = 2224, 2225, 2053, 2226, 2227
ANN = Culprit(28, "billing", "ann")
QUEUE = {
    "MAXDEPTH": 1000,
    "QDEPTHHI": 80,
    "QDEPTHLO": 20,
    "QDPHIEV": "ENABLED",
    "QDPLOEV": "DISABLED",
    "QDPMAXEV": "DISABLED",
    "QSVCIEV": "HIGH",
    "QSVCINT": 1000,
}


def read(event: Event) -> Pcf:
    message = event_message(event, "QM1", 50.0, lambda: b"N" * 24)
    assert message.descriptor.format == "MQEVENT"
    return decode_pcf(message.body or b"", message.descriptor.encoding, message.descriptor.ccsid)


def reasons(*found: Event | None) -> list[int]:
    return [event.reason for event in found if event is not None]


class Watched:
    """A queue that is put to and got from, with its depth events."""

    def __init__(self, **attributes: object) -> None:
        self.depth = 0
        self.statistics = QueueStatistics(0.0)
        self.events = DepthEvents("Q1", self.statistics, QUEUE | attributes)

    def to(self, depth: int) -> list[int]:
        found: list[int] = []
        while self.depth != depth:
            up = self.depth < depth
            self.depth += 1 if up else -1
            if up:
                self.statistics.put(self.depth)
                found += reasons(self.events.put(self.depth, 10.0))
            else:
                self.statistics.got()
                found += reasons(self.events.got(self.depth, 10.0))
        return found


def test_depth_events_follow_the_queue_up_and_down() -> None:
    queue = Watched()
    assert queue.to(400) == []
    assert queue.to(150) == []
    assert queue.to(850) == [HIGH]
    assert queue.to(150) == [LOW]
    assert queue.to(1000) == [HIGH]
    assert reasons(queue.events.full(1000, 10.0)) == [FULL]
    assert reasons(queue.events.full(1000, 10.0)) == []
    assert queue.to(120) == [LOW]


def test_high_fires_at_its_limit_and_not_again_before_low() -> None:
    queue = Watched()
    assert queue.to(799) == []
    assert queue.to(800) == [HIGH]
    assert queue.to(700) == []
    assert queue.to(900) == []
    assert queue.to(201) == []
    assert queue.to(200) == [LOW]


def test_arms_are_shown_as_attributes() -> None:
    queue = Watched()
    queue.to(800)
    assert queue.events.armed() == {"QDPHIEV": "DISABLED", "QDPLOEV": "ENABLED", "QDPMAXEV": "ENABLED"}
    queue.to(200)
    assert queue.events.armed() == {"QDPHIEV": "ENABLED", "QDPLOEV": "DISABLED", "QDPMAXEV": "ENABLED"}
    queue.events.full(1000, 1.0)
    assert queue.events.armed() == {"QDPHIEV": "ENABLED", "QDPLOEV": "ENABLED", "QDPMAXEV": "DISABLED"}


def test_disarmed_events_are_silent() -> None:
    queue = Watched(QDPHIEV="DISABLED")
    assert queue.to(1000) == []
    assert queue.events.full(1000, 1.0) is None
    assert queue.to(0) == []


def test_decision_a_limit_that_is_no_whole_number_is_rounded_inwards() -> None:
    queue = Watched(MAXDEPTH=15, QDEPTHHI=50, QDEPTHLO=50)
    assert queue.to(7) == []
    assert queue.to(8) == [HIGH]
    assert queue.to(7) == [LOW]


def test_event_carries_the_statistics_and_resets_them() -> None:
    queue = Watched(MAXDEPTH=10)
    queue.to(5)
    queue.to(3)
    queue.to(7)
    queue.statistics.put(8)
    event = queue.events.put(8, 62.9)
    assert event is not None
    pcf = read(event)
    assert (pcf.command, pcf.reason, pcf.type, pcf.comp_code) == (45, HIGH, 7, 1)
    assert event.queue == "SYSTEM.ADMIN.PERFM.EVENT"
    assert pcf.get(MQCA_Q_MGR_NAME) == "QM1"
    assert pcf.get(MQCA_BASE_Q_NAME) == "Q1"
    numbers = (MQIA_TIME_SINCE_RESET, MQIA_HIGH_Q_DEPTH, MQIA_MSG_ENQ_COUNT, MQIA_MSG_DEQ_COUNT)
    assert [pcf.get(number) for number in numbers] == [62, 8, 10, 2]
    assert queue.statistics.reset(70.0, 8) == {"HIQDEPTH": 8, "MSGSIN": 0, "MSGSOUT": 0, "TIMESINCERESET": 7}


def watch(kind: str = "HIGH", depth: int = 0) -> ServiceInterval:
    return ServiceInterval("Q1", QueueStatistics(0.0), QUEUE | {"QSVCIEV": kind}, depth, 0.0)


def test_late_get_is_high_and_the_next_timely_get_is_ok() -> None:
    interval = watch()
    assert interval.put(1, 10.0) is None
    assert reasons(interval.got(0, 12.0)) == [SLOW]
    assert interval.put(1, 20.0) is None
    assert reasons(interval.got(0, 20.5)) == [OK]
    assert interval.kind == "HIGH"


def test_put_to_a_waiting_queue_can_be_high_but_never_ok() -> None:
    interval = watch()
    interval.put(1, 10.0)
    assert interval.put(2, 10.5) is None
    assert reasons(interval.put(3, 12.0)) == [SLOW]
    assert interval.put(4, 12.1) is None
    assert interval.got(3, 12.2) is None
    assert reasons(interval.got(2, 12.3)) == [OK]


def test_timer_starts_again_with_a_get_that_leaves_messages_even_without_an_event() -> None:
    interval = watch("OK")
    interval.put(1, 10.0)
    interval.put(2, 10.1)
    assert interval.got(1, 15.0) is None
    assert reasons(interval.got(0, 15.9)) == [OK]


def test_empty_queue_stops_the_timer() -> None:
    interval = watch()
    interval.put(1, 10.0)
    interval.got(0, 10.5)
    assert interval.put(1, 100.0) is None
    assert interval.got(0, 100.5) is None


def test_decision_exactly_the_interval_is_in_time() -> None:
    interval = watch("OK")
    interval.put(1, 10.0)
    assert reasons(interval.got(0, 11.0)) == [OK]


def test_queue_that_holds_messages_at_start_is_timed_from_the_start() -> None:
    assert reasons(watch(depth=3).got(2, 5.0)) == [SLOW]


def test_no_service_events_without_a_kind() -> None:
    interval = watch("NONE")
    interval.put(1, 0.0)
    assert interval.put(2, 100.0) is None
    assert interval.got(1, 100.0) is None


def test_event_message_is_a_datagram_from_the_queue_manager() -> None:
    message = event_message(events.started(), "QM1", 50.0, lambda: b"N" * 24, priority=3, persistent=True)
    descriptor = message.descriptor
    assert (message.msg_id, message.put_time, message.priority, message.persistent) == (
        b"N" * 24,
        50.0,
        3,
        True,
    )
    assert (descriptor.msg_type, descriptor.put_appl_type, descriptor.put_appl_name) == (8, 7, "QM1")


def test_start_and_stop_events() -> None:
    assert read(events.started()).reason == 2222
    assert read(events.stopped(quiesced=True)).get(MQIACF_REASON_QUALIFIER) == 6
    pcf = read(events.stopped(quiesced=False))
    assert (pcf.reason, pcf.get(MQIACF_REASON_QUALIFIER)) == (2223, 5)


@pytest.mark.parametrize("reason", [2016, 2051])
def test_inhibit_events_name_queue_and_program(reason: int) -> None:
    event = events.inhibited(reason, "Q1", ANN, "QM2")
    pcf = read(event)
    assert event.queue == "SYSTEM.ADMIN.QMGR.EVENT"
    assert (pcf.command, pcf.reason) == (44, reason)
    assert (pcf.get(MQCA_Q_NAME), pcf.get(MQCACF_APPL_NAME)) == ("Q1", "billing")
    assert pcf.get(MQCACF_OBJECT_Q_MGR_NAME) == "QM2"


def test_failed_open_names_what_was_asked_for() -> None:
    pcf = read(events.open_failed(2082, "ALIAS", ANN, base_queue="GONE", queue_type=3))
    assert (pcf.get(MQCA_Q_NAME), pcf.get(MQCA_BASE_Q_NAME), pcf.get(MQIA_Q_TYPE)) == ("ALIAS", "GONE", 3)
    assert pcf.reason in events.LOCAL_REASONS


def test_authority_events_have_their_qualifiers() -> None:
    kinds = [
        events.connect_refused(ANN),
        events.open_refused(ANN, "Q1", 17),
        events.close_refused(ANN, "DYN"),
        events.command_refused(ANN, 13),
    ]
    found = [read(event) for event in kinds]
    assert [pcf.get(MQIACF_REASON_QUALIFIER) for pcf in found] == [1, 2, 3, 4]
    assert all(pcf.reason == 2035 and pcf.get(MQCACF_USER_IDENTIFIER) == "ann" for pcf in found)
    assert found[1].get(MQIACF_OPEN_OPTIONS) == 17
    assert found[3].get(MQIACF_COMMAND) == 13
