"""Signals while Spark starts in this process: they end the start, whoever has set a handler meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from penstock.cli.ending_signals import on_ending
from penstock.cli.spark_signals import Interrupted, started


@pytest.fixture
def heard() -> Iterator[list[int]]:
    """Return the signals that the command's own handler gets; restore the handlers of the tests."""
    signals: list[int] = []
    with on_ending(lambda number, frame: signals.append(number)):
        yield signals


def as_pyspark_does() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.kill(os.getpid(), signal.SIGINT)


def terminated() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.parametrize(("start", "code"), [(as_pyspark_does, 130), (terminated, 143)])
def test_a_signal_ends_the_start(heard: list[int], start: Callable[[], Any], code: int) -> None:
    with pytest.raises(Interrupted) as ended:
        started(start, lambda number, frame: heard.append(number))

    assert (ended.value.exit_code, ended.value.begun, heard) == (code, False, [])


def test_afterwards_the_command_has_the_signals(heard: list[int]) -> None:
    assert started(lambda: 7, lambda number, frame: heard.append(number)) == 7
    terminated()

    assert heard == [signal.SIGTERM]
