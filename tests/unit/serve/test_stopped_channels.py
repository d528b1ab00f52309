"""STOP CHANNEL of a sending channel, as its link sees it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from penstock.serve.message_channels.run import RUNNING
from penstock.serve.message_channels.sending import SendingChannel
from tests.unit.channel.test_ends import NOW, Pair


def test_force_sends_nothing_behind_the_end_of_the_link() -> None:
    pair = Pair()
    pair.start()
    seen: list[Any] = []
    channel = SendingChannel.__new__(SendingChannel)
    channel.channels = SimpleNamespace(changed=lambda run, before: None)  # type: ignore[assignment]
    channel.task = None
    channel._state = RUNNING
    channel.end = pair.sender
    channel.link = SimpleNamespace(  # type: ignore[assignment]
        step=lambda action: action(NOW), end=lambda failure: seen.append(pair.sender.state)
    )
    channel.stop("FORCE", "STOPPED")
    pair.put(b"later")
    pair.sender.pump(NOW)
    assert seen == ["ENDED"]
    assert (pair.forth.take(), pair.left()) == ([], 1)
