"""The states of messages on queues and of units of work, as plain numbers.

Compiled modules take them over as C integers (see their `.pxd`), the others as they are.
"""

AVAILABLE = 0  # available to every getter
GOT = 1  # got by a unit of work that has not ended
LOCKED = 2  # browsed with a lock
RESERVED = 3  # held for a flow's batch
GONE = 4  # no longer on the queue
UNCOMMITTED = 5  # put by a unit that has not ended: on no queue, only its own unit sees it
PACKED = 6  # no message but a run of them, which lie on disk (`packing`)

ACTIVE = 0  # a unit that takes puts and gets
COMMITTING = 1  # its commit record waits for the disk
PREPARED = 2  # waits for an outside decision; survives a restart
ENDED = 3
FAILED = 4  # backed out by the queue manager; the owner's next call raises 2003
