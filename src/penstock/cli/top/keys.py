"""Keys of a terminal, one by one, without echo; the terminal is put back whatever happens."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ESCAPE = "\x1b"
READ_BYTES = 32


class Keys:
    """Reads keys from a file descriptor of a terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._left = ""

    def next(self, seconds: float) -> str:
        """Return the next key, or nothing after this time; the sequence of a cursor key is one key."""
        if not self._left:
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, seconds))
            if not ready:
                return ""
            self._left = os.read(self._descriptor, READ_BYTES).decode("utf-8", "replace")
            if not self._left:
                return "q"  # the terminal is gone
        if self._left.startswith(ESCAPE) and len(self._left) > 1:
            key, self._left = self._left, ""
            return key
        key, self._left = self._left[0], self._left[1:]
        return key


@contextmanager
def single_keys() -> Iterator[Keys]:
    """Have the terminal send every key at once."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield Keys(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
