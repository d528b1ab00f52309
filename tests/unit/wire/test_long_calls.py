"""Long calls by themselves: whatever happens, the client hears of the end once."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from penstock.wire import protocol
from penstock.wire.long_calls import LongCall

pytestmark = pytest.mark.installed


def rows(conversation: Any, fails: bool) -> Iterator[int]:
    """Yield for ever; fail, if so told, when nobody wants the rest."""
    try:
        while True:
            yield 1
    finally:
        if fails:
            raise OSError("the disk is gone")


@pytest.mark.parametrize(("fails", "end"), [(False, protocol.NOTHING), (True, protocol.FAILED)])
def test_a_call_that_is_cancelled_is_answered_once(fails: bool, end: int) -> None:
    told: list[Any] = []
    loop = SimpleNamespace(call_soon_threadsafe=lambda step, *given: told.append(given))
    server = SimpleNamespace(loop=loop, workers=SimpleNamespace(submit=lambda step: step()))
    call = LongCall(SimpleNamespace(server=server), 1, rows, {"fails": fails})  # type: ignore[arg-type]
    call.begin()
    assert all(len(given) == 1 for given in told)  # parts, until the client has enough

    call.cancel()

    assert [given[0] for given in told if len(given) == 2] == [end]
