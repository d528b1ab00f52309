"""The trigger monitor: what it starts, with which words, and what happens when it cannot."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq
from penstock.model.headers import DeadLetterHeader, ProgramTrigger
from penstock.tools import trigger_monitor as monitor

INITQ = "INIT"


@pytest.fixture
def qm():
    with penstock.embed("QM1", create=True, file_pages=64, primary_files=2) as opened:
        for command in (
            "DEFINE QLOCAL(INIT)",
            "DEFINE QLOCAL(DLQ)",
            "ALTER QMGR DEADQ(DLQ)",
            "DEFINE PROCESS(P) APPLICID('/opt/pay \"two words\"') ENVRDATA('tail &') USERDATA('u')",
            "DEFINE QLOCAL(Q) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P) TRIGDATA('d')",
        ):
            opened.mqsc(command)
        yield opened


def test_a_program_gets_its_words_the_structure_and_the_environment_data(qm):
    started = []
    qm.put("Q", b"job")

    jobs = monitor.serve(qm, INITQ, lambda command: started.append(command) or 0)

    assert [job.queue for job in jobs] == ["Q"]
    program, argument, structure, rest = started[0]
    assert (program, argument, rest) == ("/opt/pay", "two words", "tail")
    told = ProgramTrigger.unpack(structure.encode())
    assert (told.queue, told.process, told.trigger_data, told.user_data) == ("Q", "P", "d", "u")
    assert (told.qmgr, len(structure)) == ("QM1", 732)


def test_nothing_asked_for_starts_nothing(qm):
    assert monitor.serve(qm, INITQ, lambda command: pytest.fail("started")) == []


def test_no_shell_reads_the_command(qm, tmp_path):
    mark = tmp_path / "mark"
    qm.mqsc(f"ALTER PROCESS(P) APPLICID('/bin/echo x; touch {mark}') ENVRDATA('$(touch {mark}) | cat')")
    qm.put("Q", b"job")

    jobs = monitor.serve(qm, INITQ)

    assert not jobs[0].problem
    assert not mark.exists()


def test_a_shell_that_is_asked_for_is_one(qm, tmp_path):
    mark = tmp_path / "mark"
    qm.mqsc(f"ALTER PROCESS(P) APPLICID('/bin/sh -c \"touch {mark}\"') ENVRDATA(' ')")
    qm.put("Q", b"job")

    monitor.serve(qm, INITQ)

    assert mark.exists()


def test_a_program_that_is_missing_sends_the_message_to_the_dead_letter_queue(qm):
    qm.mqsc("ALTER PROCESS(P) APPLICID('/no/such/program')")
    qm.put("Q", b"job")

    jobs = monitor.serve(qm, INITQ)

    letter = qm.get("DLQ")
    header = DeadLetterHeader.unpack(letter.body)
    assert (header.reason, header.queue, header.format) == (mq.MQFB_APPL_CANNOT_BE_STARTED, INITQ, "MQTRIG")
    assert "/no/such/program" in jobs[0].text


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("APPLICID(' ')", mq.MQFB_APPL_CANNOT_BE_STARTED),
        ("APPLICID('/bin/true \"open')", mq.MQFB_APPL_CANNOT_BE_STARTED),
        ("APPLTYPE(CICS)", mq.MQFB_APPL_TYPE_ERROR),
    ],
)
def test_what_is_no_command_is_not_started(qm, change, problem):
    qm.mqsc(f"ALTER PROCESS(P) {change}")
    qm.put("Q", b"job")

    monitor.serve(qm, INITQ, lambda command: pytest.fail("started"))

    assert DeadLetterHeader.unpack(qm.get("DLQ").body).reason == problem


def test_a_message_that_is_no_trigger_does_not_stop_the_others(qm):
    started = []
    qm.put(INITQ, b"rubbish")
    qm.put("Q", b"job")

    monitor.serve(qm, INITQ, lambda command: started.append(command) or 0)

    assert len(started) == 1
    assert DeadLetterHeader.unpack(qm.get("DLQ").body).reason == mq.MQFB_TM_ERROR


def test_a_failure_is_in_the_error_log(qm):
    qm.mqsc("ALTER PROCESS(P) APPLICID('/no/such/program')")
    qm.put("Q", b"job")

    monitor.serve(qm, INITQ)

    written = "".join(file.read_text() for file in qm.host.folder.errors.iterdir())
    assert "/no/such/program" in written


def test_looking_changes_nothing(qm):
    qm.mqsc("ALTER QLOCAL(Q) TRIGTYPE(DEPTH) TRIGDPTH(1)")
    qm.put("Q", b"job")

    first = [monitor.read(message, "QM1").queue for message in monitor.awaited(qm, INITQ)]
    second = [monitor.read(message, "QM1").queue for message in monitor.awaited(qm, INITQ)]

    assert first == second == ["Q"]
    with qm.open("Q", mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("TRIGGER") == {"TRIGGER": "YES"}
