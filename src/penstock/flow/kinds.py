"""What a node touches besides its message: the ground on which a runner is chosen.

`PURE` touches nothing, `READS` looks something up, `QUEUE` puts messages in the flow's unit of work, `EFFECT`
leaves a mark outside that nobody can take back. Room `spark` runs what is not an EFFECT; validation and
`penstock flow check` show it. A node says it for its own properties (`Node.kind`).
"""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """How far the work of a node reaches; a flow is as far-reaching as its furthest node."""

    PURE = 0
    READS = 1
    QUEUE = 2
    EFFECT = 3
