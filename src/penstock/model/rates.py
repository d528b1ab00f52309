"""Rates: what counts grew by between two samples, divided by the time between them. No clock here.

Made in one place, so that `penstock top` and JSON agree. Counts that began anew (another start) give no rate,
never a negative one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Rates:
    """The growth of named counts between the last two samples."""

    def __init__(self) -> None:
        self._at = 0.0
        self._boot: object = None
        self._before: dict[str, tuple[float, ...]] = {}
        self.by_name: dict[str, tuple[float, ...]] = {}

    def add(self, counts: Mapping[str, tuple[float, ...]], boot: object, now: float) -> None:
        """Take a sample; `boot` is what changes when counts begin anew.

        >>> rates = Rates()
        >>> rates.add({"Q": (10, 4)}, "boot", 100.0)
        >>> rates.add({"Q": (30, 4)}, "boot", 102.0)
        >>> rates.by_name
        {'Q': (10.0, 0.0)}
        """
        seconds = now - self._at
        known = self._before if boot == self._boot and seconds > 0 else {}
        self.by_name = {
            name: tuple(max(0.0, (new - old) / seconds) for new, old in zip(values, known[name], strict=True))
            for name, values in counts.items()
            if name in known
        }
        self._at, self._boot, self._before = now, boot, dict(counts)
