"""Windows of packed messages: nothing runs when one is let go."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from penstock.qmgr.deep.window import Window, windows_of
from tests.counting import steps


def test_no_code_runs_when_a_window_goes() -> None:
    """What breaks without it: a signal's handler raises there, and Ctrl-C is swallowed."""
    queue: Any = SimpleNamespace(windows=None)
    held = [Window(queue, 0), Window(queue, 1)]
    assert [each() for each in windows_of(queue)] == held

    assert steps(held.clear) == 0

    assert windows_of(queue) == []
