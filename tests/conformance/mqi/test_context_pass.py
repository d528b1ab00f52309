"""PASS_IDENTITY and PASS_ALL context: from a message that was got."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def source(qm, run):
    run("DEFINE QLOCAL(IN)")
    run("DEFINE QLOCAL(OUT)")
    with qm.open("IN", mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as handle:
        handle.put(
            b"a",
            options=mq.MQPMO_SET_ALL_CONTEXT,
            user_id="alice",
            appl_identity_data="desk",
            put_appl_name="PAY1",
            put_time=1_000_000_000.0,
        )
    return qm.open("IN", mq.MQOO_INPUT_SHARED | mq.MQOO_SAVE_ALL_CONTEXT)


def target(qm):
    return qm.open("OUT", mq.MQOO_OUTPUT | mq.MQOO_PASS_ALL_CONTEXT)


def test_pass_all_passes_identity_origin_and_time(qm, source):
    source.get()
    target(qm).put(b"b", options=mq.MQPMO_PASS_ALL_CONTEXT, context_from=source)
    message = qm.get("OUT")
    assert (message.user_id, message.descriptor.put_appl_name) == ("alice", "PAY1")
    assert message.put_time == 1_000_000_000.0


def test_pass_identity_passes_identity_only(qm, source):
    source.get()
    target(qm).put(b"b", options=mq.MQPMO_PASS_IDENTITY_CONTEXT, context_from=source)
    message = qm.get("OUT")
    assert (message.user_id, message.descriptor.appl_identity_data) == ("alice", "desk")
    assert message.descriptor.put_appl_name != "PAY1"
    assert message.put_time > 1_000_000_000.0


def test_before_any_get_it_is_2098(qm, source, fails):
    with fails(2098):
        target(qm).put(b"b", options=mq.MQPMO_PASS_ALL_CONTEXT, context_from=source)


def test_a_browse_saves_nothing(qm, source, fails):
    with qm.open("IN", mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE | mq.MQOO_SAVE_ALL_CONTEXT) as browser:
        browser.get(options=mq.MQGMO_BROWSE_FIRST)
        with fails(2098):
            target(qm).put(b"b", options=mq.MQPMO_PASS_ALL_CONTEXT, context_from=browser)


@pytest.mark.parametrize("options", [mq.MQOO_INPUT_SHARED, mq.MQOO_OUTPUT])
def test_a_handle_that_saves_no_context_is_2097(qm, source, fails, options):
    with qm.open("IN", options) as other, fails(2097):
        target(qm).put(b"b", options=mq.MQPMO_PASS_ALL_CONTEXT, context_from=other)


def test_no_handle_and_a_closed_handle_are_2097(qm, source, fails):
    source.get()
    source.close()
    for given in (None, source):
        with fails(2097):
            target(qm).put(b"b", options=mq.MQPMO_PASS_ALL_CONTEXT, context_from=given)
