"""The topic scavenger: removes topics that were not used for TREELIFE seconds.

Topics are in a list ordered by the time of their last check. A sweep takes those at its head that are
due: a used one goes to the end, an unused one goes away, and with it whatever above it was only kept by it,
so that a dead branch goes in one pass. A sweep looks at a bounded number and is called again while
there is more, so that the engine is never held for long. Called by the host's housekeeping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.qmgr.pubsub.topic_tree import TopicNode, TopicTree

SWEEP_MAX = 1000  # topics looked at while the engine is held


class Scavenger:
    """Sweeps one tree; `removed` counts the topics that went."""

    def __init__(self, tree: TopicTree) -> None:
        self.tree = tree
        self.removed = 0

    def sweep(self, now: float, life: float) -> bool:
        """Look at topics that are due; whether there are more. A life of 0 keeps all."""
        if life <= 0:
            return False
        tree = self.tree
        for _ in range(SWEEP_MAX):
            node = tree.first
            if node is None or node.looked_at + life > now:
                return False
            if node.last_used + life <= now and tree.removable(node):
                self._remove(node, now, life)
            else:
                tree.leave_line(node)
                tree.queue_up(node, now)
        return True

    def _remove(self, node: TopicNode, now: float, life: float) -> None:
        """Remove a node, and those above that only it kept."""
        current: TopicNode | None = node
        while current is not None and current is not self.tree.root:
            if current.last_used + life > now or not self.tree.removable(current):
                return
            above = current.parent
            self.tree.drop(current)
            self.removed += 1
            current = above
