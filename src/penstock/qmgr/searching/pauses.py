"""Why a get is to be made again, by its caller and with the same scan: it has cost enough, or needs messages.

Raised in the engine, caught by those who make calls; no part of the engine is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.qmgr.deep.window import Window


class Paused(Exception):
    """A get has cost as much as one step may."""

    window: Window | None = None  # to be read before the call is made again


class Packed(Paused):
    """A walk through a queue has come to packed messages: it goes on when they are in memory."""

    def __init__(self, window: Window) -> None:
        self.window: Window = window
