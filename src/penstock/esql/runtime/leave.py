"""LEAVE past an inner loop or out of a block: an exception that only the labelled one catches."""

from __future__ import annotations


class Leave(Exception):
    """Leaves the loops and blocks inside the one with a mark."""

    def __init__(self, mark: str) -> None:
        super().__init__(mark)
        self.mark = mark

    def arrive(self, mark: str) -> None:
        """Stop at the labelled block, else continue outwards."""
        if mark != self.mark:
            raise self
