"""How much work something is, without a clock: steps of Python code are counted.

A step is a line that runs or a call. Compiled modules make no steps, so what is counted there is what
they call. The same work makes the same steps on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def steps(work: Callable[[], Any]) -> int:
    """Return how many lines and calls of Python a piece of work is, in this thread."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
