"""Message ids in MQ's form: "AMQ ", twelve characters of the queue manager's name, eight unique bytes.

An `IdSource` belongs to one engine and is called for each put, so it must cost next to nothing:
256 ids are prepared together, in one block of bytes. It reads no clock: the caller gives a
seed that is greater at every start. No lock either; the engine lock is what keeps ids apart.
Invariant: ids of one queue manager differ, over restarts too. Compiled through `ids.pxd`.
"""

from __future__ import annotations

SEED_STEP_BITS = 12  # a seed in microseconds leaves room for 4,096 ids in each of them
UNIQUE_BITS = 64
NAME_LENGTH = 12
ID_LENGTH = 24
BLOCK_IDS = 256  # that differ in their last byte only


class IdSource:
    """Make ids for the messages of one queue manager.

    `seed` is the start time in microseconds, or any number greater than that of the start before.

    >>> IdSource("QM1", 1).next()
    b'AMQ QM1         \\x00\\x00\\x00\\x00\\x00\\x00\\x10\\x00'
    """

    def __init__(self, qmgr_name: str, seed: int) -> None:
        name = qmgr_name.encode("ascii", "replace")[:NAME_LENGTH].ljust(NAME_LENGTH)
        self._prefix = b"AMQ " + name
        self._high = (seed << SEED_STEP_BITS) % (1 << UNIQUE_BITS) >> 8
        self._start = 0  # of the next id in the block
        self._block = self._prepared_block()

    def next(self) -> bytes:
        """Return an id of 24 bytes that this queue manager never returned before."""
        if self._start == ID_LENGTH * BLOCK_IDS:
            self._high = (self._high + 1) % (1 << (UNIQUE_BITS - 8))
            self._block = self._prepared_block()
            self._start = 0
        start = self._start
        self._start = start + ID_LENGTH
        block = self._block
        return block[start : start + ID_LENGTH]

    def _prepared_block(self) -> bytes:
        block = bytearray((self._prefix + self._high.to_bytes(7, "big") + b"\0") * BLOCK_IDS)
        block[ID_LENGTH - 1 :: ID_LENGTH] = bytearray(range(BLOCK_IDS))
        return bytes(block)
