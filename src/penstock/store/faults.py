"""Accidents on order, for crash tests: a write torn, a write lost, a disk that is full or broken.

A `Faults` plan is handed to `open_journal`, `MessageFiles` and `write_checkpoint`; it counts the
operations of all of them together and strikes at one. Nothing here runs in production, where the
plan is None; the code that obeys it is the shipped code (`_disk.pyx`, `files.py`).
"""

from __future__ import annotations

from penstock.store._disk import LOSE_ALL, LOSE_NOTHING, LOSE_OLDEST, Faults

__all__ = ["LOSE_ALL", "LOSE_NOTHING", "LOSE_OLDEST", "Faults"]
