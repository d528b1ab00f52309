"""How a bridge treats requests: commit mode, sync level, security, retries. Checked before it starts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMIT_THEN_SEND, SEND_THEN_COMMIT = 0, 1
NONE, CONFIRM = "none", "confirm"
CONCURRENCY_MAX = 64
RETRIES_MAX = 100


@dataclass(frozen=True, slots=True)
class Settings:
    """What a program or the command decides; a request with an MQIIH names its own commit mode.

    `confirm_wait` is how long a reply with sync level confirm waits for its acknowledgement, in seconds.
    `users` may send requests (empty: all); `token` must be in each request (empty: none).
    """

    commit_mode: int = COMMIT_THEN_SEND
    sync_level: str = NONE
    confirm_wait: float = 30.0
    retries: int = 0
    retry_delay: float = 0.1
    concurrency: int = 1
    users: tuple[str, ...] = ()
    token: str = ""

    def check(self) -> None:
        """Refuse invalid settings; 8345."""
        wrong = list(self._wrong())
        if wrong:
            raise error(mq.PSRC_BRIDGE_PROGRAM, "; ".join(wrong))

    def _wrong(self) -> Iterator[str]:
        if self.commit_mode not in (COMMIT_THEN_SEND, SEND_THEN_COMMIT):
            yield f"commit mode {self.commit_mode} is neither 0 nor 1"
        if self.sync_level not in (NONE, CONFIRM):
            yield f"sync level {self.sync_level!r} is neither none nor confirm"
        if self.sync_level == CONFIRM and self.commit_mode == COMMIT_THEN_SEND:
            yield "sync level confirm is for commit mode 1: in mode 0 the reply waits on a queue"
        if not 1 <= self.concurrency <= CONCURRENCY_MAX:
            yield f"concurrency is 1 to {CONCURRENCY_MAX}, not {self.concurrency}"
        if not 0 <= self.retries <= RETRIES_MAX:
            yield f"retries are 0 to {RETRIES_MAX}, not {self.retries}"
        if self.confirm_wait <= 0 or self.retry_delay < 0:
            yield "confirm_wait is more than 0 seconds, retry_delay at least 0"


OPTIONS = frozenset(each.name for each in fields(Settings))
