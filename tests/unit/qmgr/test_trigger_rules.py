from __future__ import annotations

import pytest

from penstock.model.headers import TriggerMessage
from penstock.qmgr.triggers.trigger_rules import (
    Surroundings,
    TriggerRules,
    TriggerState,
    able,
    trigger_message,
    trigger_rules,
)

QUEUE = {
    "TRIGGER": "YES",
    "TRIGTYPE": "FIRST",
    "TRIGDPTH": 1,
    "TRIGMPRI": 0,
    "TRIGDATA": "data",
    "PROCESS": "PROC",
    "INITQ": "INIT",
    "USAGE": "NORMAL",
}
PROCESS = {"APPLTYPE": "UNIX", "APPLICID": "/bin/run", "ENVRDATA": "&", "USERDATA": "u"}
READY = Surroundings(True, True, True, True)
LONG = 999_999_999


def rules(**attributes: object) -> TriggerRules:
    found = trigger_rules(QUEUE | attributes)
    assert found is not None
    return found


def fires(rules: TriggerRules, count_before: int, open_inputs: int = 0, priority: int = 0) -> bool:
    return TriggerState().after_put(rules, priority, count_before, open_inputs, 10.0, LONG)


@pytest.mark.parametrize("change", [{"TRIGGER": "NO"}, {"TRIGTYPE": "NONE"}, {"INITQ": " "}])
def test_queue_without_trigger_type_or_initiation_queue_has_no_rules(change: dict[str, str]) -> None:
    assert trigger_rules(QUEUE | change) is None


def test_first_fires_when_the_count_leaves_zero() -> None:
    assert fires(rules(), 0)
    assert not fires(rules(), 1)


def test_every_fires_for_each_message_even_while_somebody_reads() -> None:
    every = rules(TRIGTYPE="EVERY")
    assert fires(every, 0)
    assert fires(every, 7, open_inputs=1)
    assert not every.switches_off


def test_depth_fires_when_the_count_reaches_it_and_switches_off() -> None:
    depth = rules(TRIGTYPE="DEPTH", TRIGDPTH=3)
    assert [fires(depth, count) for count in range(5)] == [False, False, True, False, False]
    assert depth.switches_off


def test_first_and_depth_do_not_fire_while_somebody_reads() -> None:
    assert not fires(rules(), 0, open_inputs=1)
    assert not fires(rules(TRIGTYPE="DEPTH"), 0, open_inputs=1)


@pytest.mark.parametrize("kind", ["FIRST", "EVERY", "DEPTH"])
def test_messages_below_the_trigger_priority_do_not_count(kind: str) -> None:
    assert not fires(rules(TRIGTYPE=kind, TRIGMPRI=5), 0, priority=4)
    assert fires(rules(TRIGTYPE=kind, TRIGMPRI=5), 0, priority=5)


def test_first_fires_again_after_the_trigger_interval() -> None:
    state = TriggerState()
    state.fired(10.0)
    assert not state.after_put(rules(), 0, 3, 0, 10.9, 1000)
    assert state.after_put(rules(), 0, 3, 0, 11.0, 1000)
    assert not state.after_put(rules(), 0, 3, 1, 11.0, 1000)


def test_decision_a_queue_that_never_fired_waits_for_the_first_message_or_a_change() -> None:
    assert not TriggerState().after_put(rules(), 0, 3, 0, 1e9, 0)


def test_close_of_the_last_reader_fires_when_messages_are_left() -> None:
    state = TriggerState()
    assert state.after_close(rules(), 1, 0)
    assert not state.after_close(rules(), 1, 1)
    assert not state.after_close(rules(), 0, 0)
    depth = rules(TRIGTYPE="DEPTH", TRIGDPTH=3)
    assert state.after_close(depth, 3, 0)
    assert not state.after_close(depth, 2, 0)
    assert not state.after_close(rules(TRIGTYPE="EVERY"), 5, 0)


def test_change_fires_for_messages_that_are_there() -> None:
    state = TriggerState()
    assert state.after_change(rules(), 1, 0)
    assert not state.after_change(rules(), 0, 0)
    assert not state.after_change(rules(), 1, 1)
    assert state.after_change(rules(TRIGTYPE="DEPTH", TRIGDPTH=2), 3, 0)


def test_decision_every_fires_once_for_the_messages_that_wait_when_a_monitor_comes() -> None:
    every = rules(TRIGTYPE="EVERY")
    assert TriggerState().after_change(every, 5, 1)
    assert not TriggerState().after_change(every, 0, 0)


@pytest.mark.parametrize("missing", range(4))
def test_nothing_fires_unless_all_around_is_ready(missing: int) -> None:
    values = [True] * 4
    values[missing] = False
    assert able(rules(), READY)
    assert not able(rules(), Surroundings(*values))


def test_transmission_queue_needs_no_process() -> None:
    around = Surroundings(True, True, True, False)
    assert able(rules(USAGE="XMITQ", PROCESS=""), around)
    assert not able(rules(USAGE="XMITQ", PROCESS="GONE"), around)
    assert not able(rules(PROCESS=""), around)


def test_trigger_message_is_not_persistent_and_names_the_program() -> None:
    message = trigger_message(rules(), "Q1", PROCESS, 10.0, lambda: b"N" * 24, "QM1", priority=4)
    assert message.length == 684
    assert (message.persistent, message.priority, message.descriptor.format) == (False, 4, "MQTRIG")
    assert (message.msg_id, message.descriptor.put_appl_type, message.descriptor.put_appl_name) == (
        b"N" * 24,
        7,
        "QM1",
    )
    trigger = TriggerMessage.unpack(message.body or b"")
    assert trigger == TriggerMessage("Q1", "PROC", "data", 6, "/bin/run", "&", "u")


def test_text_that_needs_more_bytes_than_there_is_room_for_is_cut() -> None:
    message = trigger_message(rules(TRIGDATA="é" * 64), "Q1", None, 10.0, lambda: b"N" * 24, "QM1")
    assert TriggerMessage.unpack(message.body or b"").trigger_data == "é" * 32


def test_program_is_handed_the_character_form() -> None:
    message = trigger_message(rules(), "Q1", PROCESS, 10.0, lambda: b"N" * 24, "QM1")
    argument = TriggerMessage.unpack(message.body or b"").for_program("QM1")
    assert len(argument.pack()) == 732
    assert (argument.queue, argument.appl_id, argument.qmgr) == ("Q1", "/bin/run", "QM1")
