"""When a run may use the warm session, and which session fits a run."""

from __future__ import annotations

import os

import pytest

from penstock.spark.starting import warm
from penstock.spark.starting.process_memory import tree_bytes


def test_never_in_tests_in_ci_with_another_master_or_when_switched_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not warm.is_allowed("", {})
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.delenv("CI", raising=False)
    assert warm.is_allowed("", {})
    assert not warm.is_allowed("local[2]", {})
    assert not warm.is_allowed("", {"spark.ui.enabled": "true"})
    monkeypatch.setenv("CI", "true")
    assert not warm.is_allowed("", {})
    monkeypatch.delenv("CI")
    monkeypatch.setenv(warm.SWITCH, "0")
    assert not warm.is_allowed("", {})


def test_a_session_of_another_environment_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    before = warm.mark()
    monkeypatch.setenv("SSH_CONNECTION", "another terminal")
    assert warm.mark() == before
    monkeypatch.setenv("DATABASE_URL", "another database")
    assert warm.mark() != before


def test_the_memory_of_a_process_is_known() -> None:
    assert tree_bytes(os.getpid()) > 1 << 20
