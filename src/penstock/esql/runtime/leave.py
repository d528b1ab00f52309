"""LEAVE past an inner loop or out of a block: an exception that only the labelled one catches."""

from __future__ import annotations


class Leave(Exception):
    """On the way out to the loop or block with a mark."""

    def __init__(self, mark: str) -> None:
        super().__init__(mark)
        self.mark = mark

    def arrive(self, mark: str) -> None:
        """Stop here if this is the place, else go on outwards."""
        if mark != self.mark:
            raise self
