"""The performance laboratory: a catalogue of tests, load, measurements, analysis, and a report of them.

`open_runs` gives the folders of runs as DataFrames of Spark; everything else is used by `penstock lab`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.lab.analysis.frames import open_runs

__all__ = ["open_runs"]


def __getattr__(name: str) -> Any:
    if name == "open_runs":
        from penstock.lab.analysis.frames import open_runs

        return open_runs
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
