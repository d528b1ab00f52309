"""What a node accesses besides its message; the choice of the engine depends on it.

`PURE` accesses nothing, `READS` looks something up, `QUEUE` puts messages in the flow's unit of work,
`EFFECT` has outside effects that cannot be undone. Room `spark` runs everything except EFFECT; validation and
`penstock flow check` show it. A node derives it from its properties (`Node.kind`).
"""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """What a node accesses; a flow has the highest kind of its nodes."""

    PURE = 0
    READS = 1
    QUEUE = 2
    EFFECT = 3
