"""What a task of Spark does with a slice of messages: the interface, and what a worker process keeps of it.

A fused query names a factory. It makes a function of messages, which `PlainWork` completes, or a work of its
own, as flows do (`flow_work.FlowFunction`). Loading a flow takes long, so a process keeps what it has made.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

from penstock.model.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.face.blocking import BlockingQueueManager
    from penstock.spark.runs.batch_records import Look, Take

T = TypeVar("T")
# queue, and a message or a body; or queue, body and arguments of `qm.put`
Output = tuple[str, Message | bytes | str] | tuple[str, bytes | str, dict[str, Any]]
WORKS_MAX = 8  # kept by a worker process
_made: dict[tuple[str, str], object] = {}


@runtime_checkable
class SliceWork(Protocol):
    """The work of a fused query; one object for all slices of a worker process."""

    keeps_records: bool  # records of its own, which it takes and puts back in the batch
    checks: bool  # it can try again, asking the queue manager for every output

    def __call__(self, messages: list[Message]) -> Iterable[Output]:
        """Return the outputs for messages."""

    def begin(self, look: Look) -> Sequence[Take]:
        """Begin an attempt of work that keeps records; return the growing list of what it takes."""

    def kept(self) -> Iterable[Output]:
        """Return the records that remain to be stored when all messages are done."""

    def checking(self, qm: BlockingQueueManager) -> AbstractContextManager[None]:
        """Try every output on the queue manager while it is entered."""

    def failures(self) -> tuple[int, int, int]:
        """Return how many attempts failed, and how many messages were given up and lost, since the start."""


class PlainWork:
    """A function of messages as work: it keeps no records and counts no failures."""

    keeps_records = checks = False

    def __init__(self, function: Callable[[list[Message]], Iterable[Output]]) -> None:
        self._function = function

    def __call__(self, messages: list[Message]) -> Iterable[Output]:
        return self._function(messages)

    def begin(self, look: Look) -> Sequence[Take]:
        return ()

    def kept(self) -> Iterable[Output]:
        return ()

    def checking(self, qm: BlockingQueueManager) -> AbstractContextManager[None]:
        return nullcontext()

    def failures(self) -> tuple[int, int, int]:
        return (0, 0, 0)


def once(name: str, arguments: str, make: Callable[[], T]) -> T:
    """Return the work that a name and arguments describe, made once in this process."""
    key = name, arguments
    if key not in _made:
        made = make()
        if len(_made) >= WORKS_MAX:
            _made.clear()
        _made[key] = made
    return cast("T", _made[key])
