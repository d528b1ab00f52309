"""Remote queue definitions: what can be done with one, and what cannot."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq


@pytest.fixture
def remote(run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ) MAXDEPTH(2)")
    run("DEFINE QREMOTE(R) RNAME(O) RQMNAME(QM2) DEFPSIST(YES) DEFPRTY(5)")


@pytest.mark.parametrize("option", [mq.MQOO_INPUT_SHARED, mq.MQOO_BROWSE])
def test_it_cannot_be_got_from(qm, remote, fails, option):
    with fails(2045):
        qm.open("R", option)
    with fails(2045):
        qm.get("R")


def test_its_own_attributes_can_be_inquired(qm, remote):
    with qm.open("R", mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("RNAME", "RQMNAME") == {"RNAME": "O", "RQMNAME": "QM2"}


def test_its_defaults_apply(qm, remote):
    qm.put("R", b"a")
    message = qm.get("QM2")
    assert (message.persistent, message.priority) == (True, 5)


def test_put_disabled_on_it_or_its_transmission_queue_is_2051(qm, remote, run, fails):
    with qm.open("R", mq.MQOO_OUTPUT) as handle:
        run("ALTER QREMOTE(R) PUT(DISABLED)")
        with fails(2051):
            handle.put(b"a")
        run("ALTER QREMOTE(R) PUT(ENABLED)")
        run("ALTER QLOCAL(QM2) PUT(DISABLED)")
        with fails(2051):
            handle.put(b"a")


def test_a_full_transmission_queue_is_2053(qm, remote, fails):
    qm.put_many("R", [b"a", b"b"])
    with fails(2053):
        qm.put("R", b"c")


def test_the_header_counts_for_the_length(qm, remote, run, fails):
    run("ALTER QLOCAL(QM2) MAXMSGL(430)")
    qm.put("R", b"ab")
    with fails(2030):
        qm.put("R", b"abc")


def test_naming_this_queue_manager_is_2087(qm, run, fails):
    run("DEFINE QREMOTE(R) RNAME(O) RQMNAME(QM1)")
    with fails(2087):
        qm.put("R", b"a")


def test_an_alias_of_a_remote_queue_works(qm, remote, run):
    run("DEFINE QALIAS(A) TARGET(R) DEFPRTY(2)")
    qm.put("A", b"a")
    assert qm.get("QM2").priority == 2


def test_the_error_log_says_once_that_nothing_takes_the_messages_away(qm, remote, penstock_home, until):
    log = penstock_home / "QM1" / "errors" / "AMQERR01.LOG"

    def noted():
        return log.read_text().count("AMQ9544W") if log.exists() else 0

    qm.put("R", b"a")
    until(lambda: noted() == 1)
    qm.put("R", b"b")
    qm.host.housekeeping(time.time())
    assert noted() == 1


def test_a_transmission_queue_that_a_program_reads_is_no_news(qm, remote, penstock_home):
    with qm.open("QM2", mq.MQOO_INPUT_SHARED):
        qm.put("R", b"a")
        qm.host.housekeeping(time.time())
    log = penstock_home / "QM1" / "errors" / "AMQERR01.LOG"
    assert not log.exists() or "AMQ9544W" not in log.read_text()
