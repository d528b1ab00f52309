"""Long calls by themselves: whatever happens, the client hears of the end once."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from penstock.host._gate import Gate
from penstock.host.pacing import Pacer
from penstock.model.message import NO_ID, Message
from penstock.protocol import numbers as protocol
from penstock.serve.conversations import worker_verbs
from penstock.serve.conversations.long_calls import LongCall

pytestmark = pytest.mark.installed


def server_with(loop: Any) -> Any:
    """Return as much of a server as a call sees: work that is submitted is done at once."""
    host = SimpleNamespace(pacer=Pacer(Gate(lambda: OSError())))
    return SimpleNamespace(loop=loop, workers=SimpleNamespace(submit=lambda step: step()), host=host)


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
    server = server_with(loop)
    call = LongCall(SimpleNamespace(server=server), 1, rows, {"fails": fails})  # type: ignore[arg-type]
    call.begin()
    assert all(len(given) == 1 for given in told)  # parts, until the client has enough

    call.cancel()

    assert [given[0] for given in told if len(given) == 2] == [end]


@pytest.mark.parametrize("verb", [worker_verbs.read_slice, worker_verbs.look, worker_verbs.read_extent])
def test_messages_of_flows_that_nobody_wants_any_more_end_without_an_error(verb: Any) -> None:
    told: list[Any] = []
    loop = SimpleNamespace(call_soon_threadsafe=lambda step, *given: told.append(given))
    server = server_with(loop)
    body = b"x" * (protocol.PARTS_AHEAD_BYTES + 1)
    message = Message(body, NO_ID, NO_ID)
    flows = SimpleNamespace(
        read_slice=lambda: [message] * 2,
        look=lambda: [(1, message)] * 2,
        read_extent=lambda queue: [(0, 1, message)] * 2,
    )
    conversation = SimpleNamespace(server=server, qm=SimpleNamespace(batches=flows))
    arguments = (
        {"queue": "Q", "named": {}} if verb is worker_verbs.read_extent else {"arguments": [], "named": {}}
    )
    call = LongCall(conversation, 1, verb, arguments)  # type: ignore[arg-type]
    call.begin()

    call.cancel()

    assert [given[0] for given in told if len(given) == 2] == [protocol.NOTHING]
