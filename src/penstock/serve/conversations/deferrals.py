"""Why a call in the loop cannot end yet: it waits, or is to be made again after something was done elsewhere.

`LoopCaller` raises them, verbs and conversations catch them. No part of the server is imported here, so that
every module of it can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.qmgr.waiters import Waiter


class Suspended(Exception):
    """A get waits: `waiter` will be answered, `wake` is to be set."""

    def __init__(self, waiter: Waiter) -> None:
        self.waiter = waiter


class MustRead(Exception):
    """Bodies must be read from disk before the call can be made again, with what it has begun."""

    def __init__(self, messages: list[Any], begun: Any = None) -> None:
        self.messages = messages
        self.begun = begun


class MustGoOn(Exception):
    """A call has done a part of long work; it is to be made again, with what it has begun."""

    def __init__(self, begun: Any) -> None:
        self.begun = begun


class MustCompile(Exception):
    """A selector must be compiled, which takes too long for the loop, before the call can be made again."""

    def __init__(self, selector: str) -> None:
        self.selector = selector


class MustAsk(Exception):
    """Full repositories must answer before the call can be made again."""

    def __init__(self, question: Any) -> None:
        self.question = question
