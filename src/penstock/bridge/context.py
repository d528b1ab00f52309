"""What a program may use besides the body: the message, its sender, the conversation, the unit of work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message


class Context:
    """One request. `state` is what an earlier request of the conversation left; None begins or ends one.

    `redelivered` says that the request may have been processed before: its process died, or it was backed
    out. `put` is in the unit of work of the request; `on_commit` and `on_backout` call functions when that
    has ended, for the program's own transaction.
    """

    def __init__(self, message: Message, state: Any, qm: BlockingQueueManager) -> None:
        self.message = message
        self.state = state
        self._qm = qm
        self._on_commit: list[Callable[[], Any]] = []
        self._on_backout: list[Callable[[], Any]] = []

    @property
    def user(self) -> str:
        """Who sent the request."""
        return self.message.descriptor.user_id.strip()

    @property
    def redelivered(self) -> bool:
        """Whether the request may have been processed before."""
        return self.message.backout_count > 0

    def put(self, queue: str, body: bytes | str, **details: Any) -> None:
        """Put another message, in the unit of work of the request."""
        self._qm.put(queue, body, **details)

    def on_commit(self, function: Callable[[], Any]) -> None:
        """Call a function right before the request is committed; its failure backs the request out."""
        self._on_commit.append(function)

    def on_backout(self, function: Callable[[], Any]) -> None:
        """Call a function when the request is backed out."""
        self._on_backout.append(function)

    def committing(self) -> None:
        """Call what waits for the commit."""
        for function in self._on_commit:
            function()

    def backed_out(self) -> None:
        """Call what waits for the backout."""
        for function in self._on_backout:
            function()
