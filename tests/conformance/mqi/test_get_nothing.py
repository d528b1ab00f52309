"""SEMANTICS 3: no message is 2033; the one-shot get says None."""

from __future__ import annotations

import pytest

import penstock


def test_a_handle_raises_2033(qm, queue, fails) -> None:
    with qm.open(queue) as handle, fails(2033):
        handle.get()


def test_the_error_is_a_no_message_and_names_the_queue(qm, queue) -> None:
    with qm.open(queue) as handle, pytest.raises(penstock.NoMessage, match=r"2033 MQRC_NO_MSG_AVAILABLE.*Q"):
        handle.get()


def test_a_quiet_handle_returns_none(qm, queue) -> None:
    with qm.open(queue) as handle:
        assert handle.get(quiet=True) is None


def test_the_one_shot_get_returns_none(qm, queue) -> None:
    assert qm.get(queue) is None


def test_an_unknown_queue_is_2085(qm, fails) -> None:
    with fails(2085):
        qm.get("NOWHERE")
