"""The state of a flow: its epoch, its recorded number, and the batch in progress.

Plain state, no verbs: `reservations` changes it, `batch_recovery` restores it. A flow has at most one
reservation that is not committed. Entries of a reservation keep their positions for ever, also when a
restart has lost a non-persistent message: slices are cut by position, so that a slice read again holds
what it held before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.queue import Queue

    Attempt = int | str

# kinds of a flow's journal records; on disk, so never changed
EPOCH = "epoch"
RESERVE = "reserve"
PREPARE = "prepare"
COMMIT = "commit"
RELEASE = "release"
FORGET = "forget"


@dataclass(slots=True, eq=False)
class OutputBatch:
    """The outputs of one attempt at one slice: invisible, and dropped unless the attempt wins."""

    number: int  # its messages carry the negative of it as their unit
    slice: int
    attempt: Attempt
    epoch: int
    start: int  # journal position before its first record; 0 for one that a restart restored
    sealed: bool = False  # the attempt is complete
    logged: int = 0  # end of the journal when its last part came
    outputs: list[tuple[Queue, Message]] = field(default_factory=list)
    takes: list[Message] = field(default_factory=list)  # messages that it takes from other queues
    take_seqs: tuple[int, ...] = ()  # the same as a restart finds them, before messages are known

    @property
    def saved(self) -> bool:
        """Whether message files hold all that must survive a restart."""
        return all(message.location for _, message in self.outputs if message.persistent)

    def state(self) -> list[Any]:
        takes = [message.seq for message in self.takes if message.seq]
        return [self.number, self.slice, self.attempt, self.epoch, self.sealed, *takes]


@dataclass(slots=True, eq=False)
class Reservation:
    """Messages held for one batch of a flow, in delivery order."""

    n: int
    queue_id: int
    queue_name: str
    seqs: list[int]  # one a message; 0 for a non-persistent one, which a restart loses
    joined: list[int]  # positions of messages that belong to the group of the one before
    since: float
    entries: list[Message | None] = field(default_factory=list)
    batches: dict[tuple[int, Attempt], OutputBatch] = field(default_factory=dict)  # sealed ones
    parts: dict[tuple[int, Attempt], OutputBatch] = field(default_factory=dict)  # not yet sealed ones
    start: int = 0  # journal position before its commit record, once there is one

    @property
    def messages(self) -> list[Message]:
        return [message for message in self.entries if message is not None]

    def all_batches(self) -> list[OutputBatch]:
        return [*self.batches.values(), *self.parts.values()]

    def slice(self, number: int, slices: int) -> list[Message]:
        """Return the messages of slice `number` of `slices`; a group is never cut."""
        if not self.joined:
            size = len(self.entries)
            cut = self.entries[number * size // slices : (number + 1) * size // slices]
        else:
            inside = set(self.joined)
            starts = [place for place in range(len(self.entries)) if place not in inside]
            starts_count = len(starts)
            starts.append(len(self.entries))
            first, end = number * starts_count // slices, (number + 1) * starts_count // slices
            cut = self.entries[starts[first] : starts[end]]
        return [message for message in cut if message is not None]

    def state(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "queue_id": self.queue_id,
            "queue_name": self.queue_name,
            "seqs": self.seqs,
            "joined": self.joined,
            "since": self.since,
            "batches": [batch.state() for batch in self.all_batches()],
        }


@dataclass(slots=True, eq=False)
class Flow:
    """One flow, by its name."""

    name: str
    epoch: int = 0
    recorded: int = 0
    outstanding: Reservation | None = None
    ending: list[Reservation] = field(default_factory=list)  # committed, waiting for the disk
    position: int = 0  # end of its last journal record: answers about the flow wait for it

    def held(self) -> list[Reservation]:
        """Return the reservations that hold messages or outputs, oldest first."""
        return self.ending if self.outstanding is None else [*self.ending, self.outstanding]

    def state(self) -> dict[str, Any]:
        """Return the flow's state for a checkpoint: without changes that are not on disk yet.

        A commit that waits for the disk is replayed from the journal, and so is all that followed it.
        """
        first = self.ending[0] if self.ending else self.outstanding
        recorded = self.ending[0].n - 1 if self.ending else self.recorded
        return {
            "flow": self.name,
            "epoch": self.epoch,
            "recorded": recorded,
            "outstanding": None if first is None else first.state(),
        }
